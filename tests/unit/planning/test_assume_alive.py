"""A broker that is down receives nothing and comes to lead nothing; what cannot be moved stays."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import pytest
from tests.scenarios.checks import applied, check_judged
from tests.scenarios.named import lists_of, values_of

from equipoise.cluster import Brokers, Cluster, Plan, build_cluster, measures
from equipoise.errors import UnusableInput
from equipoise.planning import Request, build_problem, make_plan
from equipoise.planning.rules.rack_rule import NO_RACKS

Lists = Sequence[Sequence[int]]
FULL_AND_EMPTY = [[1, 2], [1, 2], [2, 1], [2, 1], [1, 2], [2, 3], [3, 1]]
"""Brokers 1 and 2 have most; 3 and 4 would get what they give."""


def cluster_of(
    lists: Lists, down: Mapping[int, str], *, isr: Sequence[Sequence[int] | None] | None = None
) -> Cluster:
    """Brokers 1 to 5; in sync is who is up, who is first in sync leads."""
    brokers = Brokers.of(range(1, 6), down=down)
    told = [[b for b in held if b not in down] for held in lists] if isr is None else isr
    n = len(lists)
    leader = [next((b for b in ids or () if b not in down), -1) for ids in told]
    return build_cluster("c", brokers, ["t"] * n, range(n), lists, isr_ids=told, leader_id=leader)


def changed(plan: Plan) -> dict[int, list[int]]:
    after = lists_of(plan, "t")
    return {int(row): after[row] for row in plan.changed}


def said(plan: Plan) -> tuple[str, ...]:
    """The warnings but for the one that these clusters have no racks."""
    return tuple(line for line in plan.warnings if line != NO_RACKS)


def test_it_receives_nothing_and_leads_nothing() -> None:
    """Broker 4 is empty and down, 3 holds two partitions and is down: what moves goes to broker 5."""
    plan = make_plan(cluster_of(FULL_AND_EMPTY, {3: "fenced", 4: "fenced"}))
    came = plan.cluster.ids_of(plan.target[measures.arrivals(plan.cluster.replicas, plan.target)])
    assert set(came.tolist()) == {5}
    after = lists_of(plan, "t")
    assert all(held[0] not in (3, 4) for held in after)
    assert 3 in after[5] and 3 in after[6]  # it keeps what it has, as a cordoned broker does
    assert all(not level.gap for level in plan.certificate)
    check_judged(plan)


def test_it_is_planned_as_if_it_were_cordoned_and_without_leaders() -> None:
    down = {3: "fenced", 4: "fenced"}
    plan = make_plan(cluster_of(FULL_AND_EMPTY, down))
    other = make_plan(cluster_of(FULL_AND_EMPTY, {}), Request(cordon=(3, 4), no_leaders_on=(3, 4)))
    assert np.array_equal(plan.target, other.target) and values_of(plan) == values_of(other)


def test_planning_again_changes_nothing() -> None:
    plan = make_plan(cluster_of(FULL_AND_EMPTY, {3: "fenced"}))
    assert plan.changed.any() and make_plan(applied(plan)).is_empty


def test_the_sentence_names_it_first_and_says_what_to_do() -> None:
    """Brokers that hold nothing need no drain; those told alike share a sentence."""
    plan = make_plan(cluster_of(FULL_AND_EMPTY, {3: "in no Isr of topics.txt", 4: "fenced", 5: "fenced"}))
    assert said(plan) == (
        "broker 3 is not alive (in no Isr of topics.txt): no replica and no leader comes to it. --drain 3 "
        "moves its 2 replicas away; --assume-alive 3 plans as if it were up",
        "brokers 4, 5 are not alive (fenced): no replica and no leader comes to them. --assume-alive 4,5 "
        "plans as if they were up",
        "of 7 partitions: 2 under-replicated",
    )


def test_to_drain_it_is_the_remedy() -> None:
    """All of its partitions have another replica to be copied from; it is not told to be drained again."""
    plan = make_plan(cluster_of(FULL_AND_EMPTY, {3: "fenced"}), Request(drain=(3,)))
    assert not any(3 in held for held in lists_of(plan, "t"))
    assert "--drain" not in plan.warnings[0] and "--assume-alive 3" in plan.warnings[0]
    assert make_plan(applied(plan), Request(drain=(3,))).is_empty
    check_judged(plan)


def test_to_replace_it_is_one_too() -> None:
    plan = make_plan(cluster_of(FULL_AND_EMPTY, {3: "fenced"}), Request(replace=((3, 5),)))
    assert lists_of(plan, "t")[5:] == [[2, 5], [5, 1]]
    check_judged(plan)


def test_it_cannot_be_a_successor() -> None:
    with pytest.raises(UnusableInput) as refusal:
        make_plan(cluster_of(FULL_AND_EMPTY, {4: "fenced"}), Request(replace=((1, 4),)))
    assert str(refusal.value) == (
        "--replace: broker 4 is not alive (fenced) and cannot replace another. "
        "Start it, or give --assume-alive 4"
    )


def test_what_nobody_alive_has_stays_and_is_listed() -> None:
    """Partition 0 has its one replica on broker 3, who alone is in sync with partition 1; 2 is copied."""
    lists = [[3], [3, 1], [3, 2]]
    sick = cluster_of(lists, {3: "fenced"}, isr=[[3], [3], [2]])
    plan = make_plan(sick, Request(drain=(3,)))
    assert set(changed(plan)) == {2}
    assert said(plan)[1:] == (
        "2 partitions cannot be moved now, as nobody who is alive has all data of them, and stay as they "
        "are: t-0, t-1",
        "of 3 partitions: 2 without a leader, 2 under-replicated",
        "2 replicas of partitions that cannot be moved now stay on brokers to be emptied (3)",
    )
    check_judged(plan)
    assert make_plan(applied(plan), Request(drain=(3,))).is_empty


@pytest.mark.parametrize(
    "request_",
    [
        Request(replication_factor=2),
        Request(replace=((3, 5),)),
        Request(leaders_only=True),
        Request(brokers=((1, None), (2, None), (4, None), (5, None))),
        Request(drain=(3,), rack_rule="strict"),
        Request(strategy="greedy"),
    ],
    ids=lambda request: "-".join(request.to_json()),
)
def test_whatever_is_asked_what_cannot_be_moved_stays(request_: Request) -> None:
    """No request is impossible for its sake."""
    sick = cluster_of([[3], [1], [2]], {3: "fenced"}, isr=[[3], [1], [2]])
    plan = make_plan(sick, request_)
    assert lists_of(plan, "t")[0] == [3] and 0 not in changed(plan)
    check_judged(plan)


def test_new_partitions_beside_a_broker_that_is_down() -> None:
    """They are placed on the others, and what was in sync still is."""
    plan = make_plan(cluster_of([[3], [1]], {3: "fenced"}), Request(create=(("a", 3, 2), ("t", 3, 1))))
    assert not any(3 in held for held in (*lists_of(plan, "a"), lists_of(plan, "t")[2]))
    assert lists_of(plan, "t")[0] == [3]
    assert plan.cluster.isr_told.tolist() == [False, False, False, True, True, False]
    check_judged(plan)


def test_assumed_to_be_alive() -> None:
    """As on a healthy cluster, and the sources' word is passed on."""
    sick = cluster_of(FULL_AND_EMPTY, {3: "fenced"})
    plan = make_plan(sick, Request(assume_alive=(3,)))
    assert np.array_equal(plan.target, make_plan(cluster_of(FULL_AND_EMPTY, {})).target)
    assert said(plan) == (
        "of 7 partitions: 2 under-replicated",
        "broker 3 counts as alive (--assume-alive), though it is fenced",
    )


def test_assumed_to_be_alive_though_nobody_thinks_otherwise() -> None:
    plan = make_plan(cluster_of(FULL_AND_EMPTY, {}), Request(assume_alive=(2, 3)))
    assert said(plan) == ("--assume-alive 2,3 changes nothing: no source says that brokers 2, 3 are down",)


def test_a_broker_that_does_not_exist_cannot_be_assumed_to_be_alive() -> None:
    with pytest.raises(UnusableInput, match="--assume-alive: there is no broker 9"):
        make_plan(cluster_of(FULL_AND_EMPTY, {}), Request(assume_alive=(9,)))


@pytest.mark.slow
def test_loads_are_levelled_without_it() -> None:
    """Bytes go to who is up, as counts do."""
    sick = cluster_of(FULL_AND_EMPTY, {4: "fenced"})
    sick = replace(sick, size_bytes=np.full(sick.n_partitions, 1e9))
    plan = make_plan(sick, Request(balance=("disk",)))
    assert plan.changed.any() and not any(4 in held for held in lists_of(plan, "t"))


def test_added_brokers_leave_known_who_is_down_and_in_sync() -> None:
    """Positions shift where broker 0 comes before all others."""
    sick = cluster_of([[3], [3, 1]], {3: "fenced"}, isr=[[3], [1]])
    problem = build_problem(sick, Request(add=((0, None),)))
    assert problem.cluster.brokers.down[3] == "fenced"
    assert problem.stuck.tolist() == [True, False] and not problem.receives[3]
