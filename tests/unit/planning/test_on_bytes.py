"""`--max-bytes` on clusters too large for the 0-1 program: light partitions move, heavy ones stay.

A linear program of placements and leaders has the budget as a condition; beyond that a search has it alone.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from tests.reference.exact import optimum
from tests.scenarios.checks import check_judged
from tests.scenarios.strategies import case
from tests.seeds import seeds
from tests.unit.planning.test_joint import LARGE
from tests.unit.planning.test_joint_budgets import judged

from equipoise.cluster import Brokers, Cluster, Plan, build_cluster, measures
from equipoise.errors import ImpossibleRequest, UnusableInput
from equipoise.planning import Params, Request, build_problem, make_plan

LIGHT, HEAVY = 1e9, 100e9
BEYOND = replace(LARGE, face_columns=0)
"""As on clusters that are too large for the linear program as well."""
by_program_or_search = pytest.mark.parametrize("params", [LARGE, BEYOND], ids=["program", "search"])


def in_one_rack(sizes: list[float]) -> Cluster:
    """Partitions of two replicas, both in rack a; rack b is empty."""
    brokers = Brokers.of(range(4), {0: "a", 1: "a", 2: "b", 3: "b"})
    n = len(sizes)
    return build_cluster("c", brokers, ["t"] * n, range(n), [[0, 1]] * n, size_bytes=sizes)


def bytes_moved(plan: Plan) -> float:
    """What is created has no size, and is not moved."""
    moves = measures.arrivals_by_row(plan.cluster.replicas, plan.target)
    return float(moves @ np.nan_to_num(plan.cluster.size_bytes))


def reached(plan: Plan) -> dict[str, float]:
    return {level.goal: level.value or 0 for level in plan.certificate}


@by_program_or_search
def test_the_rack_rule_is_mended_where_that_costs_least(params: Params) -> None:
    """Thirty of sixty partitions are light: for the bytes of thirty of those not one heavy one could move."""
    cluster = in_one_rack([HEAVY, LIGHT] * 30)
    plan = make_plan(cluster, Request(max_bytes=int(30 * LIGHT)), params)
    moved = measures.arrivals_by_row(cluster.replicas, plan.target)
    assert moved[1::2].tolist() == [1] * 30 and not moved[::2].any()
    assert reached(plan)["racks"] == 30
    check_judged(plan)


@by_program_or_search
def test_what_is_level_with_light_partitions_moves_no_heavy_ones(params: Params) -> None:
    """A new broker is given what it is to hold, in a tenth of the bytes of as many of any size."""
    draw = np.random.default_rng(1)
    lists = [draw.choice(5, 2, replace=False).tolist() for _ in range(90)]
    names, numbers = [f"t{k // 9}" for k in range(90)], [k % 9 for k in range(90)]
    sizes = draw.choice([LIGHT, HEAVY], 90)
    cluster = build_cluster("c", Brokers.of(range(5)), names, numbers, lists, size_bytes=sizes)
    plan = make_plan(cluster, Request(add=((5, None),), max_bytes=int(60 * LIGHT)), params)
    assert reached(plan)["replicas"] == 0 and bytes_moved(plan) <= 60 * LIGHT
    check_judged(plan)


@by_program_or_search
@pytest.mark.parametrize("carried", [0, 1, 7])
def test_of_partitions_of_one_size_as_many_move_as_are_carried(carried: int, params: Params) -> None:
    """No size tells them apart, so their number does."""
    cluster = in_one_rack([HEAVY] * 40)
    plan = make_plan(cluster, Request(max_bytes=int((carried + 0.5) * HEAVY)), params)
    assert bytes_moved(plan) == carried * HEAVY and reached(plan)["racks"] == 40 - carried
    check_judged(plan)


@by_program_or_search
def test_what_has_a_plan_is_not_refused(params: Params) -> None:
    """Some numbers of moves come to nothing on the way to what the bytes carry."""
    draw = np.random.default_rng(56)
    lists = [draw.choice(4, 2, replace=False).tolist() for _ in range(30)]
    brokers = Brokers.of(range(5), {broker: "ab"[broker % 2] for broker in range(5)})
    names, numbers = [f"t{k // 5}" for k in range(30)], [k % 5 for k in range(30)]
    cluster = build_cluster("c", brokers, names, numbers, lists, size_bytes=[5e8] * 30)
    plan = make_plan(cluster, Request(max_bytes=4 * 10**9), params)
    assert 0 < bytes_moved(plan) <= 4e9


def test_bounds_know_the_budget() -> None:
    """Twelve light partitions are what it carries, so 48 of 60 break the rack rule in any plan.

    With more bytes allowed, or any number, the same prices prove less.
    """
    plan = make_plan(in_one_rack([HEAVY, LIGHT] * 30), Request(max_bytes=int(12.5 * LIGHT)), LARGE)
    level = plan.certificate[0]
    assert (level.goal, level.value, level.lower_bound) == ("racks", 48, 48)
    for other in (int(20 * LIGHT), None):
        richer = replace(plan, request={**plan.request, "max_bytes": other})
        assert any(finding.problem for finding in judged(richer, plan.proofs)), other


@pytest.mark.slow
@pytest.mark.parametrize("theme", ["one", "rules", "several", "replaced"])
def test_no_bound_is_above_what_a_budget_of_bytes_allows(theme: str) -> None:
    """Small clusters planned as if they were large: the budget is kept, and the first goals are near the best
    that any plan within it has."""
    first_is_best, seen = 0, 0
    for seed in seeds(20):
        drawn = case(theme, seed)
        sizes = np.random.default_rng(seed).integers(1, 40, drawn.cluster().n_partitions) * 1e6
        cluster = replace(drawn.cluster(), size_bytes=sizes)
        request = replace(drawn.request, max_bytes=int(sizes.sum() / 4), required_only=False)
        try:
            problem = build_problem(cluster, request)
            plan = make_plan(cluster, request, BEYOND if seed % 2 else LARGE)
        except (UnusableInput, ImpossibleRequest):
            continue
        check_judged(plan)
        best = optimum(problem)
        assert best is not None and bytes_moved(plan) <= sizes.sum() / 4
        for level in plan.certificate:
            if level.proof not in ("unknown", "given-placement"):
                assert level.lower_bound <= best.values[level.goal], (seed, level)
            if level.value != best.values[level.goal]:
                break
        first = plan.certificate[0]
        seen, first_is_best = seen + 1, first_is_best + (first.value == best.values[first.goal])
    assert seen >= 5 and first_is_best >= 0.6 * seen, (first_is_best, seen)
