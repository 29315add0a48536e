"""What rows decide of whole columns by themselves: without it a program is smaller, and has the same answers.

HiGHS could do more of this (presolve), but looks at the clock while it does.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from equipoise.planning.linear.rows import BoolArray, Float64, Int64, Rows


@dataclass(frozen=True, eq=False)
class Trimmed:
    """Nearer bounds of columns, ``(n_columns,)``, and the rows that could be broken within them."""

    lower: Float64
    upper: Float64
    rows: BoolArray
    """``(n_rows,)``."""


def trimmed(rows: Rows, lower: npt.ArrayLike, upper: npt.ArrayLike, rounds: int) -> Trimmed | None:
    """What whole columns can be by each row alone; None where some row leaves a column nothing.

    Bounds are finite. Rows whose entries are not all whole are left as they are: in floating point nothing
    is certain of them.
    """
    lower, upper = np.asarray(lower, dtype=np.float64), np.asarray(upper, dtype=np.float64)
    row, column, value = rows.entries
    whole = rows.are_whole
    some = whole[row]
    row, column, value = row[some], column[some], value[some]
    rises = value > 0
    for _ in range(rounds):  # what one row decides may let another decide more
        ends = value * lower[column], value * upper[column]
        low, high = np.minimum(*ends), np.maximum(*ends)
        least, most = (np.bincount(row, side, len(whole)) for side in (low, high))
        if np.any(whole & ((least > rows.most) | (most < rows.least))):
            return None
        # an entry can have what the others of its row leave it, where those are at an end
        at_most, at_least = (rows.most - least)[row] + low, (rows.least - most)[row] + high
        # A factor below 0 turns bounds round: the most that the entry may be is the least of its column.
        above = np.floor(np.where(rises, at_most, at_least) / value)
        below = np.ceil(np.where(rises, at_least, at_most) / value)
        before, lower, upper = (lower, upper), lower.copy(), upper.copy()
        np.maximum.at(lower, column, below)
        np.minimum.at(upper, column, above)
        if np.any(lower > upper):
            return None
        if np.array_equal(before, (lower, upper)):
            break
    return Trimmed(lower, upper, ~whole | (least < rows.least) | (most > rows.most))


@dataclass(frozen=True, eq=False)
class Rest:
    """What rows leave open of whole columns."""

    decided: Float64
    """``(n_columns,)``: the columns; those that are open are at their lower end."""
    free: Int64
    """Those that are open, ascending."""
    rows: Rows
    """The rows of these that could still be broken."""
    lower: Float64
    """``(n_free,)``, as ``upper``."""
    upper: Float64

    def filled(self, free: Float64 | Int64) -> Float64:
        """All columns, with these for the open ones."""
        x = self.decided.copy()
        x[self.free] = free
        return x


def rest_of(rows: Rows, lower: npt.ArrayLike, upper: npt.ArrayLike, rounds: int) -> Rest | None:
    """What rows leave open of whole columns, see `trimmed`; None where some row leaves a column nothing."""
    left = trimmed(rows, lower, upper, rounds)
    if left is None:
        return None
    # Columns that are decided are taken off the sides of rows, and only rows that could still be broken stay.
    open_ = left.upper > left.lower
    free = np.flatnonzero(open_)
    rest = rows.left(free, np.where(open_, 0.0, left.lower))
    kept = Rows(rest.table[left.rows], rest.least[left.rows], rest.most[left.rows])
    return Rest(left.lower, free, kept, left.lower[free], left.upper[free])
