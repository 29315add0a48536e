"""Few replicas in few dirs: every way to place them is tried."""

from __future__ import annotations

import numpy as np

from equipoise.planning.dirs.shelves import Placed, Shelves


def fits(shelves: Shelves, most_ways: int) -> bool:
    """Whether there are few enough ways."""
    n = int((~shelves.fixed).sum())
    # Each replica doubles the ways at least where there are two dirs. So their
    # number is looked at first: the power of many would be a huge number.
    return n <= most_ways.bit_length() and len(shelves.weight) ** n <= most_ways


def best_of_all(shelves: Shelves) -> Placed:
    """The best of all ways; of equals one that moves few replicas, the first of those."""
    free = np.flatnonzero(~shelves.fixed)
    n_dirs = len(shelves.weight)
    ways = np.indices((n_dirs,) * len(free)).reshape(len(free), n_dirs ** len(free))
    held = np.repeat(shelves.held(np.where(shelves.fixed, shelves.home, -1))[:, None], ways.shape[1], axis=1)
    moved, moves = np.zeros((2, ways.shape[1]), dtype=np.int64)
    for k, at in enumerate(free.tolist()):
        held[ways[k], np.arange(ways.shape[1])] += shelves.size[at]
        if shelves.home[at] >= 0:
            moves += ways[k] != shelves.home[at]
            moved += (ways[k] != shelves.home[at]) * shelves.size[at]
    low, high = np.array(shelves.low)[:, None], np.array(shelves.high)[:, None]
    outside = (np.maximum(held - high, 0) + np.maximum(low - held, 0)).sum(axis=0)
    over = np.maximum(held - np.array(shelves.room)[:, None], 0).sum(axis=0)
    # The last key counts first: room is no goal but has to be kept.
    best = int(np.lexsort((moves, moved, outside, over))[0])
    places = shelves.home.copy()
    places[free] = ways[:, best]
    return Placed(places, int(outside[best]), int(moved[best]), tried_all=True)
