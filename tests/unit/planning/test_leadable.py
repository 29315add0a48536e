"""No partition is left on brokers that may all lead nothing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pytest

from equipoise.cluster import Brokers, Cluster, build_cluster
from equipoise.planning import Request, build_problem, make_plan
from equipoise.planning.flow.network import Infeasible
from equipoise.planning.networks.leadable import with_leaders

RACKS = {1: "a", 2: "a", 3: "a", 4: "b", 5: "b", 6: "b"}


def cluster_of(lists: Sequence[Sequence[int]], racks: Mapping[int, str | None] = RACKS) -> Cluster:
    """One topic with a partition for each list, of 10 MB each."""
    n = len(lists)
    return build_cluster(
        "led", Brokers.of(list(racks), racks), ["t"] * n, range(n), lists, size_bytes=[1e7] * n
    )


def mended(held: Sequence[int], placed: Sequence[int], request: Request) -> list[int]:
    """The list of the one partition that was ``held`` before and would be ``placed``."""
    problem = build_problem(cluster_of([held]), request)
    at = problem.cluster.brokers.index_of([placed])
    return problem.cluster.ids_of(with_leaders(problem, at))[0].tolist()


def test_one_replica_is_exchanged_within_its_rack() -> None:
    """Brokers 1 and 4 lead nothing: one of them makes room, for the neighbour that holds least."""
    assert mended([1, 4], [1, 4], Request(no_leaders_on=(1, 4))) in ([2, 4], [1, 5])


def test_what_may_be_led_is_left_alone() -> None:
    """A follower that may lead is enough."""
    assert mended([1, 5], [1, 5], Request(no_leaders_on=(1, 4))) == [1, 5]


def test_a_move_is_taken_back_rather_than_another_made() -> None:
    """2 was to give way to 1; where 1 and 4 lead nothing, that it stays costs no move."""
    assert mended([2, 4], [1, 4], Request(no_leaders_on=(1, 4))) == [2, 4]


def test_all_rules_are_kept() -> None:
    """4 took the replica over from 6, so 1 gives way; in its own rack, to what is not cordoned."""
    request = Request(no_leaders_on=(1, 4), replace=((6, 4),), cordon=(2,), stay_in_rack=True)
    assert mended([1, 6], [1, 4], request) == [3, 4]


@pytest.mark.parametrize(
    "request_",
    [
        Request(no_leaders_on=(1, 2, 3, 4), stay_in_rack=True, cordon=(5, 6)),
        Request(no_leaders_on=(1, 4), max_changes_per_partition=0),
    ],
)
def test_where_no_exchange_keeps_the_rules(request_: Request) -> None:
    """Nothing can be led where all that may lead can receive nothing."""
    with pytest.raises(Infeasible):
        mended([1, 4], [1, 4], request_)


def test_what_is_created_has_nothing_that_could_change() -> None:
    """Though no partition may change, one that is still to be created comes to stand where it may be led."""
    request = Request(create=(("new", 1, 2),), no_leaders_on=(1, 2), max_changes_per_partition=0)
    problem = build_problem(cluster_of([[3, 4]]), request)
    assert problem.cluster.label(0) == "new-0"
    lists = problem.cluster.brokers.index_of([1, 2, 3, 4]).reshape(2, 2)
    new, old = problem.cluster.ids_of(with_leaders(problem, lists)).tolist()
    assert old == [3, 4] and set(new) - {1, 2}


@pytest.mark.parametrize("balance", [("count",), ("disk",)])
def test_every_plan_can_be_led(balance: tuple[str, ...]) -> None:
    """Two brokers that held everything lead nothing any more: each partition gets one that may."""
    request = Request(no_leaders_on=(1, 2), balance=balance, goals=("moves", "replicas"))
    plan = make_plan(cluster_of([[1, 2], [2, 1], [1, 2]], dict.fromkeys(range(1, 5))), request)
    assert (plan.cluster.ids_of(plan.target[:, 0]) > 2).all()
    assert {level.goal: level.value for level in plan.certificate if level.goal == "moves"} == {"moves": 3}
