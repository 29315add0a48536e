"""The rows of a program: what sums of its columns have to be."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array, vstack

Float64 = npt.NDArray[np.float64]
Int64 = npt.NDArray[np.int64]
BoolArray = npt.NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Rows:
    """``least <= table @ x <= most``; a side that is infinite is none."""

    table: csr_array
    """``(n_rows, n_columns)``."""
    least: Float64
    most: Float64

    @classmethod
    def of(
        cls,
        shape: tuple[int, int],
        least: npt.ArrayLike,
        most: npt.ArrayLike,
        *entries: tuple[npt.ArrayLike, npt.ArrayLike, npt.ArrayLike],
    ) -> Rows:
        """From entries (rows, columns, value), where one value, or one side, is that of all places."""
        row, column = (np.concatenate([np.asarray(entry[k]) for entry in entries]) for k in (0, 1))
        values = (np.broadcast_to(np.asarray(entry[2], np.float64), np.shape(entry[0])) for entry in entries)
        value = np.concatenate(list(values))
        sides = (np.broadcast_to(np.asarray(side, dtype=np.float64), shape[:1]) for side in (least, most))
        return cls(csr_array((value, (row, column)), shape=shape), *sides)

    @classmethod
    def stacked(cls, *parts: Rows) -> Rows:
        """All rows of some parts, one part after the other."""
        sides = ([getattr(part, side) for part in parts] for side in ("least", "most"))
        return cls(vstack([part.table for part in parts], format="csr"), *map(np.concatenate, sides))

    def left(self, some: Int64, kept: Float64) -> Rows:
        """The rows of some columns, where others have what is ``kept``, ``(n_columns,)``."""
        used = self.table @ kept
        return Rows(self.table[:, some], self.least - used, self.most - used)

    @property
    def entries(self) -> tuple[Int64, Int64, Float64]:
        """Row, column and value of each entry that is not 0."""
        table = self.table.tocoo()
        some = table.data != 0
        row, column = table.coords
        return row[some], column[some], table.data[some]

    @property
    def are_whole(self) -> BoolArray:
        """Whether all entries of each row are whole, ``(n_rows,)``: of others floating point tells little."""
        broken = np.flatnonzero(self.table.data != np.rint(self.table.data))
        found = np.ones(len(self.least), dtype=bool)
        found[np.searchsorted(self.table.indptr, broken, side="right") - 1] = False
        return found
