"""A program in units that floating point tells apart: bytes are whole numbers beyond what HiGHS reckons well.

Rows, columns that count bytes, and the goal are divided by powers of two, which rounds nothing: the program
is the same, and its prices are those of the other in other units.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

from equipoise.planning.linear.highs import Answer
from equipoise.planning.linear.rows import Rows
from equipoise.planning.programs.rows import INFINITE, Sheet

Float64 = npt.NDArray[np.float64]
Int64 = npt.NDArray[np.int64]
BITS = 20
"""Of the largest factor of a row, or of the goal."""


@dataclass(frozen=True, eq=False)
class Scaled:
    """A sheet as HiGHS reads it."""

    cost: Float64
    rows: Rows
    lower: Float64
    """``(n_columns,)``, as ``upper``."""
    upper: Float64
    integral: npt.NDArray[np.bool_]
    """``(n_columns,)``: False where a column counts in large units: it is whole where the others are."""
    of_cost: float
    of_rows: Float64
    """``(n_rows,)``: what one unit is of the sheet's, as ``of_columns`` ``(n_columns,)`` and ``of_cost``."""
    of_columns: Float64

    @classmethod
    def of(cls, sheet: Sheet) -> Scaled:
        """The sheet in such units; in its own where none of its factors is large."""
        # A column of 0 or 1 keeps its unit, or it would not be whole any
        # more. A wide one counts bytes where its rows have large factors.
        single = sheet.upper - sheet.lower <= 1
        table = sheet.table.astype(np.float64)
        row = np.repeat(np.arange(table.shape[0]), np.diff(table.indptr))
        of_rows = np.ones(table.shape[0])
        factors = np.where(single[table.indices], np.abs(table.data), 1.0)
        np.maximum.at(of_rows, row, unit(factors))
        # A wide column gets the unit of its coarsest row, in which its factor then stays as it is.
        of_columns = np.ones(len(single))
        wide = ~single[table.indices]
        np.maximum.at(of_columns, table.indices[wide], of_rows[row[wide]])
        only = np.ones(len(of_rows), dtype=bool)  # rows that count such columns alone
        only[row[~wide]] = False
        # Of such columns alone, a row's factors would all be as
        # large as their units: it gets the coarsest of those.
        np.maximum.at(of_rows, row[wide & only[row]], of_columns[table.indices[wide & only[row]]])
        data = table.data * of_columns[table.indices] / of_rows[row]
        cost = sheet.cost * of_columns
        of_cost = float(unit(np.abs(cost)).max(initial=1.0))
        return cls(
            cost / of_cost,
            Rows(
                csr_array((data, table.indices, table.indptr), shape=table.shape),
                finite(sheet.least) / of_rows,
                finite(sheet.most) / of_rows,
            ),
            finite(sheet.lower) / of_columns,
            finite(sheet.upper) / of_columns,
            # Whole in a large unit it would be a multiple of that, which bytes need not be.
            of_columns == 1.0,
            of_cost,
            of_rows,
            of_columns,
        )

    def back(self, found: Answer) -> Answer:
        """An answer in the units of the sheet."""
        return replace(
            found,
            x=found.x * self.of_columns,
            value=found.value * self.of_cost,
            least=found.least * self.of_cost,
            # A price is cost for a unit of a row, and both units have changed.
            of_rows=found.of_rows * self.of_cost / self.of_rows,
            of_columns=found.of_columns * self.of_cost / self.of_columns,
        )


def unit(factors: Float64) -> Float64:
    """The power of two that leaves each factor no more than `BITS` bits; 1 where it has no more."""
    return np.exp2(np.maximum(np.frexp(factors)[1] - BITS, 0))


def finite(bounds: Int64) -> Float64:
    """Bounds as HiGHS reads them."""
    return np.where(np.abs(bounds) < INFINITE, bounds, np.copysign(np.inf, bounds))
