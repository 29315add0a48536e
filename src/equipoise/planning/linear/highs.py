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
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.optimize import Bounds, LinearConstraint, linprog, milp
from scipy.sparse import vstack

from equipoise.planning.linear.forcing import Forced, forced
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
    near: npt.ArrayLike | None = None,
    iterations: int | None = None,
    n_equal: int | None = None,
) -> Answer | None:
    """The optimum of a linear program; None if none was found, in ``iterations`` if those are given.

    Where it is not by ``simplex``, it is by an interior point, and from there to a corner. ``near``,
    ``(n_columns,)``, within the ends: about where the optimum is, and where the simplex method begins.
    ``n_equal``: so many rows, the first, are equations and the others are not, even where their sides meet;
    None: those whose sides meet are.
    """
    n = np.shape(cost)
    costs, least, most = (np.broadcast_to(np.asarray(x, np.float64), n) for x in (cost, lower, upper))
    if near is None:
        return solved(costs, rows, (least, most), iterations, n_equal, simplex=simplex)
    begun = np.broadcast_to(np.asarray(near, dtype=np.float64), n)
    return begun_near(costs, rows, (least, most), begun, iterations, n_equal)


def begun_near(
    cost: Float64,
    rows: Rows,
    ends: tuple[Float64, Float64],
    near: Float64,
    iterations: int | None,
    n_equal: int | None,
) -> Answer | None:
    """As `linear` by the simplex method, from where columns are ``near``, without what rows decide."""
    known = forced(rows, *ends)
    if known is None:
        return None
    some = known.columns
    if n_equal is not None:
        n_equal = int(np.searchsorted(known.rows, n_equal))
    left = cost[some], known.left, (ends[0][some], ends[1][some])
    found = counted_from(*left, near[some], iterations, n_equal)
    if found is None:
        return None
    return filled(known, cost, rows, found)


def filled(known: Forced, cost: Float64, rows: Rows, found: Answer) -> Answer:
    """The optimum of all columns, with what was ``found`` for those that rows had not decided."""
    x, of_rows = known.x.copy(), known.prices(cost, rows, found.of_rows)
    x[known.columns] = found.x
    value = found.value + float(cost @ known.x)
    return Answer(x, value, value, of_rows, cost - rows.table.T @ of_rows, found.iterations)


def solved(
    cost: Float64,
    rows: Rows,
    ends: tuple[Float64, Float64],
    iterations: int | None,
    n_equal: int | None,
    *,
    simplex: bool = True,
    presolve: bool = True,
) -> Answer | None:
    """The optimum as HiGHS finds it, see `linear`; ``ends``: lower and upper of each column."""
    if not len(cost):
        return without_columns(rows)
    equal = rows.least == rows.most if n_equal is None else np.arange(len(rows.least)) < n_equal
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
        options={"maxiter": iterations, "presolve": presolve},
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


def counted_from(
    cost: Float64,
    rows: Rows,
    ends: tuple[Float64, Float64],
    start: Float64,
    iterations: int | None,
    n_equal: int | None,
) -> Answer | None:
    """As `linear` by the simplex method, from a ``start``.

    HiGHS begins with every column at its lower end, and SciPy cannot tell it another beginning. So columns
    are counted up or down from where they are; what may do both is there twice. If that is a plan all rows
    are kept there, and what is left is how the best differs from it: half of the iterations or fewer.
    Beside what is decided before, presolve would find little there, for a third of the time.
    """
    lower, upper = ends
    up, down = np.flatnonzero(start < upper), np.flatnonzero(start > lower)
    column, turn = np.concatenate([up, down]), np.repeat([1.0, -1.0], [len(up), len(down)])
    table = rows.table[:, column]
    table.data *= turn[table.indices]
    used, paid = rows.table @ start, float(cost @ start)
    found = solved(
        cost[column] * turn, Rows(table, rows.least - used, rows.most - used),
        (np.zeros(len(column)), np.concatenate([(upper - start)[up], (start - lower)[down]])),
        iterations, n_equal, presolve=False,
    )  # fmt: skip
    if found is None:
        return None
    x, of_columns = start.copy(), cost - rows.table.T @ found.of_rows
    np.add.at(x, column, turn * found.x)
    return replace(found, x=x, value=found.value + paid, least=found.least + paid, of_columns=of_columns)


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
