"""The small program without the condition that its columns are whole, and whole columns from there."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from math import ceil
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.sparse import hstack, identity

from equipoise.planning.linear.highs import NEARLY, Answer, integer, linear
from equipoise.planning.linear.warm import WarmProgram
from equipoise.planning.problem.params import Params
from equipoise.planning.programs.rows import INFINITE, Sheet
from equipoise.planning.programs.scaling import Scaled, finite

Float64 = npt.NDArray[np.float64]


def relaxed(sheet: Sheet, params: Params) -> Answer | None:
    """Columns need not be whole; None where there are none that keep the rows."""
    simplex, scaled = len(sheet.cost) <= params.simplex_columns, Scaled.of(sheet)
    found = linear(scaled.cost, scaled.rows, scaled.lower, scaled.upper, simplex=simplex)
    return None if found is None else scaled.back(found)


class Cases:
    """The relaxations of a sheet's cases, which differ in the ends of its columns."""

    def __init__(self, sheet: Sheet, params: Params) -> None:
        self.sheet, self.params = sheet, params
        self.is_warm = len(sheet.cost) <= params.simplex_columns

    def relaxed(self, case: Sheet) -> Answer | None:
        """As the function of that name."""
        if not self.is_warm:
            return relaxed(case, self.params)
        return self.kept.optimum(case)

    def unkept(self, case: Sheet) -> Answer | None:
        """Columns that break the rows least; under their prices the rows contradict each other.

        No columns keep the rows, whatever they cost: `Answer.least` has no end.
        """
        own = len(case.cost)
        ends = np.r_[case.lower, self.wide.lower[own:]], np.r_[case.upper, self.wide.upper[own:]]
        wide = replace(self.wide, lower=ends[0], upper=ends[1])
        found = self.broken.optimum(wide) if self.is_warm else relaxed(wide, self.params)
        return None if found is None else replace(found, x=found.x[:own], least=np.inf)

    @cached_property
    def kept(self) -> Warm:
        return Warm(self.sheet)

    @cached_property
    def broken(self) -> Warm:
        return Warm(self.wide)

    @cached_property
    def wide(self) -> Sheet:
        return breakable(self.sheet)


class Warm:
    """One of their programs."""

    def __init__(self, sheet: Sheet) -> None:
        self.scaled = Scaled.of(sheet)
        self.program = WarmProgram(self.scaled.cost, self.scaled.rows, self.scaled.lower, self.scaled.upper)

    def optimum(self, case: Sheet) -> Answer | None:
        """That of a case, in the units of the sheet."""
        lower, upper = (finite(ends) / self.scaled.of_columns for ends in (case.lower, case.upper))
        found = self.program.optimum(lower, upper)
        return None if found is None else self.scaled.back(found)


def breakable(sheet: Sheet) -> Sheet:
    """The sheet with columns beside its own by which every row may be broken either way, at 1 for a unit.

    This program always has columns, and costs more than nothing where the rows contradict each other. Its
    prices, none farther from 0 than 1, show that.
    """
    n_rows, n_columns = sheet.table.shape
    slack = identity(n_rows, format="csr")
    return replace(
        sheet,
        table=hstack([sheet.table, slack, -slack], format="csr"),
        lower=np.r_[sheet.lower, np.zeros(2 * n_rows, dtype=np.int64)],
        upper=np.r_[sheet.upper, np.full(2 * n_rows, INFINITE)],
        cost=np.r_[np.zeros(n_columns, dtype=np.int64), np.ones(2 * n_rows, dtype=np.int64)],
    )


def integral_near(sheet: Sheet, found: Answer, nodes: int) -> Answer | None:
    """The least of the goal over whole columns, from where it is relaxed, within some ``nodes`` of a tree.

    None where nothing was found.
    """
    near = np.round(found.x)
    # Columns that are nearly whole may break a row of large factors once they are rounded.
    if np.all(np.abs(found.x - near) < NEARLY):
        return replace(found, x=near) if keeps(sheet, near) else None
    return least_integral(sheet, nodes)


def least_integral(sheet: Sheet, nodes: int | None = None) -> Answer | None:
    """The least over whole columns within some ``nodes`` of a search tree; None where nothing was found."""
    scaled = Scaled.of(sheet)
    found = integer(
        scaled.cost, scaled.rows, scaled.lower, scaled.upper, integral=scaled.integral, nodes=nodes
    )
    if found is None:
        return None
    whole = np.round(scaled.back(found).x)
    found = replace(scaled.back(found), x=whole)
    return found if keeps(sheet, whole, scaled.integral) else None


def bound_of(sheet: Sheet, found: Answer) -> int:
    """What the goal is at least, by an answer that need not be whole."""
    # Whole columns cost a whole number, so a part of one is rounded up; the tolerance is taken off first, or
    # noise above a whole number would claim one more. It is a claim still: prices have to prove it.
    return ceil(found.least - NEARLY) + sheet.offset


def keeps(sheet: Sheet, x: Float64, whole: npt.NDArray[np.bool_] | None = None) -> bool:
    """True where whole columns keep every row, to the last byte; ``whole``: those of such columns alone.

    A column that counts bytes in large units is right to some bytes alone: `SmallProgram` counts them anew.
    """
    sums: Any = sheet.table @ x.astype(np.int64)
    good = (sums >= sheet.least) & (sums <= sheet.most)
    if whole is not None:
        good |= (sheet.table != 0) @ ~whole
    return bool(np.all(good))
