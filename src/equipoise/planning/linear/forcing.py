"""What rows decide of columns before a linear program is solved, and the prices of what was decided.

A row that its columns can keep only with each at one of its ends is a forcing constraint (E. D. Andersen,
K. D. Andersen, "Presolving in linear programming", Mathematical Programming 71, 1995). A third of the columns
of a joint program are decided so, as many arcs lead to nodes from which nothing leads on.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from equipoise.planning.linear.rows import BoolArray, Float64, Int64, Rows


@dataclass(frozen=True, eq=False)
class Forcing:
    """Entries by which rows decided columns in one round; ``(n_entries,)`` each."""

    row: Int64
    column: Int64
    value: Float64
    from_above: BoolArray
    """The row cannot be less than it may be at most; else it cannot be more than it has to be."""
    alone: bool
    """Rows are equations that have one column left, which is what they say: at an end or between."""


@dataclass(frozen=True, eq=False)
class Forced:
    """A program of which some columns are decided."""

    columns: Int64
    """Those that are open, ascending."""
    rows: Int64
    """Those that may still be broken, ascending."""
    left: Rows
    """What those rows still ask of the open columns: of a side that cannot be broken nothing."""
    x: Float64
    """``(n_columns,)``: what is decided; 0 for open columns."""
    rounds: Sequence[Forcing]

    @property
    def between(self) -> tuple[Int64, Int64]:
        """Columns that are told by a row alone, and those rows."""
        alone = [forcing for forcing in self.rounds if forcing.alone]
        row, column = (np.concatenate([self.columns[:0], *some]) for some in (
            [forcing.row for forcing in alone], [forcing.column for forcing in alone]
        ))  # fmt: skip
        return column, row

    def prices(self, cost: Float64, rows: Rows, of_rows: Float64) -> Float64:
        """A price of each row, ``(n_rows,)``, from those of the rows that were left.

        Under them decided columns are worth having at the end where they are, as all columns of an optimum,
        or cost nothing more or less between their ends. A row's price does good to a column that it decides,
        and bears on no other that is open: so the last round comes first, and one round at a time.
        """
        price = np.zeros(len(rows.least))
        price[self.rows] = of_rows
        for forcing in reversed(self.rounds):
            needed = (cost - rows.table.T @ price)[forcing.column] / forcing.value
            above, row = forcing.from_above, forcing.row
            if forcing.alone:
                price[row] = needed
            else:
                np.minimum.at(price, row[above], needed[above])
                np.maximum.at(price, row[~above], needed[~above])
        return price


def forced(rows: Rows, lower: Float64, upper: Float64) -> Forced | None:
    """What rows decide of columns, round by round; None where some row cannot be kept.

    Rows whose entries are not all whole are left as they are: in floating point nothing is certain of them.
    """
    row, column, value = rows.entries
    n_rows, whole = len(rows.least), rows.are_whole
    least_left, most_left = rows.least.copy(), rows.most.copy()
    x, open_ = np.where(upper > lower, 0.0, lower), upper > lower
    equal = rows.least == rows.most
    rounds: list[Forcing] = []
    closed = ~open_
    while True:
        # what is decided is taken off the sides of its rows
        gone = closed[column]
        used = np.bincount(row[gone], value[gone] * x[column[gone]], n_rows)
        least_left, most_left = least_left - used, most_left - used
        row, column, value = row[~gone], column[~gone], value[~gone]
        rises = value > 0
        least = np.bincount(row, value * np.where(rises, lower[column], upper[column]), n_rows)
        most = np.bincount(row, value * np.where(rises, upper[column], lower[column]), n_rows)
        if np.any(whole & ((least > most_left) | (most < least_left))):
            return None
        from_above, from_below = whole & (least == most_left), whole & (most == least_left)
        of = np.flatnonzero((from_above | from_below)[row])
        above, alone = from_above[row[of]], not len(of)
        decided = np.where(above == rises[of], lower[column[of]], upper[column[of]])
        if alone:
            of = np.flatnonzero((whole & equal & (np.bincount(row, minlength=n_rows) == 1))[row])
            of = of[np.abs(value[of]) == 1]
            of = of[np.unique(column[of], return_index=True)[1]]  # the others have nothing left
            above, decided = np.zeros(len(of), dtype=bool), value[of] * least_left[row[of]]
        if not len(of):
            break
        rounds.append(Forcing(row[of], column[of], value[of], above, alone))
        closed = np.zeros(len(x), dtype=bool)
        closed[column[of]] = True
        x[column[of]] = decided
        open_ &= ~closed
    too_low, too_high = least < least_left, most > most_left
    kept, some = np.flatnonzero(too_low | too_high), np.flatnonzero(open_)
    left = Rows(
        rows.table[kept][:, some],
        np.where(too_low | equal, least_left, -np.inf)[kept],
        np.where(too_high | equal, most_left, np.inf)[kept],
    )
    return Forced(some, kept, left, x, rounds)
