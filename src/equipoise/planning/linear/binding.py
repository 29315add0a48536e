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

import numpy as np
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
    table = rows.table
    n_rows, n_columns = table.shape
    form, sense = int(highs.MatrixFormat.kRowwise), int(highs.ObjSense.kMinimize)
    whole = np.zeros(n_columns, dtype=np.int32) if integral is None else integral.astype(np.int32)
    # as arrays: into HiGHS' own form of a program each number goes on its own
    solver.passModel(
        n_columns, n_rows, table.nnz, form, sense, 0.0, cost, *ends, rows.least, rows.most,
        table.indptr[:-1], table.indices, table.data, whole,
    )  # fmt: skip
    return solver


def kept_by(method: int, iterations: int | None) -> Options:
    """Options of a program that goes on from its corner by one of the simplex methods.

    Each run may take so many ``iterations``. Presolve would lose the corner, and finds little beside what is
    left out before.
    """
    limits: Options = {"simplex_strategy": method, "simplex_iteration_limit": iterations}
    return {"presolve": "off", "solver": "simplex"} | limits
