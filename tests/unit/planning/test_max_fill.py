"""`--max-fill`: what moves fills no broker above its limit, in the plan and in every wave."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from tests.unit.planning.test_loads import bytes_on, check, cluster_of, moved, values

from equipoise import judge
from equipoise.cluster import Brokers, Cluster
from equipoise.errors import ImpossibleRequest, UnusableInput
from equipoise.planning import Request, make_plan
from equipoise.scheduling import schedule

SMALL = Brokers.of([0, 1, 2], disk_bytes={0: 100.0, 1: 100.0, 2: 1000.0})


def test_counts_are_levelled_only_as_far_as_disks_allow() -> None:
    """Broker 1 holds 70 of 100: at 85 % one of 15 still fits, and none of 40."""
    brokers = Brokers.of([0, 1], disk_bytes={0: 200.0, 1: 100.0})
    cluster = cluster_of([[0], [0], [0], [1]], [40, 40, 15, 70], brokers)
    request = Request(max_fill=("disk:85",))
    plan = make_plan(cluster, request)
    assert moved(plan) == {2: [1]}
    assert bytes_on(plan) == [80, 85]
    check(plan, request)


def test_a_broker_above_it_is_mended_first() -> None:
    """Broker 0 is full to 95 %: 10 go, though counts are level as they are."""
    cluster = cluster_of([[0], [0], [1], [1], [2], [2]], [85, 10, 60, 20, 5, 5], SMALL)
    request = Request(max_fill=("disk:85",), balance=("count:50:50",))
    plan = make_plan(cluster, request)
    assert moved(plan) == {1: [2]}
    assert values(plan)["fill-disk"] == 0
    assert plan.why[1] == "broker 0 is fuller than --max-fill allows"
    check(plan, request)


def test_where_no_data_moves_nothing_is_filled() -> None:
    """Broker 0 is above the limit and stays so; leaders alone change."""
    cluster = cluster_of([[0, 1], [0, 1], [0, 1]], [60, 30, 5], SMALL)
    plan = make_plan(cluster, Request(max_fill=("disk:85",), leaders_only=True))
    assert sorted(plan.target[:, 0].tolist()) == [0, 0, 1]
    assert np.array_equal(np.sort(plan.target), np.sort(plan.cluster.replicas))


def test_a_drain_that_does_not_fit_is_impossible() -> None:
    """What broker 2 has fits nowhere within 85 %."""
    cluster = cluster_of([[0], [1], [2]], [60, 60, 50], SMALL)
    with pytest.raises(ImpossibleRequest, match="stays within --max-fill"):
        make_plan(cluster, Request(max_fill=("disk:85",), drain=(2,)))


def test_the_judge_finds_a_broker_that_is_filled_too_much() -> None:
    """The same lists pass without the rule."""
    cluster = cluster_of([[0], [1]], [60, 60], SMALL)
    target = np.array([[0], [0]], dtype=np.int32)
    broken = judge.check_assignment(cluster, target, judge.rules_of(cluster, {"max_fill": ["disk:85"]}))
    assert [(violation.rule, violation.broker) for violation in broken] == [("max-fill", 0)]
    assert "ends above 85 % of its disk" in broken[0].detail
    assert not judge.check_assignment(cluster, target, judge.rules_of(cluster, {}))


def test_no_wave_fills_a_broker_more() -> None:
    """Broker 1 of 100 gives 60 away while 30 come: at 85 % they come a wave later, at 95 % at once."""
    brokers = Brokers.of([0, 1, 2], disk_bytes={0: 1000.0, 1: 100.0, 2: 1000.0})
    cluster = cluster_of([[0], [1]], [30, 60], brokers)
    plan = replace(make_plan(cluster), target=np.array([[1], [2]], dtype=np.int32))
    assert [len(wave) for wave in schedule(plan, max_inflight=10).waves] == [2]
    bound = replace(plan, request={"max_fill": ["disk:85"]})
    assert [wave.tolist() for wave in schedule(bound, max_inflight=10).waves] == [[1], [0]]


def rated(lists: list[list[int]], sent: list[float], capacity: float, **more: list[float]) -> Cluster:
    """Brokers 0, 1 and 2 that can send so much each, and what consumers read of partitions."""
    can = dict.fromkeys((0, 1, 2), capacity)
    brokers = Brokers.of([0, 1, 2], bytes_out_per_s=can, bytes_in_per_s=can, cpu_percent=can)
    return replace(
        cluster_of(lists, [5.0] * len(lists), brokers),
        bytes_out_per_s=np.array(sent),
        **{"bytes_in_per_s": np.zeros(len(lists)), **{name: np.array(each) for name, each in more.items()}},
    )


def test_leaders_are_levelled_only_as_far_as_networks_allow() -> None:
    """Broker 1 sends 60 of 100: it comes to lead what sends 10, and nothing that sends 40."""
    cluster = rated([[0, 1], [0, 1], [0, 1], [1, 0]], [40, 40, 10, 60], 200.0)
    small = replace(cluster.brokers, bytes_out_per_s=np.array([200.0, 100.0, 100.0]))
    request = Request(max_fill=("network-out:70",), leaders_only=True)
    plan = make_plan(replace(cluster, brokers=small), replace(request, no_leaders_on=(2,)))
    assert plan.target[:, 0].tolist() == [0, 0, 1, 1] and values(plan)["leaders"] == 0
    check(plan, replace(request, no_leaders_on=(2,)))


def test_a_broker_with_too_much_cpu_gives_leaders_away_first() -> None:
    """Broker 0 spends 90 of 100 on what it leads; one of 30 goes, though leaders are level as they are."""
    cluster = rated([[0, 1], [0, 1], [1, 2], [2, 0]], [0] * 4, 100.0, cpu_percent=[60.0, 30.0, 20.0, 10.0])
    request = Request(max_fill=("cpu:70",), balance=("count:90:90",))
    plan = make_plan(cluster, request)
    assert values(plan)["fill-cpu"] == 0 and plan.target[1, 0] != 0
    check(plan, request)


def test_what_is_sent_counts_what_followers_fetch() -> None:
    """1 MB/s with three replicas is 2 MB/s for the followers, and nobody may lead it below that."""
    cluster = rated([[0, 1, 2]], [0.0], 3e6, bytes_in_per_s=[1e6])
    asked = Request(max_fill=("network-out:99",), no_leaders_on=(0,))
    slow = replace(cluster.brokers, bytes_out_per_s=np.array([3e6, 1e6, 1e6]))
    with pytest.raises(ImpossibleRequest, match="stays within --max-fill"):
        make_plan(replace(cluster, brokers=slow), asked)
    assert make_plan(cluster, asked).target[0, 0] != 0


def test_the_judge_finds_a_broker_that_leads_too_much() -> None:
    """Where it comes to lead something; what it led before it may go on with."""
    cluster = rated([[0, 1], [1, 0]], [60.0, 60.0], 100.0)
    rules = judge.rules_of(cluster, {"max_fill": ["network-out:85"]})
    broken = judge.check_assignment(cluster, np.array([[0, 1], [0, 1]], dtype=np.int32), rules)
    assert [violation.detail for violation in broken] == [
        "broker 0 comes to lead and ends above 85 % of its network-out"
    ]
    full = rated([[0, 1], [0, 1]], [60.0, 60.0], 100.0)
    assert not judge.check_assignment(full, full.replicas, rules)


def test_no_wave_brings_a_broker_more_than_it_may_take_in() -> None:
    """Broker 1 takes in 60 that go while 30 come: at 85 % of 100 they come a wave later."""
    cluster = rated([[0], [1]], [0.0, 0.0], 100.0, bytes_in_per_s=[30.0, 60.0])
    moving = replace(make_plan(cluster), target=np.array([[1], [2]], dtype=np.int32))
    assert [len(wave) for wave in schedule(moving, max_inflight=10).waves] == [2]
    bound = replace(moving, request={"max_fill": ["network-in:85"]})
    assert [wave.tolist() for wave in schedule(bound, max_inflight=10).waves] == [[1], [0]]


def test_no_wave_lets_a_broker_lead_more_than_it_may_send() -> None:
    """Orders change who leads, and copy nothing: broker 1 gives away what sends 60 before it gets 30."""
    cluster = rated([[0, 1], [1, 2]], [30.0, 60.0], 100.0)
    moving = replace(make_plan(cluster), target=np.array([[1, 0], [2, 1]], dtype=np.int32))
    bound = replace(moving, request={"max_fill": ["network-out:85"]})
    assert [wave.tolist() for wave in schedule(bound, max_inflight=10).waves] == [[1], [0]]


@pytest.mark.parametrize(
    ("sizes", "brokers", "words"),
    [
        ([5.0, 5.0], Brokers.of([0, 1]), "the disk capacity of 2 brokers is not known"),
        ([5.0, np.nan], Brokers.of([0, 1], disk_bytes={0: 9.0, 1: 9.0}), "bear is not known"),
    ],
)
def test_what_is_not_known_is_asked_for(sizes: list[float], brokers: Brokers, words: str) -> None:
    with pytest.raises(UnusableInput, match=words):
        make_plan(cluster_of([[0], [1]], sizes, brokers), Request(max_fill=("disk:85",)))
