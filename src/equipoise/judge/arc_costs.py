"""What a goal costs on the arcs of a network, or on counts that behave like arcs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from equipoise.judge.duality import exact_dot

Int64 = npt.NDArray[np.int64]


class Cost(NamedTuple):
    """A goal on arcs: so much for each unit, and the square of what some are outside a band."""

    linear: Int64
    """``(n_arcs,)``: of each unit."""
    convex: Int64
    """Arcs whose flow is drawn into a band, ``(n_convex,)``, as ``low`` and ``high``."""
    low: Int64
    high: Int64
    offset: int = 0
    """What the goal counts whatever flows."""


def each(n_arcs: int, arcs: Int64, cost: npt.ArrayLike = 1, offset: int = 0) -> Cost:
    """So much for each unit on some of the arcs; ``cost`` is one number or one for each of them."""
    linear, none = np.zeros(n_arcs, dtype=np.int64), np.zeros(0, dtype=np.int64)
    linear[arcs] = cost
    return Cost(linear, none, none, none, offset)


def banded(n_arcs: int, arcs: Int64, low: Int64, high: Int64, offset: int = 0) -> Cost:
    """Squared distances of what flows on some of the arcs from their bands."""
    return Cost(np.zeros(n_arcs, dtype=np.int64), arcs, low, high, offset)


def least(pull: Int64, lower: Int64, upper: Int64, convex: Sequence[tuple[Cost, int]]) -> int:
    """The least of ``pull @ x`` and the squares, each as often as it says, for whole x within bounds.

    The n-th unit beyond a band costs 2 n - 1 times the weight: as many are taken as pay for themselves.
    """
    x = np.where(pull < 0, upper, lower)
    squares = 0
    for (_, items, low, high, _), weight in convex:
        gain = pull[items]
        above, below = np.maximum(-gain, 0) // weight, np.maximum(gain, 0) // weight
        best = np.where(gain < 0, high + (above + 1) // 2, low - (below + 1) // 2)
        x[items] = np.clip(best, lower[items], upper[items])
        outside = np.maximum(np.maximum(low - x[items], x[items] - high), 0)
        squares += weight * exact_dot(outside, outside)
    return exact_dot(pull, x) + squares


def nearly_least(
    pull: Int64, lower: Int64, upper: Int64, convex: Sequence[tuple[Cost, int]], spare: int
) -> tuple[Int64, Int64]:
    """First and last whole ``x`` within bounds of all that cost at most ``spare`` more than the least.

    Of single arcs: one on which a step beyond the least costs more than ``spare`` ends before that step.
    """
    first, last = np.where(pull < -spare, upper, lower), np.where(pull > spare, lower, upper)
    for (_, items, low, high, _), weight in convex:
        down, up = pull[items] + spare, pull[items] - spare
        # Where a unit costs ``down`` the shortest of the cheapest, where it costs ``up`` the longest. The
        # n-th unit beyond the band costs 2 n - 1 times the weight; worth just that, it is in the longest.
        over, under = -(np.minimum(down, 0) // weight), np.maximum(down, 0) // weight
        start = np.where(down < 0, high + over // 2, low - (under + 1) // 2)
        over, under = np.maximum(-up, 0) // weight, -(-np.maximum(up, 0) // weight)
        end = np.where(up > 0, low - under // 2, high + (over + 1) // 2)
        first[items] = np.clip(start, lower[items], upper[items])
        last[items] = np.clip(end, lower[items], upper[items])
    return first, last
