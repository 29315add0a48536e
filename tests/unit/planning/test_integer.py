"""The 0-1 program of small clusters: what its goals measure, and what it does when its effort runs out."""

from __future__ import annotations

import numpy as np
import pytest
from tests.scenarios.strategies import THEMES, case

from equipoise.cluster import Brokers, Cluster, build_cluster
from equipoise.errors import EquipoiseError
from equipoise.planning import ALL_GOALS, Problem, Request, build_problem, make_plan
from equipoise.planning.goals import evaluate
from equipoise.planning.integer import Search, decide
from equipoise.planning.model import Model


def problem_of(theme: str, seed: int) -> Problem:
    drawn = case(theme, seed)
    return build_problem(drawn.cluster(), drawn.request)


@pytest.fixture
def no_effort(monkeypatch: pytest.MonkeyPatch) -> None:
    """The solvers are stopped before they find anything."""
    monkeypatch.setattr(Search, "near_relaxed", lambda search, goal, best, value: (best, 0))
    solve = Search.solve
    monkeypatch.setattr(Search, "solve", lambda search, linear, effort_s: solve(search, linear, 0.0))


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("seed", range(4))
def test_goals_of_the_program_measure_what_the_planner_measures(theme: str, seed: int) -> None:
    """With every replica where a plan has it, the least value of each goal in the program is its value."""
    try:
        problem, drawn = problem_of(theme, seed), case(theme, seed)
        plan = make_plan(drawn.cluster(), drawn.request)
    except EquipoiseError:
        return
    for goal in problem.goals if problem.request.leaders_only else ALL_GOALS:
        model = Model(problem, ALL_GOALS)
        value = evaluate(problem, plan.target, goal)
        search = Search(model)
        model.cp.minimize(model.hold(goal, value + 40))
        search.start_from(plan.target)
        assert search.solver.objective_value == value, goal


@pytest.mark.usefixtures("no_effort")
def test_without_effort_the_better_of_what_is_known_is_kept() -> None:
    """Flows may offer lists that are worse than those there are, or better: neither is lost."""
    ring, crowd = ([[p, (p + 1) % 6] for p in range(6)], [[p % 2, 2 + p % 4] for p in range(6)])
    for before, found in ((ring, crowd), (crowd, ring)):
        problem = build_problem(cluster_of(before), Request())
        decided = decide(problem, problem.goals, {}, np.array(found, dtype=np.int32))
        assert decided is not None and decided.lists.tolist() == ring
        assert all(bound <= evaluate(problem, decided.lists, goal) for goal, bound in decided.bounds.items())


def cluster_of(lists: list[list[int]]) -> Cluster:
    """One topic on brokers 0 to 5."""
    return build_cluster("c", Brokers.of(list(range(6))), ["t"] * len(lists), range(len(lists)), lists)
