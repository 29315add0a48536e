"""Proofs of the small program: a tree of cases, each closed by prices.

The linear program of `Sheet` alone proves most values. Where it does not, a column is taken to be at
most, or more than, what it nearly is, until prices close every case (branch and bound: A. H. Land,
A. G. Doig, "An automatic method of solving discrete programming problems", 1960). Whoever adds up the
prices of every case has proved the bound anew, without a solver: that is what the judge does.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import ceil
from typing import Any

import numpy as np
import numpy.typing as npt

from equipoise.planning.highs import WHOLE, Relaxed, relaxed, unkept
from equipoise.planning.sheet import INFINITE, Sheet

Int64 = npt.NDArray[np.int64]
Float64 = npt.NDArray[np.float64]
BoolArray = npt.NDArray[np.bool_]
SCALES = (720_720, 2**40)
"""Prices are whole numbers of such a part of the goal's unit."""
MAX_COLUMNS = 30_000
"""Of a program that is tried: a linear program takes seconds then."""
MAX_CASES = 600
"""In a tree."""
MAX_WORK = 40_000_000
"""Cases times factors in the table: some ten seconds."""


@dataclass(frozen=True, eq=False)
class Tree:
    """A proof that a goal is at least something."""

    bound: int
    branches: Int64
    """``(n_nodes, 2)``, each node before its two: the column that is divided, and the most that it is in the
    first of them; -1 for a case that is closed."""
    prices: Int64
    """``(n_closed, 1 + n_rows)``: of the goal, none negative, and of each row."""


def proof_of(sheet: Sheet, value: int) -> Tree | None:
    """The proof that the goal is at least ``value``; else of what the linear program alone proves.

    None where that is nothing.
    """
    root = relaxed(sheet) if len(sheet.cost) <= MAX_COLUMNS else None
    if root is None:
        return None
    if (tree := divided(sheet, root, value)) is not None:
        return tree
    bound = ceil(root.least - WHOLE) + sheet.offset
    prices = closing(sheet, root.prices, bound)
    return None if prices is None else Tree(bound, np.full((1, 2), -1), prices[None, :])


def divided(sheet: Sheet, root: Relaxed, value: int) -> Tree | None:
    """All cases closed, from the root's optimum on; None where `MAX_CASES` were not enough."""
    most = min(MAX_CASES, MAX_WORK // max(1, sheet.table.nnz))
    branches: list[tuple[int, int]] = []
    prices: list[Int64] = []
    open_, wide = [sheet], sheet.upper - sheet.lower > 1
    while open_:
        case = open_.pop()
        if len(branches) >= most:
            return None
        at_best = root if case is sheet else relaxed(case)
        if (closed := closed_by(case, at_best, value)) is not None:
            branches.append((-1, -1))
            prices.append(closed)
        elif at_best is not None and (part := most_divided(at_best.x, wide)) is not None:
            branches.append(part)
            open_ += [above(case, *part), below(case, *part)]
        else:
            return None
    return Tree(value, np.array(branches, dtype=np.int64), np.array(prices))


def closed_by(case: Sheet, found: Relaxed | None, value: int) -> Int64 | None:
    """Prices that leave nothing below ``value`` in a case, or nothing at all; None where there are none."""
    if found is not None:
        return closing(case, found.prices, value)
    broken = unkept(case)
    return None if broken is None else closing(case, broken, value, of_goal=0)


def below(sheet: Sheet, column: int, most: int) -> Sheet:
    """The case in which a column is at most so much."""
    upper = sheet.upper.copy()
    upper[column] = most
    return replace(sheet, upper=upper)


def above(sheet: Sheet, column: int, most: int) -> Sheet:
    """The case in which it is more."""
    lower = sheet.lower.copy()
    lower[column] = most + 1
    return replace(sheet, lower=lower)


def closing(sheet: Sheet, prices: Float64, value: int, of_goal: int = 1) -> Int64 | None:
    """Whole prices that prove the goal to be at least ``value``, ``(1 + n_rows,)``; None where none do."""
    for scale in SCALES:
        whole = np.rint(prices * scale)
        if np.abs(whole).max(initial=0) > 2**50:
            break
        stored = np.r_[of_goal * scale, whole.astype(np.int64)]
        stored[1:][(stored[1:] > 0) & (sheet.least <= -INFINITE)] = 0
        stored[1:][(stored[1:] < 0) & (sheet.most >= INFINITE)] = 0
        if proves(sheet, stored, value):
            return stored
    return None


def proves(sheet: Sheet, stored: Int64, value: int) -> bool:
    """True where no columns within their bounds have the goal below ``value``, at these prices."""
    of_goal, prices = int(stored[0]), stored[1:].astype(object)
    paid = np.where(prices > 0, prices * sheet.least, prices * sheet.most).sum()
    pull = of_goal * sheet.cost.astype(object) - transposed(sheet.table, prices)
    paid += np.where(pull > 0, pull * sheet.lower, pull * sheet.upper).sum()
    return bool(paid > of_goal * (value - 1 - sheet.offset))


def transposed(table: Any, prices: Any) -> Any:
    """``prices @ table``, ``(n_columns,)``, in whole numbers of any size."""
    rows = np.repeat(np.arange(table.shape[0]), np.diff(table.indptr))
    total = np.zeros(table.shape[1], dtype=object)
    np.add.at(total, table.indices, prices[rows] * table.data.astype(object))
    return total


def most_divided(x: Float64, wide: BoolArray) -> tuple[int, int] | None:
    """The column that is farthest from whole, a ``wide`` one if it can be; None where all are whole.

    Counts are wide: what they say holds for all partitions alike, and so divides more than one of these.
    """
    split = np.abs(x - np.round(x))
    for some in (wide, np.ones(len(x), dtype=bool)):
        column = int(np.where(some, split, 0).argmax())
        if split[column] > WHOLE and some[column]:
            return column, int(np.floor(x[column]))
    return None
