"""Budgets beside placements and leaders at once: the best that any plan within them can have, proved."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from tests.reference.exact import optimum
from tests.scenarios.checks import again, applied, check_judged
from tests.scenarios.strategies import Case, case
from tests.seeds import seeds
from tests.unit.planning.test_joint import LARGE, in_any_order

from equipoise import judge
from equipoise.cluster import Brokers, Cluster, Plan, build_cluster
from equipoise.errors import ImpossibleRequest, UnusableInput
from equipoise.judge.certificate import Finding, verify
from equipoise.judge.goals.interface import PARTS
from equipoise.planning import Request, build_problem, make_plan

THEMES = ("one", "rules", "replaced", "orders")


def with_budgets(theme: str, seed: int) -> Case:
    """A case of the theme with one budget or both; ``orders`` has goals of both at once in any order."""
    rng = random.Random(f"budgets {theme} {seed}")
    drawn = in_any_order(case("rules", seed), seed) if theme == "orders" else case(theme, seed)
    names = ("max_moves", "max_changes_per_partition")
    asked = rng.choice((names[:1], names[1:], names))
    most = {"max_moves": rng.randint(0, 8), "max_changes_per_partition": rng.randint(1, 2)}
    return replace(drawn, request=replace(drawn.request, **{name: most[name] for name in asked}))


def with_bytes(theme: str, seed: int) -> Case:
    """A case of the theme with a budget of bytes, of two with another one, too."""
    rng = random.Random(f"bytes {theme} {seed}")
    drawn = with_budgets(theme, seed)
    megabytes = tuple(rng.randint(1, 40) for _ in drawn.rows)
    if seed % 2:
        drawn = replace(drawn, request=replace(drawn.request, max_moves=None, max_changes_per_partition=None))
    # what takes the place of a broker copies all that it held
    most = sum(megabytes) * (rng.choice((0, 1, 2, 4)) + 4 * bool(drawn.request.replace)) // 6
    return replace(drawn, megabytes=megabytes, request=replace(drawn.request, max_bytes=most * 1_000_000))


def judged(plan: Plan, proofs: dict[str, np.ndarray]) -> tuple[Finding, ...]:
    rules = judge.rules_of(plan.cluster, plan.request)
    return verify(judge.Case(plan.cluster, plan.target, rules, plan.eligible), plan.certificate, proofs)


@pytest.mark.slow
@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize(("draw", "n_seeds", "open_part"), [(with_budgets, 60, 0.1), (with_bytes, 24, 0.2)])
def test_what_is_proved_within_budgets_is_the_optimum(
    theme: str, draw: Callable[[str, int], Case], n_seeds: int, open_part: float
) -> None:
    """On small clusters planned as if they were large; no altered prices prove more than there is."""
    proved: Counter[str] = Counter()
    left_open = 0
    for seed in seeds(n_seeds):
        # as on clusters of some thousands of partitions, or of some ten thousand: after coarse levels
        params = replace(LARGE, partition_arcs=0) if seed % 2 else LARGE
        drawn = draw(theme, seed)
        try:
            problem = build_problem(drawn.cluster(), drawn.request)
            plan = make_plan(drawn.cluster(), drawn.request, params)
        except (UnusableInput, ImpossibleRequest):
            continue
        best = optimum(problem)
        assert best is not None
        check_judged(plan)
        names = [str(plan.proofs.get(f"level{k}/network", "")) for k in range(len(plan.certificate))]
        reached: dict[str, int] = {}
        for level, name in zip(plan.certificate, names, strict=True):
            as_good = all(value == best.values[goal] for goal, value in reached.items())
            if as_good and level.proof not in ("given-placement", "unknown"):
                assert level.lower_bound <= best.values[level.goal] <= level.value, (seed, level)
                left_open += level.lower_bound < level.value
                proved[name] += level.lower_bound == level.value
            reached[level.goal] = int(level.value or 0)
        if any(name.endswith("-budget") for name in names):
            nothing_more_is_proved(plan, best.values, seed)
    assert proved["joint-budget"] >= n_seeds / 6
    assert left_open <= open_part * proved.total()


def nothing_more_is_proved(plan: Plan, best: dict[str, int], seed: int) -> None:
    """With whatever prices: weak duality, for plans that are as good at the goals before."""
    rng = np.random.default_rng(seed)
    for _ in range(4):
        proofs = dict(plan.proofs)
        for key, array in plan.proofs.items():
            if key.endswith("/potential") and rng.random() < 0.8:
                off = rng.integers(-2, 3, array.shape) * (rng.random(array.shape) < 0.2)
                proofs[key] = array + off * rng.choice((1, PARTS // 5, PARTS))
        reached: dict[str, int] = {}
        for level, found in zip(plan.certificate, judged(plan, proofs), strict=True):
            of_all = level.proof != "given-placement" and found.bound is not None
            if of_all and all(value <= best[goal] for goal, value in reached.items()):
                assert found.bound <= best[level.goal], (seed, level)
            reached[level.goal] = int(level.value or 0)


@pytest.mark.slow
def test_a_second_run_with_the_budgets_spent_is_empty() -> None:
    for seed in seeds(10):
        drawn = with_budgets("one", seed)
        try:
            problem = build_problem(drawn.cluster(), drawn.request)
            plan = make_plan(drawn.cluster(), drawn.request, LARGE)
        except (UnusableInput, ImpossibleRequest):
            continue
        if all(level.gap == 0 and level.proof != "none" for level in plan.certificate) and not (
            problem.request.create or problem.request.replication_factor
        ):
            assert make_plan(applied(plan), again(problem), LARGE).is_empty, seed


def crowded() -> Cluster:
    """Thirty partitions of two replicas on brokers 0 to 3 in two racks; brokers 4 and 5 are new and empty."""
    racks = {broker: "ab"[broker % 2] for broker in range(6)}
    lists = [(k % 4, (k + 1) % 4) for k in range(30)]
    return build_cluster("crowded", Brokers.of(list(racks), racks), ["t"] * 30, list(range(30)), lists)


def levels_of(plan: Plan) -> dict[str, tuple[float, float]]:
    return {level.goal: (level.value, level.lower_bound) for level in plan.certificate}


def test_ten_moves_of_the_twenty_that_it_takes() -> None:
    """Brokers of 15 replicas to level out at 10 with 4 and 5: ten moves get half way."""
    plan = make_plan(crowded(), Request(max_moves=10), LARGE)
    check_judged(plan)
    found = levels_of(plan)
    # 15 on each of four and 0 on two; then 13, 13, 12, 12, 5 and 5
    assert found["replicas"] == (2 * 9 + 2 * 4 + 2 * 25, 2 * 9 + 2 * 4 + 2 * 25)
    assert found["moves"] == (10, 10)
    assert all(value == bound for value, bound in found.values())


@pytest.mark.slow
def test_where_the_simplex_method_is_not_done_in_time() -> None:
    """Then the plan stays that is known, as good as it is here, and what is not proved is not claimed."""
    request, hurried = Request(max_moves=10), replace(LARGE, grown_pivots=1)
    usual, plan = (make_plan(crowded(), request, params) for params in (LARGE, hurried))
    check_judged(plan)
    assert [level.value for level in plan.certificate] == [level.value for level in usual.certificate]
    assert levels_of(usual)["moves"] == (10, 10)
    assert levels_of(plan)["moves"] == (10, 0)


def test_a_certificate_of_another_budget_is_refused() -> None:
    """With more moves allowed the same prices prove less."""
    plan = make_plan(crowded(), Request(max_moves=10), LARGE)
    for other in (12, None):
        richer = replace(plan, request={**plan.request, "max_moves": other})
        assert any(finding.problem for finding in judged(richer, plan.proofs)), other


@pytest.mark.slow
def test_what_is_bounded_where_the_program_is_too_large() -> None:
    """Replicas and moves, by the price of a move, which the judge takes from the certificate; never above the
    optimum, and nothing where the budget is another."""
    proved, spent = 0, 0
    for seed in seeds(60):
        params = replace(LARGE, face_columns=0)
        params = replace(params, partition_arcs=0) if seed % 2 else params
        params = replace(params, row_arcs=0) if seed % 4 == 1 else params
        drawn = case("one", seed)
        goals = ("replicas", "moves", "leaders", "elections")
        drawn = replace(
            drawn, request=replace(drawn.request, max_moves=seed % 5, goals=goals, required_only=False)
        )
        try:
            problem = build_problem(drawn.cluster(), drawn.request)
            plan = make_plan(drawn.cluster(), drawn.request, params)
        except (UnusableInput, ImpossibleRequest):
            continue
        check_judged(plan)
        names = [str(plan.proofs.get(f"level{k}/network", "")) for k in range(len(plan.certificate))]
        if "merged-budget" in names:
            best = optimum(problem)
            assert best is not None
            level, moves = plan.certificate[names.index("merged-budget") :][:2]
            assert level.lower_bound <= best.values["replicas"] <= level.value, seed
            proved += level.gap == 0
            spent += level.gap == 0 and moves.gap == 0 and moves.lower_bound > 0
            nothing_more_is_proved(plan, best.values, seed)
            richer = replace(plan, request={**plan.request, "max_moves": seed % 5 + 1})
            assert any(finding.problem for finding in judged(richer, plan.proofs)), seed
    assert proved >= 10
    assert spent >= 10
