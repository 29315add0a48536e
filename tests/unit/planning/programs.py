"""Small linear programs, written row by row."""

from __future__ import annotations

import numpy as np

from equipoise.planning.linear.rows import Rows


def rows(*each: tuple[float, list[float], float]) -> Rows:
    """Rows as (least, factors, most)."""
    least, table, most = zip(*each, strict=True)
    row, column = np.nonzero(table)
    return Rows.of(np.shape(table), least, most, (row, column, np.array(table)[row, column]))
