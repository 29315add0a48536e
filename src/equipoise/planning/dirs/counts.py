"""Replicas counted, not weighed: as many on each dir as its share, by the fewest moves.

What a dir has outside its band, and what leaves it, are convex in the number that it ends with, and dirs
share nothing but their sum: the cheapest steps first are best (O. Gross, "A class of discrete-type
minimization problems", 1956).
"""

from __future__ import annotations

from itertools import chain, pairwise

import numpy as np

from equipoise.planning.dirs.shelves import HOMELESS, Int64, Placed, Shelves


def level_counts(shelves: Shelves, cheapest: Int64) -> Placed:
    """Places with the least outside the bands and, of those, the fewest moves; both are proved.

    ``cheapest`` ``(n,)`` are the replicas in the order in which they leave a dir that has too many.
    """
    # How many each dir ends with is decided by counts alone;
    # which ones those are comes after, and costs the same.
    numbers = targets(shelves)
    places = shelves.home.copy()
    left = shelves.held(places) - numbers
    for at in cheapest.tolist():
        home = int(shelves.home[at])
        if home >= 0 and left[home] > 0 and not shelves.fixed[at]:
            places[at] = HOMELESS
            left[home] -= 1
    lacking = np.repeat(np.arange(len(numbers)), np.maximum(-left, 0))
    places[np.flatnonzero(places < 0)] = lacking
    return Placed(places, shelves.outside(shelves.held(places)), shelves.moved(places))


def targets(shelves: Shelves) -> Int64:
    """How many replicas each dir ends with."""
    n_dirs = len(shelves.weight)
    numbers = np.bincount(shelves.home[shelves.fixed], minlength=n_dirs).astype(np.int64)
    homes = shelves.held(shelves.home)
    open_ = len(shelves.size) - int(numbers.sum())
    # No step of a dir is before an earlier one of that dir:
    # so the steps that are taken are the first of each.
    steps = sorted(chain.from_iterable(steps_of(shelves, at, int(numbers[at]), int(homes[at]), open_)
                                       for at in range(n_dirs)))  # fmt: skip
    for _, _, at, length in steps:
        taken = min(length, open_)
        numbers[at] += taken
        open_ -= taken
    return numbers


def steps_of(shelves: Shelves, at: int, start: int, home: int, most: int) -> list[tuple[int, int, int, int]]:
    """What one more replica on a dir changes, in stretches: (outside, moves, dir, how many times).

    Below its band one more is one less outside, above it one more; up to what lies there now it saves a move.
    """
    low, high = shelves.low[at], shelves.high[at]
    inside = (edge for edge in (low, high, home) if start < edge < start + most)
    edges = sorted({start, start + most, *inside})
    return [
        (-1 if a < low else int(a >= high), -int(a < home), at, b - a)
        for a, b in pairwise(edges)
    ]
