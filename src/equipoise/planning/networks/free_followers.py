"""The order of followers that no goal decides, chosen for the least leaders after a failure.

Lists that change anyway can have their followers in any order at no cost. That first followers are a flow,
given the leaders, is due to Appier, "Kafka reassignment", section on the first follower.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import numpy.typing as npt

from equipoise.cluster.brokers import IntArray
from equipoise.cluster.measures import changed_rows, lengths
from equipoise.planning.goals import FOLLOWER, LEADER, ORDER, value_of
from equipoise.planning.goals.failover import Failover
from equipoise.planning.goals.interface import Counted
from equipoise.planning.goals.leaders import Leaders
from equipoise.planning.networks.orders import follower_roles, to_front
from equipoise.planning.networks.roles import choose
from equipoise.planning.problem.problem import Problem

MEASURE = FOLLOWER[Failover.name]
FIRST = 1
"""The position of first followers."""


def with_free_followers(problem: Problem, lists: IntArray) -> IntArray:
    """The lists, those that differ from today's with first followers that are best for `failover`.

    Lists that would stay do stay, so nothing is left to do in a second run; among equally good choices the
    fewest differ from ``lists``. Where nobody asks for level leaders, or a goal decides about followers,
    nothing changes.
    """
    if Leaders.name not in problem.goals or not FOLLOWER.keys().isdisjoint(problem.goals):
        return lists
    free = changing(problem, lists)
    size = int((lists[free] >= 0).sum())
    # The network has a node for each pair of brokers, however few lists change.
    if not size or max(size, problem.cluster.n_brokers**2) > problem.params.free_followers:
        return lists
    # To the flow all other partitions are as if they could not change.
    items = follower_roles(replace(problem, movable=free), lists, MEASURE, FIRST)
    levels = ((MEASURE.name, Counted.NODES), ("changes", Counted.CHANGES))
    found = lists.copy()
    to_front(found, items.rows, choose(items.roles, levels).column + FIRST, FIRST)
    # The flow knows nothing of goals like `reorders`: what makes one of them worse is not free.
    kept = all(value_of(problem, found, goal) <= value_of(problem, lists, goal) for goal in looks(problem))
    return found if kept else lists


def changing(problem: Problem, lists: IntArray) -> npt.NDArray[np.bool_]:
    """``(n_partitions,)``: lists that change in any case, and have followers to choose from."""
    changes = np.zeros(len(lists), dtype=bool)
    changes[changed_rows(problem.cluster.replicas, lists)] = True
    return changes & problem.movable & (lengths(lists) > FIRST + 1)


def looks(problem: Problem) -> list[str]:
    """The goals that could look at more of an order than who leads."""
    return [goal for goal in problem.goals if goal in ORDER and goal not in LEADER]
