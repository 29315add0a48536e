"""HiGHS, by way of SciPy: the least of a sum of columns within bounds, where rows have to be kept.

The same program has the same answer on every machine: effort is counted in iterations and nodes, and the
presolve of whole columns, which looks at the clock, is off. `published` alone gives seconds, as the tools do
that it follows.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from equipoise.planning.linear.binding import SOLVED, Ends, Options, highs, solver_of
from equipoise.planning.linear.rows import Float64, Rows

NEARLY = 1e-6
"""What HiGHS lets rows and whole columns be off: a column so near to a whole number is one."""
ENDED = (*SOLVED, highs.HighsModelStatus.kSolutionLimit)
"""It may have columns: the best, or the best of so many nodes."""


class OutOfTime(Exception):
    """The seconds are over before the best was found."""


@dataclass(frozen=True, eq=False)
class Answer:
    """Columns that keep the rows, and what is known of any such columns."""

    x: Float64
    """``(n_columns,)``."""
    value: float
    """What they cost."""
    least: float
    """No columns that keep the rows cost less."""
    of_rows: Float64
    """``(n_rows,)``: what a unit more of each row's sum would cost; zeros where columns are whole."""
    of_columns: Float64
    """``(n_columns,)``: what a unit more of each column would cost, all rows kept; likewise."""
    iterations: int = 0
    """Of the simplex method, or of the interior point."""


def linear(
    cost: npt.ArrayLike,
    rows: Rows,
    lower: npt.ArrayLike,
    upper: npt.ArrayLike,
    *,
    simplex: bool = True,
) -> Answer | None:
    """The optimum of a linear program; None if none was found.

    Where it is not by ``simplex``, it is by an interior point, and from there to a corner.
    """
    cost, ends = columns_of(cost, lower, upper)
    if not len(cost):
        return without_columns(rows)
    solver = solver_of(cost, rows, ends, {"solver": "simplex" if simplex else "ipm"})
    solver.run()
    if solver.getModelStatus() not in SOLVED:
        return None
    found, told = solver.getSolution(), solver.getInfo()
    x, value = np.array(found.col_value), float(told.objective_function_value)
    taken = told.simplex_iteration_count or told.ipm_iteration_count
    return Answer(x, value, value, np.array(found.row_dual), np.array(found.col_dual), int(taken))


def integer(
    cost: npt.ArrayLike,
    rows: Rows,
    lower: npt.ArrayLike,
    upper: npt.ArrayLike,
    *,
    integral: npt.ArrayLike = True,
    nodes: int | None = None,
    exact: bool = False,
    seconds: float | None = None,
) -> Answer | None:
    """The best columns found of which those are whole that are ``integral``, all if nothing is said.

    None where none were found, within ``nodes`` of the search tree if those are given. ``exact``: a ten
    thousandth of the best is not near enough. Raises `OutOfTime` where ``seconds`` are not enough.
    """
    cost, ends = columns_of(cost, lower, upper)
    if not len(cost):
        return without_columns(rows)
    whole = np.broadcast_to(np.asarray(integral, dtype=bool), cost.shape)
    limits: Options = {"mip_max_nodes": nodes, "time_limit": seconds, "mip_rel_gap": 0.0 if exact else None}
    solver = solver_of(cost, rows, ends, {"presolve": "off"} | limits, whole)
    with silent():
        solver.run()
    status, told = solver.getModelStatus(), solver.getInfo()
    if status == highs.HighsModelStatus.kTimeLimit:
        raise OutOfTime
    if status not in ENDED or told.objective_function_value == highs.kHighsInf:
        return None
    x, value = np.array(solver.getSolution().col_value), float(told.objective_function_value)
    # Without whole columns it is a linear program, and its optimum is its bound.
    least = float(told.mip_dual_bound) if whole.any() else value
    return Answer(x, value, least, np.zeros(len(rows.least)), np.zeros(len(cost)))


def columns_of(cost: npt.ArrayLike, lower: npt.ArrayLike, upper: npt.ArrayLike) -> tuple[Float64, Ends]:
    """What each column costs, and its ends, where one value may be given for all."""
    cost = np.asarray(cost, dtype=np.float64)
    least, most = (np.broadcast_to(np.asarray(end, dtype=np.float64), cost.shape) for end in (lower, upper))
    return cost, (least, most)


def without_columns(rows: Rows) -> Answer | None:
    """The answer of a program without columns, which has nothing to solve."""
    if np.any(rows.least > NEARLY) or np.any(rows.most < -NEARLY):
        return None
    return Answer(np.zeros(0), 0.0, 0.0, np.zeros(len(rows.least)), np.zeros(0))


@contextmanager
def silent() -> Iterator[None]:
    """Standard output closed to HiGHS, which now and then prints a line of its own debugging."""
    try:
        kept = os.dup(1)
    except OSError:  # there is none
        yield
        return
    nowhere = os.open(os.devnull, os.O_WRONLY)
    if sys.stdout is not None:
        sys.stdout.flush()
    # HiGHS writes to the descriptor itself, past everything that Python could put in place of `sys.stdout`.
    os.dup2(nowhere, 1)
    try:
        yield
    finally:
        os.dup2(kept, 1)
        os.close(kept)
        os.close(nowhere)
