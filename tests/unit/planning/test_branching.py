"""Proofs of the small program, by cases that prices close: what they prove, and what they never can."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from tests.scenarios.checks import planned
from tests.scenarios.strategies import THEMES, case

from equipoise import judge
from equipoise.cluster import Plan
from equipoise.judge.certificate import verify
from equipoise.judge.program import Program
from equipoise.planning import ALL_GOALS, Params, build_problem
from equipoise.planning.goals import value_of
from equipoise.planning.programs.branching import proof_of
from equipoise.planning.programs.model import Model
from equipoise.planning.programs.rows import Sheet


def judged(plan: Plan) -> judge.Case:
    return judge.Case(plan.cluster, plan.target, judge.rules_of(plan.cluster, plan.request), plan.eligible)


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("seed", range(8))
def test_the_judge_writes_the_same_program(theme: str, seed: int) -> None:
    """Every row and column of every goal, each kept a few above its value, has its number in both."""
    if (plan := planned(theme, seed)) is None:
        return
    drawn = case(theme, seed)
    problem = build_problem(drawn.cluster(), drawn.request)
    goals = problem.goals if problem.request.leaders_only else ALL_GOALS
    values = {goal: value_of(problem, plan.target, goal) + seed * 10 for goal in goals}
    theirs, ours = Program(judged(plan), goals), Model(problem, goals)
    for goal, value in values.items():
        counted, sheet, other = theirs.hold(goal, value), ours.sheet(ours.hold(goal, value)), theirs.sheet
        assert other.upper == sheet.upper.tolist() and not sheet.lower.any()
        assert other.least == sheet.least.tolist() and other.most == sheet.most.tolist()
        assert other.columns == sheet.table.indices.tolist() and other.factors == sheet.table.data.tolist()
        assert counted.constant == sheet.offset
        cost = np.zeros_like(sheet.cost)
        for column, factor in counted.terms:
            cost[column] += factor
        assert cost.tolist() == sheet.cost.tolist()


def sheet_for(theme: str, seed: int, goal: str) -> tuple[Sheet, int]:
    """The program of a case that ends with a goal, and the value of its plan."""
    drawn, plan = case(theme, seed), planned(theme, seed)
    assert plan is not None
    problem = build_problem(drawn.cluster(), drawn.request)
    model = Model(problem, problem.goals)
    values = {name: value_of(problem, plan.target, name) for name in problem.goals}
    for name in problem.goals[: problem.goals.index(goal)]:
        model.hold(name, values[name])
    return model.sheet(model.hold(goal, values[goal])), values[goal]


@pytest.mark.parametrize(("seed", "nodes"), [(35, 99), (44, 99), (38, 1)])
def test_cases_prove_what_the_relaxation_does_not(seed: int, nodes: int) -> None:
    """Counts of whole partitions that cannot all be at their share: one case, or a few, and no more."""
    sheet, value = sheet_for("failover", seed, "failover")
    tree = proof_of(sheet, value, Params())
    assert tree is not None and tree.bound == value > 0
    assert (len(tree.branches) == 1) == (nodes == 1) and len(tree.branches) <= nodes
    assert (tree.branches[:, 0] < 0).sum() == len(tree.prices)


def test_what_is_not_true_is_not_proved() -> None:
    """Asked for more than there is, it proves what the linear program does."""
    sheet, value = sheet_for("failover", 38, "failover")
    tree = proof_of(sheet, value + 1, Params())
    assert tree is not None and tree.bound <= value and len(tree.branches) == 1


@pytest.mark.slow
@pytest.mark.parametrize("theme", ["budget", "failover", "orders", "leaders"])
def test_no_alteration_proves_more(theme: str) -> None:
    """Prices, cases or columns changed at random: refused, or a bound that is not above the optimum."""
    rng, seen = np.random.default_rng(1), Counter[str]()
    for seed in range(40):
        plan = planned(theme, seed)
        for k, level in enumerate(plan.certificate if plan else ()):
            if plan is None or level.proof != "branch-and-bound":
                continue
            seen[level.goal] += 1
            for _ in range(12):
                proofs = altered(plan.proofs, f"level{k}", rng)
                found = verify(judged(plan), plan.certificate, proofs)[k]
                assert found.bound is None or found.bound <= level.value, (seed, level)
            false = replace(level, lower_bound=level.value + 1)
            told = (*plan.certificate[:k], false, *plan.certificate[k + 1 :])
            assert verify(judged(plan), told, plan.proofs)[k].problem
    assert sum(seen.values()) >= 4


def altered(proofs: dict[str, np.ndarray], level: str, rng: np.random.Generator) -> dict[str, np.ndarray]:
    """The arrays with one of a level's changed: some entries, its length, or its sign."""
    name = f"{level}/{rng.choice(['potential', 'branches'])}"
    array = proofs[name].copy()
    way = rng.integers(5)
    if way == 0:
        array = array[:-1]
    elif way == 1:
        array = -array
    elif way == 2:
        array = array * int(rng.integers(0, 2**30))
    else:
        some = rng.random(array.shape) < 0.2
        array[some] += rng.integers(-(2**20), 2**20, some.sum())
    return {**proofs, name: array}
