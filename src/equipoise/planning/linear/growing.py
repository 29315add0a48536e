"""A linear program that gets more columns and rows, round by round: each goes on from the last one's corner.

SciPy's functions begin every program anew. The binding of HiGHS that they use takes a corner, too: the
basis, which says of each column and each row whether it is at an end. A new column at its lower end and a new
row that is at none leave what the rows sum up as it was, and so the primal simplex method goes on from there
(G. B. Dantzig, "Linear Programming and Extensions", 1963, chapter 5).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.optimize._highspy import _core as highs

from equipoise.planning.linear.highs import Answer
from equipoise.planning.linear.reduction import Reduced, reduced
from equipoise.planning.linear.rows import Float64, Int64, Rows

PRIMAL = 4
"""HiGHS' number of the primal simplex method."""
STATUS = tuple(map(highs.HighsBasisStatus, range(5)))
LOWER, BASIC, UPPER = 0, 1, 2
SOLVED = (highs.HighsModelStatus.kOptimal, highs.HighsModelStatus.kModelEmpty)
"""It has the optimum; of no columns that is nothing."""
OPTIONS = (("output_flag", False), ("presolve", "off"), ("solver", "simplex"), ("simplex_strategy", PRIMAL))
Ends = tuple[Float64, Float64]


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

    def of_all(self, names: Int64, new: int) -> Int64:
        """The status of each name, ``new`` where there was none before."""
        at = np.minimum(np.searchsorted(self.names, names), len(self.names) - 1)
        return np.where(self.names[at] == names, self.status[at], new)


class GrowingProgram:
    """The corner at which its last program ended: nothing else stays of that."""

    def __init__(self, names: tuple[Int64, Int64], near: Float64, ends: Ends) -> None:
        """``names`` and ``ends`` as of `optimum`; ``near``: columns that keep the rows, most at an end."""
        status = np.where(near > (ends[0] + ends[1]) / 2, UPPER, LOWER)
        self.corner = Places.of(names[0], status), Places.of(names[1], np.full(len(names[1]), BASIC))

    def optimum(
        self, cost: Float64, rows: Rows, ends: Ends, names: tuple[Int64, Int64], iterations: int | None
    ) -> Answer | None:
        """The optimum of its next program; None if none was found, in ``iterations`` if those are given.

        ``ends``: lower and upper of each column. ``names``: a number for each column and for each row, by
        which the next program knows them. What rows decide by themselves is left out, and columns that an
        equation ties to each other are one. Presolve is off, as it would lose the corner.
        """
        left = reduced(cost, rows, *ends)
        if left is None:
            return None
        solver = highs._Highs()
        for option, chosen in OPTIONS:
            solver.setOptionValue(option, chosen)
        if iterations is not None:
            solver.setOptionValue("simplex_iteration_limit", iterations)
        solver.passModel(model_of(left.cost, left.rows, left.ends))
        solver.setBasis(begun(self.corner, left, names, ends))
        solver.run()
        if solver.getModelStatus() not in SOLVED:
            return None
        basis, found, told = solver.getBasis(), solver.getSolution(), solver.getInfo()
        columns, kept = (np.array(list(map(int, of))) for of in (basis.col_status, basis.row_status))
        self.corner = ended(left, columns, kept, names, ends)
        taken = max(0, told.simplex_iteration_count)  # of nothing there is no count
        return left.filled(np.array(found.col_value), np.array(found.row_dual), taken)


def begun(
    corner: tuple[Places, Places], left: Reduced, names: tuple[Int64, Int64], ends: Ends
) -> highs.HighsBasis:
    """A corner as one of what is left: a column is at an end where one that follows it is at its own."""
    some, tied = left.known.columns, left.merged
    status = corner[0].of_all(names[0][some], LOWER)
    at_end = np.flatnonzero(status != BASIC)
    x = np.where(status == UPPER, ends[1][some], ends[0][some])[at_end]
    of, z = tied.of[at_end], tied.turn[at_end] * (x - tied.apart[at_end])
    columns = np.full(len(tied.columns), BASIC)
    columns[of] = np.where(2 * z > (tied.lower + tied.upper)[of], UPPER, LOWER)
    basis = highs.HighsBasis()
    basis.col_status = [STATUS[k] for k in columns.tolist()]
    basis.row_status = [STATUS[k] for k in corner[1].of_all(names[1][left.of_rows], BASIC).tolist()]
    basis.valid = basis.alien = True  # alien: HiGHS mends what is no basis
    return basis


def ended(
    left: Reduced, columns: Int64, rows: Int64, names: tuple[Int64, Int64], ends: Ends
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
        some = first[columns == at]
        of_columns[known.columns[some]] = np.where(tied.turn[some] > 0, at, UPPER + LOWER - at)
    of_rows[left.of_rows] = rows
    return Places.of(names[0], of_columns), Places.of(names[1], of_rows)


def model_of(cost: Float64, rows: Rows, ends: Ends) -> highs.HighsLp:
    """The program in HiGHS' own form."""
    model, table = highs.HighsLp(), rows.table
    matrix = model.a_matrix_
    model.num_row_, model.num_col_ = matrix.num_row_, matrix.num_col_ = table.shape
    model.col_cost_, model.col_lower_, model.col_upper_ = cost, *ends
    model.row_lower_, model.row_upper_ = rows.least, rows.most
    matrix.format_ = highs.MatrixFormat.kRowwise
    matrix.start_, matrix.index_, matrix.value_ = table.indptr, table.indices, table.data
    return model
