"""Every plan for a small random cluster is the true lexicographic optimum, whatever is asked.

A failure names its theme and its seed; `tests.seeds` says how to try more.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from tests.reference import values
from tests.scenarios.checks import check, check_bounds
from tests.scenarios.strategies import THEMES, case
from tests.seeds import of_themes, seeds

from equipoise.errors import UnusableInput
from equipoise.planning import ALL_GOALS, Params, build_problem
from equipoise.planning.goals import value_of

CASES = of_themes(THEMES, seeds(4), fast=1)
COARSE = of_themes(("one", "several", "rules"), seeds(4), fast=1)
"""Themes in which placement can be had from counts by topic."""


def as_if_large(seed: int) -> Params:
    """No program of small clusters; coarse networks first for odd seeds, and alone for some of those."""
    large = Params(small_cells=0)
    if seed % 2:
        large = replace(large, partition_arcs=0)
    return replace(large, row_arcs=0) if seed % 4 == 1 else large


@CASES
def test_each_level_is_the_true_optimum(theme: str, seed: int) -> None:
    """Values, rules, certificate, row order and second run, against 0-1 programs apart from the planner."""
    check(case(theme, seed))


@pytest.mark.slow
@pytest.mark.parametrize("seed", [3206, 5113])
def test_the_goals_after_failover_are_optimal_too(seed: int) -> None:
    """Eight partitions, eight brokers: pairs of leader and first follower once took all the effort."""
    check(case("orders", seed))


def test_what_the_reference_once_stumbled_over() -> None:
    """Five partitions on two brokers: HiGHS ended with leaders 2 apart, and lists in which they are level."""
    check(case("budget", 909))


@COARSE
def test_coarse_networks_reach_the_same(theme: str, seed: int) -> None:
    """The networks of topics that large clusters are planned with, and prices, lose nothing."""
    coarse = Params(partition_arcs=0, row_arcs=0)
    check(case(theme, seed), replace(coarse, flow_cells=0) if seed % 2 else coarse)


@CASES
def test_no_bound_is_too_high(theme: str, seed: int) -> None:
    """Where no integer program may decide, as on large clusters, bounds may be low but never wrong."""
    check_bounds(case(theme, seed), as_if_large(seed))


@CASES
def test_no_bound_on_the_leaders_of_topics_is_too_high(theme: str, seed: int) -> None:
    """The same where no program over placements may decide either: prices of leaders' sums bound them."""
    params = replace(as_if_large(0), face_arcs=0)
    params = params if seed % 3 else replace(params, bound_flow_cells=0)
    check_bounds(case(theme, seed), replace(params, partition_arcs=0) if seed % 2 else params)


@CASES
def test_values_agree_with_plain_loops(theme: str, seed: int) -> None:
    """The planner's measure of every goal equals one written a second time, on lists in any order."""
    try:
        problem = build_problem(case(theme, seed).cluster(), case(theme, seed).request)
    except UnusableInput:
        return
    rng = np.random.default_rng(seed)
    lists = problem.current.copy()
    for row, held in enumerate((lists >= 0).sum(axis=1)):
        lists[row, :held] = rng.permutation(lists[row, :held])
        if held == 0:
            lists[row, 0] = rng.integers(problem.cluster.n_brokers)
    for goal in ALL_GOALS:
        assert value_of(problem, lists, goal) == values.value(problem, values.as_lists(lists), goal), goal
