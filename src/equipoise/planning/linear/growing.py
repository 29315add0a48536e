"""A linear program that is asked for again and again, with other columns and rows, from corner to corner.

HiGHS begins every program anew, unless it is given a corner: the basis, which says of each column and each
row whether it is at an end. A new column at its lower end and a new row that is at none leave what the rows
sum up as it was, and so the primal simplex method goes on from there (G. B. Dantzig, "Linear Programming and
Extensions", 1963, chapter 5).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from equipoise.planning.linear.binding import DUAL, PRIMAL, SOLVED, Ends, highs, kept_by, solver_of
from equipoise.planning.linear.highs import Answer
from equipoise.planning.linear.reduction import Reduced, reduced
from equipoise.planning.linear.rows import Float64, Int64, Rows

STATUS = tuple(map(highs.HighsBasisStatus, range(5)))
LOWER, BASIC, UPPER = 0, 1, 2


@dataclass(frozen=True, eq=False)
class Places:
    """Where the columns or the rows of a corner are."""

    names: Int64
    """``(n,)``, ascending."""
    status: Int64
    """``(n,)``: a number of `STATUS`."""

    @classmethod
    def of(cls, names: Int64, status: Int64) -> Places:
        """From names in any order."""
        order = np.argsort(names)
        return cls(names[order], status[order])

    def of_all(self, names: Int64, new: Int64) -> Int64:
        """The status of each name, the ``new`` one where there was none before."""
        if not len(self.names):
            return new
        at = np.minimum(np.searchsorted(self.names, names), len(self.names) - 1)
        return np.where(self.names[at] == names, self.status[at], new)


NOWHERE = Places(np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64))


class GrowingProgram:
    """The corner at which its last program ended: nothing else stays of that."""

    def __init__(self, *, is_whole: bool) -> None:
        """``is_whole``: the first program is most of what comes; else it is little, and near its optimum.

        The dual simplex method solves a first program that is whole: the primal one takes up to 15 times as
        long there, and a fraction of the time on from a corner.
        """
        self.is_whole = is_whole
        self.corner = NOWHERE, NOWHERE

    def optimum(
        self,
        cost: Float64,
        rows: Rows,
        ends: Ends,
        near: Float64,
        names: tuple[Int64, Int64],
        iterations: int | None = None,
    ) -> Answer | None:
        """The optimum of its next program; None if none was found, in ``iterations`` if those are given.

        ``ends``: lower and upper of each column; ``near``: about where columns are best that are new.
        ``names``: a number for each column and for each row, by which the next program knows them. What rows
        decide by themselves is left out, and columns that an equation ties to each other are one.
        """
        left = reduced(cost, rows, *ends)
        if left is None:
            return None
        program = left.cost, left.rows, left.ends
        if self.is_whole and self.corner[0] is NOWHERE:
            found = counted_from(near[left.columns], *program, iterations)
        else:
            basis = begun(self.corner, left, names, ends, near)
            found = solved(*program, PRIMAL, iterations, basis)
        if found is None:
            return None
        self.corner = ended(left, found, names, ends)
        return left.filled(found.x, found.of_rows, found.iterations)


@dataclass(frozen=True, eq=False)
class Corner:
    """The optimum of what is left of a program, and where its columns and rows are there."""

    x: Float64
    of_rows: Float64
    columns: Int64
    """``(n_columns,)``: numbers of `STATUS`, as of ``rows``."""
    rows: Int64
    iterations: int


def counted_from(
    x: Float64, cost: Float64, rows: Rows, ends: Ends, iterations: int | None
) -> Corner | None:
    """The optimum by the dual simplex method, from where each column is at the end that is nearer to ``x``.

    HiGHS moves a column that costs nothing to its lower end before it begins. So columns that are nearer to
    their upper end are counted down from there: if ``x`` is a plan, most rows are kept, and what is left
    is how the best differs from it, a half of the iterations or fewer.
    """
    lower, upper = ends
    falls = 2 * x > lower + upper
    turn, start = np.where(falls, -1.0, 1.0), np.where(falls, upper, lower)
    table, used = rows.table.copy(), rows.table @ start
    table.data *= turn[table.indices]
    turned = Rows(table, rows.least - used, rows.most - used)
    found = solved(turn * cost, turned, (np.zeros_like(x), upper - lower), DUAL, iterations)
    if found is None:
        return None
    columns = np.where(falls & (found.columns != BASIC), LOWER + UPPER - found.columns, found.columns)
    return replace(found, x=start + turn * found.x, columns=columns)


def solved(
    cost: Float64,
    rows: Rows,
    ends: Ends,
    method: int,
    iterations: int | None,
    basis: highs.HighsBasis | None = None,
) -> Corner | None:
    """The optimum, from a ``basis`` if one is given; None if none was found."""
    solver = solver_of(cost, rows, ends, kept_by(method, iterations))
    if basis is not None:
        solver.setBasis(basis)
    solver.run()
    if solver.getModelStatus() not in SOLVED:
        return None
    basis, found, told = solver.getBasis(), solver.getSolution(), solver.getInfo()
    places = (basis.col_status, basis.row_status)
    columns, kept = (np.frombuffer(bytes(of), dtype=np.uint8).astype(np.int64) for of in places)
    taken = max(0, told.simplex_iteration_count)  # of nothing there is no count
    return Corner(np.array(found.col_value), np.array(found.row_dual), columns, kept, taken)


def begun(
    corner: tuple[Places, Places], left: Reduced, names: tuple[Int64, Int64], ends: Ends, near: Float64
) -> highs.HighsBasis:
    """A corner as one of what is left: a column is at an end where one that follows it is at its own."""
    some, tied = left.known.columns, left.merged
    lower, upper, x = ends[0][some], ends[1][some], near[some]
    new = np.where(2 * x > lower + upper, UPPER, LOWER)
    if corner[0] is not NOWHERE:  # the conditions of what was cut anew have no other column
        new[(x > lower) & (x < upper)] = BASIC
    status = corner[0].of_all(names[0][some], new)
    at_end = np.flatnonzero(status != BASIC)
    x = np.where(status == UPPER, upper, lower)[at_end]
    of, z = tied.of[at_end], tied.turn[at_end] * (x - tied.apart[at_end])
    columns = np.full(len(tied.columns), BASIC)
    columns[of] = np.where(2 * z > (tied.lower + tied.upper)[of], UPPER, LOWER)
    rows = corner[1].of_all(names[1][left.of_rows], np.full(len(left.of_rows), BASIC))
    basis = highs.HighsBasis()
    basis.col_status, basis.row_status = ([STATUS[k] for k in places.tolist()] for places in (columns, rows))
    basis.valid = basis.alien = True  # alien: HiGHS mends what is no basis
    return basis


def ended(
    left: Reduced, found: Corner, names: tuple[Int64, Int64], ends: Ends
) -> tuple[Places, Places]:
    """The corner of all columns and rows, from the status of each that is left.

    Of columns that follow one at an end the first is at its own. What rows decided is at an end, or else the
    row is, as the equations that tie columns are.
    """
    known, tied = left.known, left.merged
    of_columns, of_rows = np.where(known.x >= ends[1], UPPER, LOWER), np.full(len(names[1]), BASIC)
    between, by = known.between
    of_columns[between], of_rows[by] = BASIC, LOWER
    of_columns[known.columns], of_rows[known.rows] = BASIC, LOWER
    for at, first in zip((LOWER, UPPER), tied.first, strict=True):
        some = first[found.columns == at]
        of_columns[known.columns[some]] = np.where(tied.turn[some] > 0, at, UPPER + LOWER - at)
    of_rows[left.of_rows] = found.rows
    return Places.of(names[0], of_columns), Places.of(names[1], of_rows)
