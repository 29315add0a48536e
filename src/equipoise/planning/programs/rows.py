"""Rows and columns of a linear program in whole numbers, written down as goals and rules ask for them.

The judge writes the same program down by itself. What must agree is how rows and columns are numbered: they
have the order in which they are made, a row's columns ascend, its first factor is positive, and a row without
columns is none.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

Int64 = npt.NDArray[np.int64]
INFINITE = 2**62
"""A bound from here on is none."""


@dataclass(frozen=True, slots=True)
class Sum:
    """A sum of columns with whole factors, and a constant."""

    factors: Mapping[int, int]
    constant: int = 0

    def __add__(self, other: Sum | int) -> Sum:
        return total((self, other))

    __radd__ = __add__

    def __sub__(self, other: Sum | int) -> Sum:
        return total((self, -other))

    def __rsub__(self, other: int) -> Sum:
        return total((-self, other))

    def __mul__(self, factor: int) -> Sum:
        return Sum({column: factor * n for column, n in self.factors.items()}, factor * self.constant)

    __rmul__ = __mul__

    def __neg__(self) -> Sum:
        return self * -1

    @property
    def column(self) -> int:
        """The column that it is, where it is one."""
        (column,) = self.factors
        return column


def total(items: Iterable[Sum | int]) -> Sum:
    """Their sum; many at once, since sums that grow one by one are copied each time."""
    factors: dict[int, int] = {}
    constant = 0
    for item in items:
        if not isinstance(item, Sum):
            constant += int(item)
            continue
        constant += item.constant
        for column, factor in item.factors.items():
            factors[column] = factors.get(column, 0) + factor
    return Sum(factors, constant)


@dataclass(frozen=True, eq=False)
class Sheet:
    """A program: the least of ``cost @ x + offset`` over whole x within bounds that keep every row."""

    table: Any
    """``(n_rows, n_columns)`` int64, sparse by rows."""
    lower: Int64
    """``(n_columns,)``, as ``upper``."""
    upper: Int64
    least: Int64
    """``(n_rows,)``: of each row's sum, as ``most``."""
    most: Int64
    cost: Int64
    """``(n_columns,)``."""
    offset: int


class RowWriter:
    """A program as it grows."""

    total = staticmethod(total)

    def __init__(self) -> None:
        self.lower, self.upper = list[int](), list[int]()
        self.columns, self.factors = list[int](), list[int]()
        self.start, self.least, self.most = [0], list[int](), list[int]()
        self.contradicts = False
        """True once a row without columns was asked for something else than it is."""

    def column(self, least: int = 0, most: int = 1) -> Sum:
        """A new column, whole and between two bounds."""
        self.lower.append(least)
        self.upper.append(most)
        return Sum({len(self.lower) - 1: 1})

    def keep(self, of: Sum | int, least: int, most: int) -> None:
        """Ask for a sum between two bounds."""
        of = of if isinstance(of, Sum) else Sum({}, of)
        factors = {column: of.factors[column] for column in sorted(of.factors) if of.factors[column]}
        # A side that is none stays none: less the constant it would look like a bound.
        least = least - of.constant if least > -INFINITE else -INFINITE
        most = most - of.constant if most < INFINITE else INFINITE
        if not factors:
            self.contradicts |= not least <= 0 <= most
            return
        # -x >= -1 and x <= 1 are one row. A price's sign says which side it is of, so both writers have to
        # choose the same form, whichever they came from.
        if next(iter(factors.values())) < 0:
            factors = {column: -factor for column, factor in factors.items()}
            least, most = -most, -least
        self.columns += factors
        self.factors += factors.values()
        self.start.append(len(self.columns))
        self.least.append(least)
        self.most.append(most)

    def at_most(self, of: Sum | int, most: int) -> None:
        self.keep(of, -INFINITE, most)

    def at_least(self, of: Sum | int, least: int) -> None:
        self.keep(of, least, INFINITE)

    def equal(self, of: Sum | int, value: int) -> None:
        self.keep(of, value, value)

    def sheet(self, counted: Sum | int = 0) -> Sheet:
        """The program as it is, with a sum as its costs."""
        from scipy.sparse import csr_array  # SciPy, where it is needed

        counted = counted if isinstance(counted, Sum) else Sum({}, counted)
        cost = np.zeros(len(self.lower), dtype=np.int64)
        for column, factor in counted.factors.items():
            cost[column] = factor
        table = (np.array(self.factors, dtype=np.int64), np.array(self.columns, dtype=np.int64), self.start)
        return Sheet(
            csr_array(table, shape=(len(self.least), len(self.lower))),
            np.array(self.lower, dtype=np.int64),
            np.array(self.upper, dtype=np.int64),
            np.array(self.least, dtype=np.int64),
            np.array(self.most, dtype=np.int64),
            cost,
            counted.constant,
        )
