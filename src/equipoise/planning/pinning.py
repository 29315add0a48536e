"""Placements around replicas that are decided: the first ones of each list."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from equipoise.cluster.brokers import IntArray
from equipoise.cluster.measures import replicas_per_rack
from equipoise.planning.networks.place import (
    place,
)
from equipoise.planning.problem import Problem


def placed_with(problem: Problem, lists: IntArray, first: int) -> IntArray:
    """The best placement with the ``first`` replicas of each of the lists, which keep the rules.

    A partition that would break its rack rule stays as in ``lists``: for the networks those it has been
    given stood in their racks before. Raises `Infeasible`.
    """
    placed = place(led_as(problem, lists, first), problem.goals).lists
    now, then, given = (
        replicas_per_rack(some, problem.rack_idx, problem.n_racks)
        for some in (problem.current, placed, lists)
    )
    crowded = (then > np.maximum(problem.limit[:, None], np.minimum(now, given))).any(axis=1)
    left = (then != given).any(axis=1) & problem.request.stay_in_rack
    return np.where((crowded | left)[:, None], lists[:, : placed.shape[1]], placed)


def led_as(problem: Problem, lists: IntArray, first: int) -> Problem:
    """The problem with the ``first`` replicas of every list pinned, as if they had stood there before."""
    current, pinned = problem.current.copy(), problem.pinned.copy()
    for position in range(min(first, lists.shape[1])):
        rows = np.flatnonzero(problem.movable & (lists[:, position] >= 0))
        broker, now = lists[rows, position], current[rows]
        there = now == broker[:, None]
        gone = (now[:, :, None] != lists[rows][:, None, :]).all(axis=2)  # an empty place is one, too
        at = np.where(there.any(axis=1)[:, None], there, gone)
        has = at.any(axis=1)
        rows, broker, place = rows[has], broker[has], at[has].argmax(axis=1)
        current[rows, place], pinned[rows, place] = broker, True
    return replace(problem, current=current, pinned=pinned)
