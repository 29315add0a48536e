"""Prices of the sums of a table whose cells cost the square of their distance from a band.

With a price on the sum of each row and of each column every cell is a question of its own (Lagrangian
relaxation: R. K. Ahuja, T. L. Magnanti, J. B. Orlin, "Network Flows", chapter 16). The prices of all rows are
made best for those of the columns, then the other way round, and so on (coordinate ascent).
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from equipoise.planning.flow.network import Int32, Int64

Small = npt.NDArray[np.integer]
"""Half the bytes take half the time, so 16 bits where numbers and prices fit: see `smallest` and `added`."""

FINENESS = 8
"""Parts of one that prices are whole numbers of; the judge has the same."""
SHIFT = 4
"""Two units of cost, from one step to the next, are 2 ** SHIFT parts."""
ROOM = 2**13
"""Numbers and prices below this are worked on in 16 bits."""
BLOCK = 2**16
"""Cells that are worked on at a time: so many stay in the processor's cache."""


def smallest(*tables: Int64) -> tuple[Small, ...]:
    """The tables in 16 bits if all fit with room to spare: what is made of them in `turning` fits, too."""
    most = max(int(np.abs(table).max(initial=0)) for table in tables)
    kind = np.dtype(np.int16 if most < ROOM else np.int32)
    # Columns chosen by an array lie side by side in memory, which makes work with rows many times slower.
    return tuple(np.ascontiguousarray(table, dtype=kind) for table in tables)


def part(table: Small, rows: Int64 | slice, columns: Int64 | slice) -> Small:
    """Some rows, and some columns if these are no slice, which is all; row by row in memory, as the table."""
    some: Small = table[rows]
    if not isinstance(columns, slice):
        some = np.take(some, columns, axis=1)
    return some


def added(topic: Small, broker: Small, kind: np.dtype[np.integer], more: int = 0) -> Small:
    """The price of each cell, in the ``kind`` of its tables if it fits there with ``more`` added to it."""
    most = int(np.abs(topic).max(initial=0)) + int(np.abs(broker).max(initial=0)) + more
    if most >= ROOM:
        kind = np.dtype(np.int32)
    return topic.astype(kind) + broker.astype(kind)


def turning(low: Small, high: Small, price: Small) -> Small:
    """The most in each cell where the squares alone, less ``price`` for each unit, are least.

    Units outside the band cost 1, 3, 5, ...
    """
    # The n-th unit beyond the band pays while (2 n - 1) FINENESS is at most the price: n is the floor of
    # (price + FINENESS) / (2 FINENESS). The shift rounds down below 0, too, where units are given up.
    kind = price.dtype.type
    most = price + kind(FINENESS)
    most >>= kind(SHIFT)
    most += high
    # A sign as a mask takes half the time of a choice cell by cell.
    # Below 0 the count is measured from the low end of the band instead.
    below = price >> kind(8 * price.itemsize - 1)
    below &= low - high
    most += below
    return most


Count = Callable[[Int32, Int64 | slice], Int32 | Int64]
"""What prices of some rows come to there, and which rows these are, all of them as a slice."""
ALL = slice(None)
STRIDE = FINENESS
"""Each step away from a price is so many times the one before."""


def reached(count: Count, wanted: npt.NDArray[np.integer], at: Int32, reach: int) -> Int32:
    """The lowest prices within ``reach`` of ``at`` with which counts, which rise, are what is wanted.

    ``at`` is ``(n_rows,)`` or ``(n_rows, n)``. The highest within reach where none is enough.
    """
    # Prices of different rows do not touch each other's counts, so one search serves all at once: away
    # from where they were in steps that grow, as most stay or nearly so, then by halving. What is sought is
    # above `low` and at most `high`.
    first, last = at - np.int32(reach), at + np.int32(reach)
    low, high, step = first.copy(), last.copy(), 0
    rows: Int64 | slice = ALL
    while True:
        below, above = low[rows], high[rows]
        is_open = above - below > 1
        tried = (below + above) >> 1
        if step < reach:
            # At first where they were. A price that was enough there is mostly the lowest that is.
            up, down = below + np.int32(min(STRIDE * step, reach)), above - np.int32(step)
            ahead = np.where(below == first[rows], down, np.where(above == last[rows], up, tried))
            tried = np.where((below < ahead) & (ahead < above), ahead, tried) if step else at[rows]
            step = STRIDE * step or 1
        short = count(tried, rows) < wanted[rows]
        low[rows] = np.where(is_open & short, tried, below)
        high[rows] = np.where(is_open & ~short, tried, above)
        left = high - low > 1
        some = np.flatnonzero(left if left.ndim == 1 else left.any(axis=1))
        if not len(some):
            return high
        rows = ALL if len(some) == len(at) else some


def within(count: Count, bounds: tuple[Int64, Int64], at: Int32, reach: int) -> Int32:
    """The same where counts are only to be within ``bounds``: a price is paid at one of them alone."""
    least, most = bounds
    free = count(np.zeros_like(at), ALL)
    prices = np.zeros_like(at)
    if len(paid := np.flatnonzero((free < least) | (free > most))):
        wanted = np.where(free < least, least, most)[paid]
        some = reached(lambda tried, rows: count(tried, paid[rows]), wanted, at[paid], reach)
        # A price above 0 is one for the least, one below 0 for the most: of the other sign it would be paid
        # at the bound that the count is not at, and the dual value would be lower.
        prices[paid] = np.where((free < least)[paid], np.maximum(some, 0), np.minimum(some, 0))
    return prices
