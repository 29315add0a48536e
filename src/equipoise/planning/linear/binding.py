"""HiGHS' own object, as SciPy brings it: a program stays in it, and goes on from a corner."""

from __future__ import annotations

# SciPy does not promise to keep it: `pyproject.toml` has an upper bound of SciPy's version.
from scipy.optimize._highspy import _core as highs

from equipoise.planning.linear.rows import Float64, Rows

__all__ = ["DUAL", "PRIMAL", "SOLVED", "Ends", "highs", "solver_of"]
DUAL, PRIMAL = 1, 4
"""HiGHS' numbers of the simplex methods."""
SOLVED = (highs.HighsModelStatus.kOptimal, highs.HighsModelStatus.kModelEmpty)
"""It has the optimum; of no columns that is nothing."""
OPTIONS = (("output_flag", False), ("presolve", "off"), ("solver", "simplex"))
"""Presolve would lose the corner, and finds little beside what is left out before."""
Ends = tuple[Float64, Float64]
"""Lower and upper of each column, ``(n_columns,)``."""


def solver_of(cost: Float64, rows: Rows, ends: Ends, method: int, iterations: int | None) -> highs._Highs:
    """A program for one of the simplex methods, not solved yet; each run may take so many ``iterations``."""
    solver = highs._Highs()
    for option, chosen in (*OPTIONS, ("simplex_strategy", method)):
        solver.setOptionValue(option, chosen)
    if iterations is not None:
        solver.setOptionValue("simplex_iteration_limit", iterations)
    solver.passModel(model_of(cost, rows, ends))
    return solver


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
