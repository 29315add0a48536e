"""`failover` where it may move replicas: other first followers, and the bound on it."""

from __future__ import annotations

import numpy as np

from equipoise.cluster.brokers import IntArray
from equipoise.planning.basis.certificate import ProvedLevel
from equipoise.planning.bounds.failover import least_failover
from equipoise.planning.driver.pinning import placed_with
from equipoise.planning.driver.state import State
from equipoise.planning.flow.network import Infeasible
from equipoise.planning.goals import goals_before, value_of
from equipoise.planning.goals.leaders import Leaders
from equipoise.planning.goals.replicas import Replicas
from equipoise.planning.networks.first_followers import spread_first_followers
from equipoise.planning.networks.orders import order, order_followers, to_front
from equipoise.planning.problem.problem import Problem
from equipoise.planning.solution.size import Size
from equipoise.planning.solution.solution import has_one_placement


def by_failover_prices(state: State, goal: str) -> State:
    """The state with `failover` bounded over brokers alone.

    Where the placement is given, that counts only if the value meets it.
    """
    best = state.solution
    level = least_failover(state.problem, best.lists, best.before(goal))
    # Where the placement is given the order has a proof for it already: a bound that does not close the goal
    # would take its place and say less.
    least = best.reached[goal] if has_one_placement(state.problem, best.lists) else 1
    return state if level is None or level.value < least else state.with_level(level)


def pairs_of_brokers(state: State, goal: str) -> Size:
    """Each broker that is lost, with each that survives it."""
    return Size(state.problem.cluster.n_brokers**2, state.problem.params.follower_pairs, "pairs of brokers")


def spread_replicas(state: State, goal: str) -> Size:
    """Replicas that may change: as many arcs has the largest flow. Or pairs, where those are too many."""
    problem, paired = state.problem, pairs_of_brokers(state, goal)
    size = Size(int(problem.rf[problem.movable].sum()), problem.params.spread_replicas, "replicas")
    return size if paired.fits else paired


def with_first_followers(state: State, goal: str) -> State:
    """The state, or a better one whose first followers are chosen with their placement, bounded anew."""
    problem, best = state.problem, state.solution
    before, lists = goals_before(problem.goals, goal), best.lists
    if Leaders.name not in before:  # where nobody asked for level leaders they serve it best all the same
        lists = order(problem, lists, (*before, Leaders.name, *problem.goals[len(before) :]))[0]
    try:
        spread = spread_first_followers(problem, lists, level=Replicas.name in before)
    except Infeasible:
        return state
    if value_of(problem, spread, goal) >= best.reached[goal]:  # moves for nothing
        return state
    chosen = spread
    try:
        # First followers were chosen by counts of brokers alone. With the first two of each list pinned the
        # other replicas are placed anew by all goals; the better of both counts.
        placed = in_front(placed_with(problem, spread, 2), spread[:, :2])
        chosen = min(
            spread, placed, key=lambda some: [value_of(problem, some, name) for name in problem.goals]
        )
    except Infeasible:
        pass
    found = state.with_lists(*led_by(problem, chosen))
    return state if found is state else by_failover_prices(found, goal)


def led_by(problem: Problem, lists: IntArray) -> tuple[IntArray, tuple[ProvedLevel, ...]]:
    """The lists with their leaders as they are and the followers in order."""
    lists = lists.copy()
    return lists, tuple(order_followers(problem, lists, problem.goals))


def in_front(lists: IntArray, first: IntArray) -> IntArray:
    """The lists with the brokers ``first``, ``(n_partitions, k)``, at their head; those that are there."""
    lists = lists.copy()
    for position, broker in enumerate(first.T):
        row, column = np.nonzero((lists == broker[:, None]) & (broker >= 0)[:, None])
        to_front(lists, row, column, position)
    return lists
