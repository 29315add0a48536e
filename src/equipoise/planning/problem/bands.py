"""Shares and bands: what each broker should hold if the cluster were level."""

from __future__ import annotations

from math import gcd

import numpy as np
import numpy.typing as npt

Int64 = npt.NDArray[np.int64]


def whole_weights(weight: npt.NDArray[np.float64]) -> Int64:
    """Relative weights as whole numbers (six digits), ``(n,)`` int64; equal weights become 1."""
    if len(weight) == 0:
        return np.zeros(0, dtype=np.int64)
    scaled = np.rint(weight / weight.min() * 1_000_000).astype(np.int64)
    return scaled // gcd(*scaled.tolist())


def band(
    total: npt.ArrayLike, weight: Int64, tolerance: tuple[float, float] = (0.0, 0.0)
) -> tuple[Int64, Int64]:
    """Floor and ceiling of each share, widened by ``tolerance`` percent below and above.

    ``total`` is a number or an array that broadcasts against ``weight``: one share of a total is
    ``total * weight / sum(weight)``. Everything is whole-number arithmetic, so shares that are
    whole stay exact.
    """
    below, above = (round(side * 1000) for side in tolerance)
    parts = np.asarray(total, dtype=np.int64) * weight
    whole = np.int64(max(1, weight.sum()))
    if not (below or above):
        return parts // whole, -(-parts // whole)
    scale = whole * 100_000
    low = parts.astype(object) * (100_000 - below) // int(scale)
    high = -(-(parts.astype(object) * (100_000 + above)) // int(scale))
    return np.maximum(low.astype(np.int64), 0), high.astype(np.int64)
