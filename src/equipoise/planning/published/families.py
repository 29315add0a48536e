"""Families of constraints of a 0-1 program, and how they are given to HiGHS."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from equipoise.planning.linear.rows import Rows

Float = npt.NDArray[np.float64]
Int = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Family:
    """Rows ``low <= sum(coefficient * variable) <= high`` that say one thing, sparse by (row, column)."""

    sentence: str
    row: Int
    column: Int
    coefficient: Float
    low: Float
    """``(n_rows,)``, -inf where there is no lower side."""
    high: Float
    names: Sequence[str] = ()
    """What each row is of, where it may be to blame for a contradiction: "broker 3"."""
    unit: str = ""
    """Of the limits, with a blank in front."""
    most: Float | None = None
    """The upper limits to tell, where ``high`` is only part of them."""


def rows_of(families: Sequence[Family], size: int) -> Rows:
    """The rows of all families over ``size`` variables, as HiGHS takes them."""
    from equipoise.planning.linear.rows import Rows  # SciPy, where it is needed

    return Rows.stacked(
        *(
            Rows.of((len(of.low), size), of.low, of.high, (of.row, of.column, of.coefficient))
            for of in families
        )
    )
