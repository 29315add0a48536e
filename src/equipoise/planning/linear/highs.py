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
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.sparse import vstack

from equipoise.planning.linear.rows import Float64, Rows

NEARLY = 1e-6
"""What HiGHS lets rows and whole columns be off: a column so near to a whole number is one."""


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
    from scipy.optimize import linprog  # half a second to load, which most plans do without

    cost = np.asarray(cost, dtype=np.float64)
    if not len(cost):
        return without_columns(rows)
    ends = [np.broadcast_to(np.asarray(end, dtype=np.float64), cost.shape) for end in (lower, upper)]
    equal = rows.least == rows.most
    # A row with two sides that differ is there twice, once for each; only one of them can bind.
    above = np.flatnonzero(~equal & np.isfinite(rows.most))
    below = np.flatnonzero(~equal & np.isfinite(rows.least))
    found = linprog(
        cost,
        A_ub=vstack([rows.table[above], -rows.table[below]], format="csr"),
        b_ub=np.concatenate([rows.most[above], -rows.least[below]]),
        A_eq=rows.table[equal],
        b_eq=rows.least[equal],
        bounds=np.column_stack(ends),
        method="highs-ds" if simplex else "highs-ipm",
    )
    if found.status:
        return None
    of_rows = np.zeros(len(equal))
    of_rows[equal] = found.eqlin.marginals
    of_rows[above] += found.ineqlin.marginals[: len(above)]
    # Rows that hold from below were turned round, and so are their prices.
    of_rows[below] -= found.ineqlin.marginals[len(above) :]
    of_columns = found.lower.marginals + found.upper.marginals
    value = float(found.fun)
    return Answer(found.x, value, value, of_rows, of_columns, int(found.nit))


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
    from scipy.optimize import Bounds, LinearConstraint, milp  # as above

    cost = np.asarray(cost)
    if not len(cost):
        return without_columns(rows)
    limits = {"node_limit": nodes, "time_limit": seconds, "mip_rel_gap": 0.0 if exact else None}
    given = {name: limit for name, limit in limits.items() if limit is not None}
    with silent():
        found: Any = milp(
            cost,
            integrality=np.broadcast_to(np.asarray(integral, dtype=np.int64), cost.shape),
            bounds=Bounds(lower, upper),
            constraints=LinearConstraint(rows.table, rows.least, rows.most),
            options={"presolve": False} | given,
        )
    if seconds is not None and found.status == 1:
        raise OutOfTime
    if found.x is None:
        return None
    # Without whole columns it is a linear program, and its optimum is its bound.
    least = found.fun if found.mip_dual_bound is None else found.mip_dual_bound
    return Answer(found.x, float(found.fun), float(least), np.zeros(len(rows.least)), np.zeros(len(cost)))


def without_columns(rows: Rows) -> Answer | None:
    """The answer of a program without columns, which SciPy does not take."""
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
