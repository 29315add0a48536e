"""HiGHS' own object, as SciPy brings it.

SciPy's functions begin every program anew, and take half a second to load; this object is a tenth of that,
and a program that stays in it goes on from a corner. SciPy does not promise to keep it: `pyproject.toml`
has an upper bound of SciPy's version.
"""

from __future__ import annotations

import sys
from importlib import import_module
from importlib.machinery import PathFinder
from importlib.util import module_from_spec
from typing import TYPE_CHECKING, Any

import scipy

from equipoise.planning.linear.rows import BoolArray, Float64, Rows


def module(name: str) -> Any:
    """A compiled module of SciPy by itself: the packages around it may take half a second to load.

    Whoever loads those afterwards finds it there, as it must not be loaded twice.
    """
    if name not in sys.modules:
        _, *folders, last = name.split(".")
        spec = PathFinder.find_spec(last, ["/".join([scipy.__path__[0], *folders])])
        if spec is None or spec.loader is None:
            return import_module(name)
        found = module_from_spec(spec)
        spec.loader.exec_module(found)
        sys.modules[name] = found
    return sys.modules[name]


if TYPE_CHECKING:
    from scipy.optimize._highspy import _core as highs
else:
    highs = module("scipy.optimize._highspy._core")
__all__ = ["DUAL", "PRIMAL", "SOLVED", "Ends", "Options", "highs", "kept_by", "solver_of"]
DUAL, PRIMAL = 1, 4
"""HiGHS' numbers of the simplex methods."""
SOLVED = (highs.HighsModelStatus.kOptimal, highs.HighsModelStatus.kModelEmpty)
"""It has the optimum; of no columns that is nothing."""
KINDS = (highs.HighsVarType.kContinuous, highs.HighsVarType.kInteger)
Ends = tuple[Float64, Float64]
"""Lower and upper of each column, ``(n_columns,)``."""
Options = dict[str, object]


def solver_of(
    cost: Float64, rows: Rows, ends: Ends, options: Options, integral: BoolArray | None = None
) -> highs._Highs:
    """A program, not solved yet; an option that is None is as HiGHS has it.

    ``integral``: which columns are whole, ``(n_columns,)``.
    """
    solver = highs._Highs()
    for option, chosen in ({"output_flag": False} | options).items():
        if chosen is not None:
            solver.setOptionValue(option, chosen)
    model = model_of(cost, rows, ends)
    if integral is not None:
        model.integrality_ = [KINDS[whole] for whole in integral.tolist()]
    solver.passModel(model)
    return solver


def kept_by(method: int, iterations: int | None) -> Options:
    """Options of a program that goes on from its corner by one of the simplex methods.

    Each run may take so many ``iterations``. Presolve would lose the corner, and finds little beside what is
    left out before.
    """
    limits: Options = {"simplex_strategy": method, "simplex_iteration_limit": iterations}
    return {"presolve": "off", "solver": "simplex"} | limits


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
