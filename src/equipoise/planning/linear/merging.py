"""Columns that an equation ties to each other are one: the doubleton equations of a linear program.

Where an equation has two columns, each is told by the other, and so is every column that a chain of such
equations leads to (E. D. Andersen, K. D. Andersen, "Presolving in linear programming", Mathematical
Programming 71, 1995). Of a joint program that is half of all: whether a replica leaves, what its broker then
has of the topic, and what that costs are told by each other.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array

from equipoise.planning.linear.rows import BoolArray, Float64, Int64, Rows


@dataclass(frozen=True, eq=False)
class Ties:
    """Columns, each tied by an equation to one that is nearer to the column they follow; ``(n,)`` each."""

    column: Int64
    nearer: Int64
    row: Int64
    value: Float64
    """Of the column in that equation."""
    towards: Float64
    """1 or -1: whether it rises with the one that is nearer."""

    def of(self, some: Int64 | BoolArray) -> Ties:
        """Those at some positions."""
        return Ties(
            self.column[some], self.nearer[some], self.row[some], self.value[some], self.towards[some]
        )


@dataclass(frozen=True, eq=False)
class Merged:
    """A program in which columns that follow another are left out: ``x = turn * z[of] + apart``."""

    columns: Int64
    """Those that are left, ascending."""
    of: Int64
    """``(n_columns,)``: which of them each follows."""
    turn: Float64
    """1 or -1: whether it rises with the column that it follows."""
    apart: Float64
    lower: Float64
    """``(n_merged,)``, as ``upper``."""
    upper: Float64
    first: tuple[Int64, Int64]
    """``(n_merged,)`` each: of those that follow a column, which comes to an end first if that falls, and if
    it rises."""
    rows: Int64
    """Those that are left, ascending."""
    left: Rows
    ties: Sequence[Ties]
    """The nearest first."""

    def cost(self, cost: Float64) -> Float64:
        """What a unit of each column that is left costs, ``(n_merged,)``, with all that follow it."""
        return np.asarray(np.bincount(self.of, self.turn * cost, len(self.lower)))

    def x(self, z: Float64) -> Float64:
        """All columns, from those that are left."""
        return self.turn * z[self.of] + self.apart

    def prices(self, cost: Float64, rows: Rows, of_rows: Float64) -> Float64:
        """A price of each row, ``(n_rows,)``, from those of the rows that are left.

        Of all that follow a column, what it would cost to move it is told by the first that is at an end. The
        others are worth what they cost, and the prices of their ties see to that: the farthest first.
        """
        price = np.zeros(len(rows.least))
        price[self.rows] = of_rows
        reduced = cost - rows.table.T @ price
        together = self.cost(reduced)
        ending = np.where(together > 0, *self.first)
        reduced[ending] -= together * self.turn[ending]
        owed = self.turn * reduced
        for ties in reversed(self.ties):
            price[ties.row] = owed[ties.column] * self.turn[ties.column] / ties.value
            np.add.at(owed, ties.nearer, owed[ties.column])
        return price


def merged(rows: Rows, lower: Float64, upper: Float64) -> Merged | None:
    """The program without columns that others tell; None where some cannot be what equations say.

    Equations whose entries are not whole, or not as large as each other, tie nothing.
    """
    n = len(lower)
    nearest, ties = in_order(n, doubletons(rows))
    turn, apart, follows = np.ones(n), np.zeros(n), np.arange(n)
    for tie in ties:
        turn[tie.column] = tie.towards * turn[tie.nearer]
        apart[tie.column] = rows.least[tie.row] / tie.value + tie.towards * apart[tie.nearer]
        follows[tie.column] = follows[tie.nearer]
    of = np.searchsorted(nearest, follows)
    ends = lower - apart, upper - apart
    falls, rises = np.where(turn > 0, ends, (-ends[1], -ends[0]))
    deepest, lowest = tightest(of, -falls, len(nearest))
    highest, last = tightest(of, rises, len(nearest))
    if np.any(-deepest > highest):
        return None
    kept = np.delete(np.arange(len(rows.least)), np.concatenate([nearest[:0], *(tie.row for tie in ties)]))
    used = rows.table @ apart
    table = (rows.table @ csr_array((turn, (np.arange(n), of)), shape=(n, len(nearest))))[kept]
    table.eliminate_zeros()
    left = Rows(table, (rows.least - used)[kept], (rows.most - used)[kept])
    return Merged(nearest, of, turn, apart, -deepest, highest, (lowest, last), kept, left, ties)


def tightest(of: Int64, room: Float64, n: int) -> tuple[Float64, Int64]:
    """The least room of what each of ``n`` columns is followed by, ``(n,)``, and whose that is."""
    order = np.lexsort([room, of])
    first = order[np.searchsorted(of[order], np.arange(n))]
    return room[first], first


def doubletons(rows: Rows) -> Ties:
    """Equations that have two columns, each of which is tied to the other."""
    table = rows.table
    row = np.flatnonzero((rows.least == rows.most) & rows.are_whole & (np.diff(table.indptr) == 2))
    at = table.indptr[row][:, None] + np.arange(2)
    columns, values = table.indices[at].astype(np.int64), table.data[at]
    some = np.flatnonzero((np.abs(values[:, 0]) == np.abs(values[:, 1])) & (values[:, 0] != 0))
    row, columns, values = row[some], columns[some], values[some]
    towards = np.tile(-values[:, 0] / values[:, 1], 2)
    return Ties(columns.T.ravel(), columns.T[::-1].ravel(), np.tile(row, 2), values.T.ravel(), towards)


def in_order(n: int, ways: Ties) -> tuple[Int64, list[Ties]]:
    """Those of ``n`` columns that others follow, ascending; and the ties of the others, the nearest first."""
    nearest = first_of_each(n, ways)
    reached, ties = np.zeros(n, dtype=bool), list[Ties]()
    reached[nearest] = True
    while True:
        ways = ways.of(~reached[ways.column])
        ready = np.flatnonzero(reached[ways.nearer])
        if not len(ready):
            return nearest, ties
        ties.append(ways.of(ready[np.unique(ways.column[ready], return_index=True)[1]]))
        reached[ties[-1].column] = True


def first_of_each(n: int, ways: Ties) -> Int64:
    """The first of all columns that are tied to each other, through others too, ascending.

    SciPy has this, but takes a tenth of a second to load it.
    """
    first = np.arange(n)
    while True:
        nearer = first.copy()
        np.minimum.at(nearer, first[ways.column], first[ways.nearer])  # with it all that it is the first of
        nearer = nearer[nearer]  # twice as far each time
        if np.array_equal(nearer, first):
            return np.flatnonzero(first == np.arange(n))
        first = nearer
