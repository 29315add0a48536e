"""One broker's log dirs and what is to lie in them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

Int64 = npt.NDArray[np.int64]
BoolArray = npt.NDArray[np.bool_]

HOMELESS = -1
"""The dir of a replica that has none yet."""
ANYTHING = 2**62
"""Room of a dir of which nobody knows the volume."""
FINEST = 1000
"""Tolerances are told in thousandths of a percent."""


@dataclass(frozen=True, eq=False)
class Shelves:
    """The dirs of a broker that may take replicas, and its replicas; columns of those have shape ``(n,)``."""

    weight: tuple[int, ...]
    """What each dir should hold relative to the others: the bytes of its volume, or 1."""
    size: Int64
    """Bytes of each replica; all 1 where replicas are counted."""
    home: Int64
    """The dir that it lies in, `HOMELESS` for one that is new or has to leave its dir."""
    fixed: BoolArray
    """May not be moved."""
    low: tuple[int, ...]
    """The band of each dir: what it should hold at least, and at most."""
    high: tuple[int, ...]
    room: tuple[int, ...]
    """What each dir may hold, `ANYTHING` where nobody knows its volume."""

    def overfull(self, held: Int64) -> int:
        """How much the dirs hold above what they may: 0, unless there is no room for what has to come."""
        return int(np.maximum(held - self.room, 0).sum())

    def outside(self, held: Int64) -> int:
        """How much the dirs hold outside their bands."""
        return int(np.maximum(held - self.high, 0).sum() + np.maximum(self.low - held, 0).sum())

    def held(self, places: Int64) -> Int64:
        """``(n_dirs,)``: what each dir holds with the replicas in ``places``; of those without one
        nothing."""
        there = places >= 0
        held = np.zeros(len(self.weight), dtype=np.int64)
        np.add.at(held, places[there], self.size[there])
        return held

    def moved(self, places: Int64) -> int:
        """How much leaves the dir that it lies in; what has no home costs the same wherever it goes."""
        return int(self.size[(self.home >= 0) & (places != self.home)].sum())


class Placed(NamedTuple):
    """Where the replicas of a broker go, and what no way of placing them is below."""

    places: Int64
    """``(n,)``: dir of each replica."""
    least_outside: int
    least_moved: int
    """Of all that have as little outside the bands as ``places``."""
    tried_all: bool = False
    """The bounds come from trying every way."""


def bands(total: int, weight: tuple[int, ...], tolerance: float) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Least and most that each dir should hold of ``total``: its share, ``tolerance`` percent to both sides.

    Exact in whole numbers; with no tolerance the whole numbers around the share.
    """
    parts, whole = 100 * FINEST * sum(weight), round(tolerance * FINEST)
    low = tuple(max(0, total * w * (100 * FINEST - whole) // parts) for w in weight)
    high = tuple(-(-total * w * (100 * FINEST + whole) // parts) for w in weight)
    return low, high
