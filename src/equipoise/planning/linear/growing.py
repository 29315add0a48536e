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

from equipoise.planning.linear.forcing import forced
from equipoise.planning.linear.highs import Answer, filled
from equipoise.planning.linear.rows import Float64, Int64, Rows

DUAL, PRIMAL = 1, 4
"""HiGHS' numbers of the dual and of the primal simplex method."""
STATUS = tuple(map(highs.HighsBasisStatus, range(5)))
LOWER, BASIC, UPPER = 0, 1, 2
SOLVED = (highs.HighsModelStatus.kOptimal, highs.HighsModelStatus.kModelEmpty)
"""It has the optimum; of no columns that is nothing."""
OPTIONS = (("output_flag", False), ("presolve", "off"), ("solver", "simplex"))
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

    def of_all(self, names: Int64, new: int) -> list[highs.HighsBasisStatus]:
        """The status of each name, ``new`` where there was none before."""
        at = np.minimum(np.searchsorted(self.names, names), len(self.names) - 1)
        status = np.where(self.names[at] == names, self.status[at], new)
        return [STATUS[k] for k in status.tolist()]


class GrowingProgram:
    """The corner at which its last program ended: nothing else stays of that."""

    def __init__(self, names: tuple[Int64, Int64], near: Float64, ends: Ends) -> None:
        """``names`` and ``ends`` as of `optimum`; ``near``: columns that keep the rows.

        Where those are all at an end, they are the first corner. Else the first program is begun at none.
        """
        self.corner: tuple[Places, Places] | None = None
        at_upper = near >= ends[1]
        if np.all(at_upper | (near <= ends[0])):
            status = np.where(at_upper, UPPER, LOWER)
            self.corner = Places.of(names[0], status), Places.of(names[1], np.full(len(names[1]), BASIC))

    def optimum(
        self, cost: Float64, rows: Rows, ends: Ends, names: tuple[Int64, Int64], iterations: int | None
    ) -> Answer | None:
        """The optimum of its next program; None if none was found, in ``iterations`` if those are given.

        ``ends``: lower and upper of each column. ``names``: a number for each column and for each row, by
        which the next program knows them. What rows decide by themselves is left out. Presolve is off, as it
        would lose the corner, and takes long where many equations follow from others.
        """
        known = forced(rows, *ends)
        if known is None:
            return None
        some, kept = known.columns, known.rows
        solver = highs._Highs()
        strategy = DUAL if self.corner is None else PRIMAL
        for option, value in (*OPTIONS, ("simplex_strategy", strategy)):
            solver.setOptionValue(option, value)
        if iterations is not None:
            solver.setOptionValue("simplex_iteration_limit", iterations)
        solver.passModel(model_of(cost[some], known.left, (ends[0][some], ends[1][some])))
        if self.corner is not None:
            basis = highs.HighsBasis()
            basis.col_status = self.corner[0].of_all(names[0][some], LOWER)
            basis.row_status = self.corner[1].of_all(names[1][kept], BASIC)
            basis.valid = basis.alien = True  # alien: HiGHS mends what is no basis
            solver.setBasis(basis)
        solver.run()
        if solver.getModelStatus() not in SOLVED:
            return None
        basis, found, told = solver.getBasis(), solver.getSolution(), solver.getInfo()
        # What was decided is at an end, and the rows that decided it hold nothing else.
        of_columns, of_rows = np.where(known.x >= ends[1], UPPER, LOWER), np.full(len(rows.least), BASIC)
        of_columns[some] = [int(status) for status in basis.col_status]
        of_rows[kept] = [int(status) for status in basis.row_status]
        self.corner = Places.of(names[0], of_columns), Places.of(names[1], of_rows)
        x, price, pull = (np.array(each) for each in (found.col_value, found.row_dual, found.col_dual))
        value = told.objective_function_value
        taken = max(0, told.simplex_iteration_count)  # of nothing there is no count
        return filled(known, cost, rows, Answer(x, value, value, price, pull, taken))


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
