"""Several bands at once: what is asked of each load holds for all of them together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import pytest
from tests.unit.planning.test_loads import check, cluster_of, large, moved, values

from equipoise import judge
from equipoise.cluster import Brokers, Cluster, Level
from equipoise.judge.certificate import verify
from equipoise.planning import Params, Request, build_problem, make_plan
from equipoise.planning.loads.together import in_bands
from equipoise.planning.loads.weights import copy_cost, loads_of

MIX = ("count:10:10", "leaders:10:10", "disk:10:10", "network-in:10:10", "network-out:10:10")


def test_a_mix_moves_a_small_replica_where_counts_alone_would_move_any() -> None:
    """Broker 0 has 3 of 4 replicas, and as many bytes as broker 1: one goes, the smallest, for few bytes."""
    cluster = cluster_of([[0], [0], [0], [1]], [60, 38, 2, 100])
    plan = make_plan(cluster, Request(balance=("count:0:0", "disk:5:5")))
    assert moved(plan) == {2: [1]}
    assert values(plan)["replicas"] == values(plan)["disk"] == 0
    assert plan.why[2] == (
        "broker 0 has 50 % more replicas than its share; broker 1 has 50 % fewer replicas than its share"
    )


@pytest.mark.parametrize(("limit", "least"), [("load_rounds", 0), ("load_patience", -1)])
def test_the_search_keeps_to_the_limits_that_it_is_given(limit: str, least: int) -> None:
    """Without a round nothing moves; with those of the default the band is kept."""
    cluster = cluster_of([[0], [0], [0], [1]], [60, 38, 2, 100])
    problem = build_problem(cluster, Request(balance=("count:0:0",)))
    (load,) = loads = loads_of(problem)
    limited = replace(problem, params=Params(**{limit: least}))
    assert load.value(in_bands(problem, loads, copy_cost(problem), problem.current)) == 0
    still = in_bands(limited, loads, copy_cost(limited), limited.current)
    np.testing.assert_array_equal(still, problem.current)


def test_leaders_are_levelled_by_orders_which_copy_nothing() -> None:
    """Broker 0 leads all that both hold: half of it is handed on, and no replica moves."""
    cluster = cluster_of([[0, 1]] * 4, [10] * 4)
    plan = make_plan(cluster, Request(balance=("leaders:0:0", "disk")))
    assert values(plan) == {"racks": 0, "leaders": 0, "disk": 0, "bytes": 0, "moves": 0, "elections": 2}


def test_where_orders_do_not_do_a_replica_moves_with_its_lead() -> None:
    """Broker 0 leads the only replicas that there are: one has to go, the smaller of the two."""
    plan = make_plan(cluster_of([[0], [0], [1, 2]], [7, 5, 1]), Request(balance=("leaders:0:50",)))
    assert moved(plan) == {1: [2, -1]}
    assert values(plan)["leaders"] == 0


@pytest.mark.slow
def test_the_first_of_the_mix_comes_first() -> None:
    """One replica of 90 and four of 1 on two brokers: counts can be level, or else disks as far as can be.

    One band keeps out the other, and the one that is named first is kept.
    """
    cluster = cluster_of([[0], [0], [0], [1], [1]], [90, 1, 1, 1, 1])
    counts = make_plan(cluster, Request(balance=("count:0:0", "disk:5:5")))
    assert values(counts)["replicas"] == 0
    disks = make_plan(cluster, Request(balance=("disk:5:5", "count:0:0")))
    assert values(disks)["disk"] < values(counts)["disk"]


def with_a_hot_partition(seed: int) -> Cluster:
    """Some tens of partitions in three racks, one of which carries twice what all others do together."""
    draw = np.random.default_rng(seed)
    n = int(draw.integers(40, 70))
    lists = draw.integers(0, 2, (n, 3)) * 3 + draw.permuted(np.tile(range(3), (n, 1)), axis=1)
    size = np.rint(draw.lognormal(np.log(1e9), 1.0, n))
    rate = np.rint(size / 1e4 * draw.lognormal(0, 0.5, n))
    rate[0] = 2 * rate.sum()
    racks = Brokers.of(range(6), {b: "abc"[b % 3] for b in range(6)})
    return cluster_of(lists.tolist(), size, racks, bytes_in_per_s=rate, bytes_out_per_s=rate)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_a_band_out_of_reach_does_not_cost_those_before_it(seed: int) -> None:
    """The first bands are as near as without the last, which comes nearer where they let it."""
    cluster, params = with_a_hot_partition(seed), Params(load_cells=0)
    mix = ("count:10:10", "disk:10:10", "network-in:10:10")
    plan, two = (make_plan(cluster, Request(balance=mix[:k]), params) for k in (3, 2))
    count, disk, hot = loads_of(build_problem(cluster, Request(balance=mix)))
    reached, alone = ([load.value(some.target) for load in (count, disk)] for some in (plan, two))
    assert reached <= alone
    assert 0 < hot.value(plan.target) <= hot.value(two.target)
    assert make_plan(replace(cluster, replicas=plan.target), Request(balance=mix), params).is_empty


def test_all_is_every_load_that_is_known() -> None:
    """Sizes alone: counts, leaders and disks. With rates: both networks, too."""
    cluster = cluster_of([[0], [1]], [5, 5])
    everything = Request(balance=("all",))
    known = ("count:10:10", "leaders:10:10", "disk:10:10")
    assert build_problem(cluster, everything).request.balance == known
    rates = replace(cluster, bytes_in_per_s=np.array([1, 1]), bytes_out_per_s=np.array([1, 1]))
    assert build_problem(rates, everything).request.balance == MIX
    assert build_problem(cluster_of([[0]], [np.nan]), everything).request.mix == ("count", "leaders")


def test_one_side_is_both() -> None:
    """A request made in Python may say ``disk:10`` as the command line does."""
    assert Request(balance=("disk:10",)).sides("disk") == Request(balance=("disk:10:10",)).sides("disk")


def test_each_load_has_its_own_tolerance_or_else_the_common_one() -> None:
    """Two sides of its own, or those of ``--tolerance``, or 5 %."""
    cluster = cluster_of([[0], [1]], [100, 100])
    request = Request(balance=("count", "disk:10:20"))
    bands = [(load.low.tolist(), load.high.tolist()) for load in loads_of(build_problem(cluster, request))]
    assert bands == [([0, 0], [2, 2]), ([90, 90], [120, 120])]
    wide = replace(request, tolerance=(50.0, 100.0), balance=("disk",))
    assert [load.high.tolist() for load in loads_of(build_problem(cluster, wide))] == [[200, 200]]


@pytest.mark.slow
@pytest.mark.parametrize("n_racks", [1, 4])
def test_a_large_cluster_is_in_every_band_for_little_more_than_one_of_them_forces(n_racks: int) -> None:
    """Counts, leaders, disks and networks; a second run is empty."""
    request = Request(balance=MIX)
    plan = make_plan(large(5, n_racks), request)
    reached = values(plan)
    assert [reached[goal] for goal in ("replicas", "leaders", "disk", "network-in", "network-out")] == [0] * 5
    bounds = {level.goal: level.lower_bound or 0 for level in plan.certificate}
    assert reached["bytes"] <= 1.08 * bounds["bytes"]
    assert reached["moves"] <= 1.3 * bounds["moves"]
    check(plan, request)


@pytest.mark.slow
def test_the_judge_proves_bytes_and_moves_again_from_prices() -> None:
    """A bound that is one higher, or other prices, do not pass; nor does another value of a load."""
    plan = make_plan(large(6), Request(balance=("count:10:10", "disk:10:10")))
    proofs = {level.goal: str(level.proof) for level in plan.certificate}
    assert proofs["bytes"] == proofs["moves"] == "linear-program"
    case = judge.Case(plan.cluster, plan.target, judge.rules_of(plan.cluster, plan.request), plan.eligible)
    assert not complaints(case, plan.certificate, plan.proofs)
    raised = tuple(replace(level, lower_bound=(level.lower_bound or 0) + 1) for level in plan.certificate)
    found = complaints(case, raised, plan.proofs)
    assert {"bytes", "moves"} <= found.keys()
    dearer = {name: array * 2 if name.endswith("potential") else array for name, array in plan.proofs.items()}
    assert {"bytes", "moves"} <= complaints(case, plan.certificate, dearer).keys()
    wrong = tuple(replace(level, value=(level.value or 0) + 1) for level in plan.certificate)
    assert "disk" in complaints(case, wrong, plan.proofs)


def complaints(case: judge.Case, levels: Sequence[Level], proofs: Mapping[str, np.ndarray]) -> dict[str, str]:
    """What the judge finds wrong, by goal."""
    return {finding.goal: finding.problem for finding in verify(case, levels, proofs) if finding.problem}
