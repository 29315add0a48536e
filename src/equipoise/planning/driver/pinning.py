"""Placements around replicas that are decided: the first ones of each list."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from equipoise.cluster.brokers import IntArray
from equipoise.cluster.measures import replicas_per_rack
from equipoise.planning.networks.place import place
from equipoise.planning.problem.problem import Problem
from equipoise.planning.rules import rack_span
from equipoise.planning.rules.rack_rule import above_limit, allowed_excess


def placed_with(problem: Problem, lists: IntArray, first: int) -> IntArray:
    """The best placement with the ``first`` replicas of each of the lists, which keep the rules.

    A partition that would break a rule about racks stays as in ``lists``: for the networks those it has been
    given stood in their racks before. Raises `Infeasible`.
    """
    placed = place(led_as(problem, lists, first), problem.goals).lists
    then, given = (
        replicas_per_rack(some, problem.rack_idx, problem.n_racks).astype(np.int64)
        for some in (placed, lists)
    )
    rows = np.arange(len(lists))
    span = rack_span(problem, rows, given, growth=0)
    breaks = ((then < span.least) | (then > span.most)).any(axis=1)
    breaks |= above_limit(problem, rows, then).sum(axis=1) > allowed_excess(problem, rows, given)
    return np.where(breaks[:, None], lists[:, : placed.shape[1]], placed)


def led_as(problem: Problem, lists: IntArray, first: int) -> Problem:
    """The problem with the ``first`` replicas of every list pinned, as if they had stood there before."""
    current, pinned = problem.current.copy(), problem.pinned.copy()
    for position in range(min(first, lists.shape[1])):
        rows = np.flatnonzero(problem.movable & (lists[:, position] >= 0))
        broker, now = lists[rows, position], current[rows]
        there = now == broker[:, None]
        # Who comes takes the place of a replica that leaves, so that no other has to.
        gone = (now[:, :, None] != lists[rows][:, None, :]).all(axis=2)  # an empty place is one, too
        at = np.where(there.any(axis=1)[:, None], there, gone)
        has = at.any(axis=1)
        rows, broker, place = rows[has], broker[has], at[has].argmax(axis=1)
        current[rows, place], pinned[rows, place] = broker, True
    return replace(problem, current=current, pinned=pinned)
