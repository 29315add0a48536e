"""The order of lists: who leads is chosen with an eye to who follows, where followers have goals behind."""

from __future__ import annotations

import numpy as np
import pytest

from equipoise.cluster import Brokers, build_cluster
from equipoise.cluster.brokers import IntArray
from equipoise.planning import Request, build_problem
from equipoise.planning.goals import LEADER, ORDER, value_of
from equipoise.planning.networks.orders import leader_roles, order, with_in_front
from equipoise.planning.networks.roles import choose
from equipoise.planning.problem.problem import Problem

GOALS = ("leaders", "elections", "topic-leaders", "failover", "reorders")
LEADERS = tuple((goal, ORDER[goal].counted) for goal in GOALS if goal in LEADER)


def half_moved(seed: int) -> tuple[Problem, IntArray]:
    """24 partitions on 6 brokers, and lists in which the last replica of every second one has moved.

    Another leader is free for those, while each of the others that gets one is reordered.
    """
    rng = np.random.default_rng(seed)
    lists = np.array([rng.permutation(6)[:3] for _ in range(24)])
    cluster = build_cluster("o", Brokers.of(range(6)), ["t"] * 24, np.arange(24), lists)
    problem = build_problem(cluster, Request(goals=GOALS))
    moved = problem.current.copy()
    for row in range(0, 24, 2):
        moved[row, 2] = rng.choice([broker for broker in range(6) if broker not in moved[row]])
    return problem, moved


def values(problem: Problem, lists: IntArray) -> list[int]:
    return [value_of(problem, lists, goal) for goal in GOALS]


def test_of_leaders_that_are_as_good_those_lead_whose_lists_are_reordered_least() -> None:
    problem, moved = half_moved(30)
    # no leader but of moved partitions has to change, and followers are as good so
    assert values(problem, order(problem, moved, GOALS)[0]) == [0, 4, 0, 0, 0]


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.slow
def test_it_is_never_worse_than_leaders_chosen_without_a_thought_of_followers(seed: int) -> None:
    problem, moved = half_moved(seed)
    alone = choose(leader_roles(problem, moved, GOALS), LEADERS).column
    without = with_in_front(problem, moved, alone, GOALS)[0]
    assert values(problem, order(problem, moved, GOALS)[0]) <= values(problem, without)
