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

FINENESS = 8
"""Parts of one that prices are whole numbers of; the judge has the same."""
SHIFT = 4
"""Two units of cost, from one step to the next, are 2 ** SHIFT parts."""
SIGN = 31
"""A price that is shifted by so many bits is 0, or -1 where it is negative."""
BLOCK = 2**14
"""Cells that are worked on at a time: so many stay in the processor's cache."""


def turning(low: Int32, high: Int32, price: Int32) -> Int32:
    """The most in each cell where the squares alone, less ``price`` for each unit, are least.

    Units outside the band cost 1, 3, 5, ...
    """
    # The n-th unit beyond the band pays while (2 n - 1) FINENESS is at most the price: n is the floor of
    # (price + FINENESS) / (2 FINENESS). The shift rounds down below 0, too, where units are given up.
    most = price + np.int32(FINENESS)
    most >>= np.int32(SHIFT)
    most += high
    # A sign as a mask takes half the time of a choice cell by cell.
    # Below 0 the count is measured from the low end of the band instead.
    below = price >> np.int32(SIGN)
    below &= low - high
    most += below
    return most


def reached(
    count: Callable[[Int32], Int32 | Int64], wanted: npt.NDArray[np.integer], at: Int32, reach: int
) -> Int32:
    """The lowest prices within ``reach`` of ``at`` with which counts, which rise, are what is wanted."""
    # Prices of different rows do not touch each other's counts, so one halving serves all of them at once.
    low, high = at - np.int32(reach), at + np.int32(reach)
    for _ in range((2 * reach).bit_length()):
        middle = (low + high) >> 1
        short = count(middle) < wanted
        low, high = np.where(short, middle, low), np.where(short, high, middle)
    return high


def within(
    count: Callable[[Int32], Int32 | Int64], bounds: tuple[Int64, Int64], at: Int32, reach: int
) -> Int32:
    """The same where counts are only to be within ``bounds``: a price is paid at one of them alone."""
    least, most = bounds
    free = count(np.zeros_like(at))
    prices = reached(count, np.where(free < least, least, most), at, reach)
    # A price above 0 is one for the least, one below 0 for the most: of the other sign it would be paid at
    # the bound that the count is not at, and the dual value would be lower.
    signed = np.where(free < least, np.maximum(prices, 0), np.minimum(prices, 0))
    return np.where((free < least) | (free > most), signed, 0).astype(np.int32)
