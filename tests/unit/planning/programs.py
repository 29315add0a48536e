"""Small linear programs, written row by row."""

from __future__ import annotations

import numpy as np

from equipoise.planning.linear.growing import GrowingProgram
from equipoise.planning.linear.highs import Answer
from equipoise.planning.linear.rows import Rows


def rows(*each: tuple[float, list[float], float]) -> Rows:
    """Rows as (least, factors, most)."""
    least, table, most = zip(*each, strict=True)
    row, column = np.nonzero(table)
    return Rows.of(np.shape(table), least, most, (row, column, np.array(table)[row, column]))


def begun_near(
    cost: np.ndarray, program: Rows, ends: tuple[np.ndarray, np.ndarray], near: np.ndarray
) -> Answer | None:
    """The optimum of a program that is there as a whole, from about where it is likely."""
    names = np.arange(len(cost)), np.arange(len(program.least))
    return GrowingProgram(is_whole=True).optimum(cost, program, ends, near, names)
