"""HiGHS: whole columns of any program; of the small one also its linear relaxation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.optimize import Bounds, LinearConstraint, OptimizeResult, linprog, milp
from scipy.sparse import hstack, identity, vstack

from equipoise.planning.programs.rows import INFINITE, Sheet

Float64 = npt.NDArray[np.float64]
MAX_NODES = 50
"""That HiGHS branches on: what is not decided near its root is left to other ways."""
MAX_SIMPLEX = 5_000
"""Columns from which on an interior point, and from there to a corner, takes a fraction of the time."""
WHOLE = 1e-6


@dataclass(frozen=True, eq=False)
class Relaxed:
    """The optimum of the linear program."""

    x: Float64
    least: float
    prices: Float64
    """``(n_rows,)``."""


def relaxed(sheet: Sheet) -> Relaxed | None:
    """Columns need not be whole; None where there are none that keep the rows."""
    return solved(sheet.cost, sheet.table, sheet)


def unkept(sheet: Sheet) -> Float64 | None:
    """Prices under which the rows contradict each other: the least that they have to be broken by."""
    n_rows, n_columns = sheet.table.shape
    slack = identity(n_rows, format="csr")
    table = hstack([sheet.table, slack, -slack], format="csr")
    wide = replace(
        sheet,
        lower=np.r_[sheet.lower, np.zeros(2 * n_rows, dtype=np.int64)],
        upper=np.r_[sheet.upper, np.full(2 * n_rows, INFINITE)],
    )
    found = solved(np.r_[np.zeros(n_columns), np.ones(2 * n_rows)], table, wide)
    return None if found is None else found.prices


def solved(cost: Any, table: Any, sheet: Sheet) -> Relaxed | None:
    """The linear program with the bounds of a sheet."""
    equal = sheet.least == sheet.most
    capped, floored = ~equal & (sheet.most < INFINITE), ~equal & (sheet.least > -INFINITE)
    answer = linprog(
        cost,
        A_ub=vstack([table[capped], -table[floored]], format="csr"),
        b_ub=np.r_[sheet.most[capped], -sheet.least[floored]],
        A_eq=table[equal],
        b_eq=sheet.least[equal],
        bounds=np.stack([sheet.lower, np.where(sheet.upper < INFINITE, sheet.upper, np.inf)], axis=1),
        method="highs-ds" if len(sheet.lower) <= MAX_SIMPLEX else "highs-ipm",
    )
    if answer.x is None:
        return None
    prices = np.zeros(len(equal))
    prices[equal] = answer.eqlin.marginals
    prices[capped] += answer.ineqlin.marginals[: capped.sum()]
    prices[floored] -= answer.ineqlin.marginals[capped.sum() :]
    return Relaxed(answer.x, float(answer.fun), prices)


@dataclass(frozen=True, eq=False)
class Whole:
    """The best whole columns found, and a bound below all."""

    x: Float64
    least: float


def whole(sheet: Sheet, found: Relaxed) -> Whole | None:
    """The least of the goal, from where it is relaxed; None where nothing was found."""
    near = np.round(found.x)
    if np.all(np.abs(found.x - near) < WHOLE):
        return Whole(near, found.least) if keeps(sheet, near) else None
    return settled(sheet)


def settled(sheet: Sheet, nodes: int | None = MAX_NODES) -> Whole | None:
    """The least over whole columns within some ``nodes`` of a search tree; None where nothing was found."""
    if not len(sheet.cost):  # SciPy takes no program without columns
        return Whole(np.zeros(0), 0.0)
    rows = LinearConstraint(sheet.table, finite(sheet.least), finite(sheet.most))
    answer = best_whole(sheet.cost, Bounds(sheet.lower, sheet.upper), [rows], nodes)
    if answer.x is None or not keeps(sheet, np.round(answer.x)):
        return None
    return Whole(np.round(answer.x), float(answer.mip_dual_bound))


def best_whole(
    cost: Any,
    bounds: Bounds,
    rows: Sequence[LinearConstraint],
    nodes: int | None,
    *,
    exact: bool = False,
) -> OptimizeResult:
    """HiGHS' answer of all columns whole, the same on every machine; ``x`` is None where it found none.

    ``exact``: it is not content with what is within a ten thousandth of the best.
    """
    return milp(
        cost,
        integrality=np.ones(len(cost)),
        bounds=bounds,
        constraints=rows,
        # presolve looks at the clock: a busy machine would find another of the best plans
        options={"presolve": False}
        | ({} if nodes is None else {"node_limit": nodes})
        | ({"mip_rel_gap": 0} if exact else {}),
    )


def keeps(sheet: Sheet, x: Float64) -> bool:
    """True where whole columns keep every row, to the last byte."""
    sums = sheet.table @ x.astype(np.int64)
    return bool(np.all((sums >= sheet.least) & (sums <= sheet.most)))


def finite(bounds: npt.NDArray[np.int64]) -> Float64:
    """As HiGHS reads bounds."""
    return np.where(np.abs(bounds) < INFINITE, bounds, np.copysign(np.inf, bounds))
