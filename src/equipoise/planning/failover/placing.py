"""`failover` where it may move replicas: other first followers, and the bound on it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from equipoise.cluster.brokers import IntArray
from equipoise.planning.failover.bound import least_failover
from equipoise.planning.failover.spread import spread_heirs
from equipoise.planning.networks.network import Infeasible
from equipoise.planning.networks.orders import order, order_followers, to_front
from equipoise.planning.networks.place import Placement, ProvedLevel
from equipoise.planning.pinning import placed_with
from equipoise.planning.problem import Problem
from equipoise.planning.solution import Solution, at_least, better, goals_before, has_one_placement, of_lists

MAX_SPREAD = 1_000_000
"""Up to so many replicas first followers are chosen with their placement: arcs of the largest flow."""


def with_failover_bound(problem: Problem, best: Solution) -> Solution:
    """The solution with `failover` bounded over brokers alone.

    Where the placement is given, that counts only if the value meets it.
    """
    level = failover_level(problem, best)
    least = best.reached["failover"] if has_one_placement(problem, best.lists) else 1
    if level is None or level.value < least:
        return best
    return replace(best, proofs=[at_least(proof, level) for proof in best.proofs])


def failover_level(problem: Problem, best: Solution) -> ProvedLevel | None:
    """The bound of `failover` over brokers alone, None where nothing is left to prove."""
    if best.reached["failover"] == 0:  # nothing counts below 0
        return None
    before = goals_before(problem.goals, "failover")
    return least_failover(problem, best.lists, {goal: best.reached[goal] for goal in before})


def with_heirs(problem: Problem, placement: Placement, best: Solution) -> Solution:
    """The solution, or one with other first followers, where `failover` may move replicas."""
    before = goals_before(problem.goals, "failover")
    if "moves" in before or "moves" not in problem.goals:
        return best
    level = failover_level(problem, best)
    open_ = best.reached["failover"] > (level.value if level else 0)
    if open_ and int(problem.rf[problem.movable].sum()) <= MAX_SPREAD:
        best = spread_out(problem, placement, best)
    return best


def spread_out(problem: Problem, placement: Placement, best: Solution) -> Solution:
    """The solution, or a better one whose first followers are chosen with their placement."""
    before, lists = goals_before(problem.goals, "failover"), best.lists
    if "leaders" not in before:  # where nobody asked for level leaders they serve it best all the same
        lists = order(problem, lists, (*before, "leaders", *problem.goals[len(before) :]))[0]
    try:
        spread = spread_heirs(problem, lists, level="replicas" in before)
    except Infeasible:
        return best
    found = of_lists(problem, placement, spread, [])
    if found.reached["failover"] >= best.reached["failover"]:  # moves for nothing
        return best
    try:
        placed = in_front(placed_with(problem, spread, 2), spread[:, :2])
        found = better(problem, of_lists(problem, placement, placed, []), found)
    except Infeasible:
        pass
    return better(problem, led_by(problem, placement, found.lists), best)


def led_by(problem: Problem, placement: Placement, lists: IntArray) -> Solution:
    """The solution with these lists, their leaders as they are and the followers in order."""
    lists = lists.copy()
    return of_lists(problem, placement, lists, order_followers(problem, lists, problem.goals))


def in_front(lists: IntArray, first: IntArray) -> IntArray:
    """The lists with the brokers ``first``, ``(n_partitions, k)``, at their head; those that are there."""
    lists = lists.copy()
    for position, broker in enumerate(first.T):
        row, column = np.nonzero((lists == broker[:, None]) & (broker >= 0)[:, None])
        to_front(lists, row, column, position)
    return lists
