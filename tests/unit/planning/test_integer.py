"""The 0-1 program of small clusters: what its goals measure, and what it keeps where it finds nothing."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from tests.scenarios.strategies import THEMES, case

from equipoise.cluster import Brokers, Cluster, build_cluster
from equipoise.errors import EquipoiseError
from equipoise.planning import ALL_GOALS, Params, Problem, Request, build_problem, make_plan
from equipoise.planning.goals import value_of
from equipoise.planning.programs.model import Model
from equipoise.planning.programs.relaxation import least_integral
from equipoise.planning.programs.small import SmallProgram


def problem_of(theme: str, seed: int) -> Problem:
    drawn = case(theme, seed)
    return build_problem(drawn.cluster(), drawn.request)


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.slow
def test_goals_of_the_program_measure_what_the_planner_measures(theme: str, seed: int) -> None:
    """With every replica where a plan has it, the least value of each goal in the program is its value."""
    try:
        problem, drawn = problem_of(theme, seed), case(theme, seed)
        plan = make_plan(drawn.cluster(), drawn.request)
    except EquipoiseError:
        return
    for goal in problem.goals if problem.request.leaders_only else ALL_GOALS:
        model = Model(problem, ALL_GOALS)
        value = value_of(problem, plan.target, goal)
        counted = model.hold(goal, value + 40)
        for (row, broker), column in model.held.items():
            model.equal(column, int(broker in plan.target[row]))
        for (row, broker, k), column in model.at.items():
            model.equal(column, int(k < plan.target.shape[1] and plan.target[row, k] == broker))
        sheet = model.sheet(counted)
        found = least_integral(sheet)
        assert found is not None
        assert round(sheet.cost @ found.x) + sheet.offset == value, goal


def test_positions_that_only_fixed_lists_have_are_measured_too() -> None:
    """One partition of two replicas may change; beside it two of four stay, both with broker 3 last."""
    lists = [[3, 0], [0, 1, 2, 3], [1, 2, 0, 3]]
    state = build_cluster("c", Brokers.of([0, 1, 2, 3]), ["free", "still", "still"], [0, 0, 1], lists)
    problem = build_problem(state, Request(goals=("positions", "moves"), topics="free"))
    model = Model(problem, problem.goals)
    found = least_integral(sheet := model.sheet(model.hold("positions", 9)))
    assert found is not None
    assert round(sheet.cost @ found.x) + sheet.offset == value_of(problem, problem.current, "positions") == 1


def test_who_leads_is_what_consumers_read_from() -> None:
    """All read in rack b: with two partitions of three led in rack a, what these send crosses."""
    brokers = Brokers.of([0, 1, 2], {0: "a", 1: "b", 2: "a"})
    state = build_cluster("c", brokers, ["t"] * 3, range(3), [[0, 1], [1, 0], [2, 1]])
    state = replace(state, bytes_out_per_s=np.array([1e6, 2e6, 4e6]))
    asked = Request(goals=("consumers", "elections"), leaders_only=True, consumers_in=(("", "b", 1.0),))
    problem = build_problem(state, asked)
    value = value_of(problem, problem.current, "consumers")
    model = Model(problem, problem.goals)
    counted = model.hold("consumers", value)
    for (row, broker, k), column in model.at.items():
        model.equal(column, int(problem.current[row, k] == broker))
    sheet = model.sheet(counted)
    found = least_integral(sheet)
    assert found is not None and round(sheet.cost @ found.x) + sheet.offset == value == 5_000_000


def test_where_nothing_better_is_found_what_is_known_is_kept() -> None:
    """A program too large for HiGHS leaves the lists as they are, and claims nothing."""
    ring = np.array([[p, (p + 1) % 6] for p in range(6)], dtype=np.int32)
    crowd = np.array([[p % 2, 2 + p % 4] for p in range(6)], dtype=np.int32)
    problem = build_problem(cluster_of(ring.tolist()), Request())
    best, bound = SmallProgram.of(problem).least("replicas", crowd)
    assert value_of(problem, best, "replicas") == bound == 0
    large = replace(problem, params=Params(small_columns=0))
    kept, bound = SmallProgram.of(large).least("replicas", crowd)
    assert kept.tolist() == crowd.tolist() and bound == 0


def cluster_of(lists: list[list[int]]) -> Cluster:
    """One topic on brokers 0 to 5."""
    return build_cluster("c", Brokers.of(list(range(6))), ["t"] * len(lists), range(len(lists)), lists)
