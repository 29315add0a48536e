"""Families of constraints of a 0-1 program, and how they are given to HiGHS."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

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


def table(family: Family, size: int) -> Any:
    """The coefficients of a family, sparse ``(n_rows, size)``."""
    from scipy.sparse import csr_array

    shape = (len(family.low), size)
    return csr_array((family.coefficient, (family.row, family.column)), shape=shape)


@contextmanager
def silent() -> Iterator[None]:
    """Standard output closed to the solver, which now and then prints a line of its own debugging."""
    sys.stdout.flush()
    kept, nowhere = os.dup(1), os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    try:
        yield
    finally:
        os.dup2(kept, 1)
        os.close(kept)
        os.close(nowhere)
