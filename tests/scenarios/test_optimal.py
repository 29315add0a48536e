"""Every plan for a small random cluster is the true lexicographic optimum, whatever is asked.

``EQUIPOISE_CASES`` cases of each theme are tried (default 20), from seed ``EQUIPOISE_FIRST_CASE`` on:
``EQUIPOISE_CASES=1000 python -m pytest tests/scenarios/test_optimal.py``. A failure names its theme and
its seed.
"""

from __future__ import annotations

import os

import numpy as np
import pytest
from tests.reference import values
from tests.scenarios.checks import check, check_bounds
from tests.scenarios.strategies import THEMES, case

from equipoise.errors import UnusableInput
from equipoise.planning import ALL_GOALS, build_problem, flows, integer, topic_leaders
from equipoise.planning.goals import evaluate
from equipoise.planning.networks import place, sampling

FIRST = int(os.environ.get("EQUIPOISE_FIRST_CASE", "0"))
SEEDS = range(FIRST, FIRST + int(os.environ.get("EQUIPOISE_CASES", "20")))
CASES = pytest.mark.parametrize(("theme", "seed"), [(theme, seed) for theme in THEMES for seed in SEEDS])
COARSE = ("one", "several", "rules")
"""Themes in which placement can be had from counts by topic."""


@CASES
def test_each_level_is_the_true_optimum(theme: str, seed: int) -> None:
    """Values, rules, certificate, row order and second run, against 0-1 programs apart from the planner."""
    check(case(theme, seed))


@pytest.mark.parametrize("seed", [3206, 5113])
def test_the_goals_after_failover_are_optimal_too(seed: int) -> None:
    """Eight partitions on eight brokers: pairs of leader and heir once took all the effort there was."""
    check(case("orders", seed))


def test_what_the_reference_once_stumbled_over() -> None:
    """Five partitions on two brokers: HiGHS ended with leaders 2 apart, and lists in which they are level."""
    check(case("budget", 909))


@pytest.mark.parametrize(("theme", "seed"), [(theme, seed) for theme in COARSE for seed in SEEDS])
def test_coarse_networks_reach_the_same(theme: str, seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """The networks of topics that large clusters are planned with, and the sample, lose nothing."""
    monkeypatch.setattr(place, "MAX_PARTITION_ARCS", 0)
    monkeypatch.setattr(place, "MAX_ROW_ARCS", 0)
    monkeypatch.setattr(sampling, "MIN_CELLS", 1 if seed % 2 else sampling.MIN_CELLS)
    check(case(theme, seed))


@CASES
def test_no_bound_is_too_high(theme: str, seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where no integer program may decide, as on large clusters, bounds may be low but never wrong."""
    monkeypatch.setattr(integer, "is_small", lambda problem: False)
    monkeypatch.setattr(place, "MAX_PARTITION_ARCS", 0 if seed % 2 else place.MAX_PARTITION_ARCS)
    monkeypatch.setattr(place, "MAX_ROW_ARCS", 0 if seed % 4 == 1 else place.MAX_ROW_ARCS)
    check_bounds(case(theme, seed))


@CASES
def test_no_bound_on_the_leaders_of_topics_is_too_high(
    theme: str, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same where no program over placements may decide either: prices of leaders' sums bound them."""
    monkeypatch.setattr(topic_leaders, "MAX_FLOW_CELLS", 0 if seed % 3 == 0 else topic_leaders.MAX_FLOW_CELLS)
    monkeypatch.setattr(integer, "is_small", lambda problem: False)
    monkeypatch.setattr(flows, "jointly", lambda problem, faces, best: best)
    monkeypatch.setattr(place, "MAX_PARTITION_ARCS", 0 if seed % 2 else place.MAX_PARTITION_ARCS)
    check_bounds(case(theme, seed))


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
        assert evaluate(problem, lists, goal) == values.value(problem, values.as_lists(lists), goal), goal
