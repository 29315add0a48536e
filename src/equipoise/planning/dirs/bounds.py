"""What no way of placing a broker's replicas is below, in closed form."""

from __future__ import annotations

import numpy as np

from equipoise.planning.dirs.shelves import Shelves


def least_outside(shelves: Shelves) -> int:
    """Bytes outside the bands that nobody can avoid.

    What may not move stays above its dir's band, and the largest replica lies somewhere: where it is more
    than that dir's band it leaves the others too little.
    """
    if not len(shelves.size):
        return 0
    stays = shelves.held(np.where(shelves.fixed, shelves.home, -1))
    total, largest = int(shelves.size.sum()), int(shelves.size.max())
    each = []
    for low, high in zip(shelves.low, shelves.high, strict=True):
        # A dir that has the largest replica and still less than `low` lacks
        # itself what the others need not lack, so it may as well have `low`.
        others = sum(shelves.low) - low
        each.append(max(0, largest - high) + max(0, others - (total - max(largest, low))))
    return max(int(np.maximum(stays - shelves.high, 0).sum()), min(each))


def least_moved(shelves: Shelves, outside: int) -> int:
    """Bytes that leave the dir they lie in, in every way with at most so many bytes outside the bands.

    A dir above its band gives what it has too much, and if that is anything, then a whole replica. A dir
    below its band takes what it lacks, of which those replicas bring some that have no home.
    """
    held = shelves.held(shelves.home)
    over = np.maximum(held - shelves.high, 0)
    gives = int(over.sum()) - outside
    # Only with nothing outside has each dir to give what it has too much;
    # else what is left outside may be anybody's, and sums alone are certain.
    if outside == 0:
        gives = sum(max(int(over[at]), smallest(shelves, at)) for at in np.flatnonzero(over).tolist())
    lacks = int(np.maximum(shelves.low - held, 0).sum()) - outside
    brought = int(shelves.size[shelves.home < 0].sum())
    # What one dir gives another takes, so the larger of both counts.
    return max(0, gives, lacks - brought)


def smallest(shelves: Shelves, at: int) -> int:
    """Bytes of the smallest replica that may leave a dir; 0 where none may."""
    sizes = shelves.size[(shelves.home == at) & ~shelves.fixed]
    return int(sizes.min()) if len(sizes) else 0
