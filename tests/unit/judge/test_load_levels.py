"""What must stay outside the bands of a load as the judge counts it, and what it says where it cannot."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from equipoise import judge
from equipoise.cluster import Brokers, Cluster, Plan, build_cluster
from equipoise.files.plan_audit import proved_again
from equipoise.judge.certificate import verify
from equipoise.judge.goals.registry import goal_of
from equipoise.judge.load_costs import cost_of_bands
from equipoise.judge.loads import cheapest, load_of, prices_bound, rack_part
from equipoise.judge.rates import inward
from equipoise.planning import Params, Request, make_plan

SEARCH = Params(load_cells=0)
"""No program decides the small ones."""


def cluster_of(lists: Sequence[Sequence[int]], size: Sequence[float], racks: str = "") -> Cluster:
    """One topic; broker k is in the rack that the k-th letter names."""
    brokers = Brokers.of(range(max(map(max, lists)) + 1), dict(enumerate(racks)) or None)
    return build_cluster("levels", brokers, ["t"] * len(lists), range(len(lists)), lists, size_bytes=size)


def counted(plan: Plan, goal: str) -> tuple[int, int | None, bool]:
    """Value, bound as counted by the judge, and whether that is what the plan claims."""
    rules = judge.rules_of(plan.cluster, plan.request)
    found = verify(judge.Case(plan.cluster, plan.target, rules, plan.eligible), plan.certificate, plan.proofs)
    finding = next(each for each in found if each.goal == goal)
    assert finding.problem == ""
    return int(finding.value or 0), finding.bound, finding.proved


def test_what_one_rack_cannot_give_away_is_counted() -> None:
    """Rack a is one broker: it has a replica of each partition, twice what each of the others has."""
    plan = make_plan(
        cluster_of([[0, 1], [0, 2]] * 4, [30] * 8, "abb"), Request(balance=("disk:0:0",)), SEARCH
    )
    assert counted(plan, "disk") == (160, 160, True)


def test_what_may_not_move_is_counted() -> None:
    """Broker 0 holds 80 of 100 bytes of topics that may not change."""
    cluster = build_cluster(
        "c",
        Brokers.of([0, 1]),
        ["still", "free", "free"],
        [0, 0, 1],
        [[0], [0], [1]],
        size_bytes=[80, 10, 10],
    )
    plan = make_plan(cluster, Request(balance=("disk:0:0",), topics="free"), SEARCH)
    assert counted(plan, "disk") == (60, 60, True)


def test_what_stays_outside_in_any_plan_is_no_reason_to_copy_less() -> None:
    """Broker 0 keeps 60 of 130 bytes that may not move; the 40 beside them have to leave all the same."""
    cluster = build_cluster(
        "c", Brokers.of([0, 1, 2]), ["still", "free", "free"], [0, 0, 1], [[0], [2], [0]],
        size_bytes=[60, 30, 40],
    )  # fmt: skip
    plan = make_plan(cluster, Request(balance=("disk:0:0",), topics="free"), SEARCH)
    assert counted(plan, "bytes") == (40, 40, True)


def test_bytes_of_loads_that_weigh_alike_are_counted_to_the_last() -> None:
    """Two of six that bear the same have to leave broker 0: the two smallest, of terabytes."""
    sizes = [2**43 + 7 * k for k in range(5)] + [2**40]
    cluster = build_cluster(
        "c", Brokers.of([0, 1]), ["t"] * 6, range(6), [[0]] * 5 + [[1]], size_bytes=sizes,
        bytes_in_per_s=[10] * 6, bytes_out_per_s=[0] * 6,
    )  # fmt: skip
    plan = make_plan(cluster, Request(balance=("network-in:0:0",)), SEARCH)
    least = sum(sizes[:2])
    assert counted(plan, "bytes") == (least, least, True)
    case = judge.Case(cluster, plan.target, judge.rules_of(cluster, plan.request), plan.eligible)
    assert cost_of_bands(case, load_of(case, "network-in"), np.array(sizes)) == least


def test_what_a_budget_does_not_pay_for_is_counted() -> None:
    """Of 40 bytes that are to leave one move may take 20: 20 are left on each side, less one for rounding."""
    plan = make_plan(
        cluster_of([[0], [0], [0], [0], [1]], [20, 20, 20, 20, 0]),
        Request(balance=("disk:0:0",), max_moves=1),
        SEARCH,
    )
    assert counted(plan, "disk") == (40, 38, True)


def test_leaders_that_cannot_be_led_elsewhere_are_counted() -> None:
    """Broker 0 alone may lead what may not change."""
    cluster = build_cluster(
        "c", Brokers.of([0, 1]), ["still"] * 3 + ["free"], [0, 1, 2, 0], [[0], [0], [0], [0, 1]],
        size_bytes=[1] * 4, bytes_in_per_s=[9] * 4, bytes_out_per_s=[9, 9, 9, 0],
    )  # fmt: skip
    plan = make_plan(cluster, Request(balance=("network-out:0:0",), topics="free"), SEARCH)
    assert counted(plan, "network-out") == (18, 18, True)


def test_what_a_band_costs_is_counted() -> None:
    """50 and 10 bytes are to be 30 each: 20 bytes have to leave, which are two moves of 10."""
    plan = make_plan(cluster_of([[0]] * 5 + [[1]], [10] * 6), Request(balance=("disk:0:0",)), SEARCH)
    assert counted(plan, "bytes") == (20, 20, True)
    assert counted(plan, "moves") == (2, 2, True)


def test_what_the_rules_alone_copy_is_counted() -> None:
    """Broker 0 is drained: its replica of 40 bytes goes, however level brokers 1 and 2 would be without."""
    plan = make_plan(
        cluster_of([[0], [1], [2]], [40, 10, 50]), Request(balance=("disk:0:0",), drain=(0,)), SEARCH
    )
    assert counted(plan, "bytes") == (40, 40, True)


def test_what_is_created_is_copied_from_nowhere() -> None:
    """Broker 1 has nothing and is to have two of four replicas: the two that are new are enough."""
    cluster = build_cluster("c", Brokers.of([0, 1]), ["t"] * 2, [0, 1], [[0]] * 2, size_bytes=[1, 1])
    asked = Request(balance=("count:0:0", "disk:100:100"), create=(("new", 2, 1),))
    plan = make_plan(cluster, asked, SEARCH)
    case = judge.Case(plan.cluster, plan.target, judge.rules_of(plan.cluster, plan.request), plan.eligible)
    assert goal_of("replicas").value(case) == 0
    assert goal_of("moves").beside_loads(case, ["replicas"]) == 0


def test_what_is_above_its_limit_of_capacity_is_counted() -> None:
    """Broker 0 has 80 of 100 bytes, broker 1 none; at 50 % a replica of 30 is to leave, or two of 20."""
    brokers = Brokers.of([0, 1], disk_bytes={0: 100.0, 1: 100.0})
    cluster = build_cluster(
        "levels", brokers, ["t"] * 4, range(4), [[0]] * 4, size_bytes=[30, 20, 20, 10]
    )  # fmt: skip
    plan = make_plan(cluster, Request(max_fill=("disk:50",), balance=("disk:80:80",)), SEARCH)
    assert counted(plan, "fill-disk") == (0, None, True)
    assert counted(plan, "bytes") == (30, 30, True)


def test_what_no_broker_has_room_for_is_counted() -> None:
    """Two brokers may hold 50 bytes each, and 120 are there."""
    brokers = Brokers.of([0, 1], disk_bytes={0: 100.0, 1: 100.0})
    cluster = build_cluster("levels", brokers, ["t"] * 2, range(2), [[0], [1]], size_bytes=[60, 60])
    plan = make_plan(cluster, Request(max_fill=("disk:50",), balance=("disk:80:80",)), SEARCH)
    assert counted(plan, "fill-disk") == (20, 20, True)


def test_an_election_that_a_level_of_leaders_forces_is_counted() -> None:
    """Broker 0 sends all of 18 bytes a second: 9 are for broker 1, and no partition is smaller than 9."""
    cluster = build_cluster(
        "c", Brokers.of([0, 1]), ["t"] * 2, [0, 1], [[0, 1]] * 2,
        size_bytes=[1] * 2, bytes_in_per_s=[0] * 2, bytes_out_per_s=[9] * 2,
    )  # fmt: skip
    plan = make_plan(cluster, Request(balance=("network-out:0:0",)), SEARCH)
    assert counted(plan, "elections") == (1, 1, True)


def test_a_bound_above_what_is_counted_is_not_proved() -> None:
    """Of 50 bytes 14 have to leave a broker for its band of at most 36; that it takes 20, nobody counts."""
    plan = make_plan(cluster_of([[0], [0], [1]], [30, 20, 10]), Request(balance=("disk:20:20",)), SEARCH)
    for claimed, found in ((14, (20, 14, True)), (15, (20, None, False))):
        levels = [
            replace(level, lower_bound=claimed, proof="closed-form") if level.goal == "bytes" else level
            for level in plan.certificate
        ]
        assert counted(replace(plan, certificate=tuple(levels)), "bytes") == found


@pytest.mark.parametrize(("scale", "price", "bound"), [(3, 1, 1), (3, 3, 0), (0, 100, 0), (0, -100, 0)])
def test_a_price_of_bytes_proves_moves(scale: int, price: int, bound: int) -> None:
    """Broker 0 holds 30 of 40 bytes: at 1/8 a byte three replicas pay 1 each to leave, and 20 bytes may stay,
    which leaves 3 - 20/8. Prices too high or below 0 prove nothing, which is a bound of 0."""
    cluster = cluster_of([[0], [0], [0], [1]], [10] * 4)
    rules = judge.rules_of(cluster, {"balance": ["disk:0:0"]})
    case = judge.Case(cluster, cluster.replicas, rules, np.ones(2, dtype=bool))
    moves = np.ones(4, dtype=np.int64)
    assert prices_bound(case, moves, {"disk": 0}, np.array([[scale, price, 0]])) == bound


def test_a_price_of_a_part_of_a_unit_proves_no_more_than_there_is() -> None:
    """All may stay on broker 1: half a unit for each byte on broker 0 is no reason to move one."""
    cluster = cluster_of([[1]] * 4, [10] * 4)
    rules = judge.rules_of(cluster, {"balance": ["disk:100:100"]})
    case = judge.Case(cluster, cluster.replicas, rules, np.ones(2, dtype=bool))
    moves = np.ones(4, dtype=np.int64)
    assert prices_bound(case, moves, {"disk": 0}, np.array([[1, -1, 0]])) == 0
    assert cheapest(case, np.arange(4), np.array([[-5.0, 0.0]] * 4), moves).tolist() == [-4] * 4


def test_retention_of_a_second_tells_a_rate() -> None:
    """What is deleted after a second came within one; what no age deletes tells nothing."""
    cluster = replace(
        cluster_of([[0], [0], [0]], [10] * 3), retention_s=np.array([1.0, 2.0, np.inf]),
        retention_bytes=np.full(3, np.inf),
    )  # fmt: skip
    assert np.array_equal(inward(cluster), [10, 5, np.nan], equal_nan=True)


def test_what_a_program_decides_is_proved_by_cases() -> None:
    """110 bytes are 55 for each of two brokers, and 30, 30, 30 and 20 come no nearer than 60 and 50."""
    plan = make_plan(cluster_of([[0], [0], [0], [1]], [30, 30, 30, 20]), Request(balance=("disk:0:0",)))
    assert {level.goal: level.proof for level in plan.certificate}["disk"] == "branch-and-bound"
    assert counted(plan, "disk") == (10, 10, True)
    verdict = proved_again(plan)
    assert verdict.passed and verdict.notes == ()


def test_what_is_beyond_the_effort_is_no_bound() -> None:
    """A search says that nothing is below 10, and no tree of cases shows it: so it is told, not claimed."""
    plan = make_plan(
        cluster_of([[0], [0], [0], [1]], [30, 30, 30, 20]),
        Request(balance=("disk:0:0",)),
        Params(load_tree_work=0),
    )
    level = next(level for level in plan.certificate if level.goal == "disk")
    assert (level.value, level.lower_bound, level.proof) == (10, 0, "none")
    assert level.note == "a search that cannot be checked says 10"


def test_a_rack_of_one_broker_has_all_of_its_capacity() -> None:
    """Rack a is broker 0 alone, which may hold 100 bytes; brokers 1 and 2 of rack b may hold 30 each."""
    brokers = Brokers.of([0, 1, 2], {0: "a", 1: "b", 2: "b"})
    cluster = build_cluster("racks", brokers, ["t"], [0], [[0, 1]], size_bytes=[10])
    rules = judge.rules_of(cluster, {"rack_capacity": [["a", 100], ["b", 61]]})
    part = rack_part(judge.Case(cluster, cluster.replicas, rules, np.ones(3, dtype=bool)))
    assert part.high.tolist() == [100, 30, 30] and part.banded.all()
