"""What plans copy, on a network of where replicas stand.

A replica that leaves a broker is copied wherever it goes, so it costs its size on the arc where it leaves,
and arcs are of one size each. Beside that each partition copies what has to leave and what it gains. One
that loses replicas loses some for nothing: which, only a unit of its own tells; in others they cost nothing.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from equipoise.judge.placement_layout import Layout
from equipoise.judge.violations import Case

Int64 = npt.NDArray[np.int64]
MOST_BYTES = 2.0**58


def known_sizes(case: Case) -> Int64:
    """``(n_partitions,)`` whole bytes; 0 where not known, and for what is to be created."""
    size = case.cluster.size_bytes
    counts = np.isfinite(size) & (case.cluster.rf > 0) & (not is_absurd(case))
    return np.where(counts, np.rint(size), 0).astype(np.int64)


def is_absurd(case: Case) -> bool:
    """True where sizes add up to what no cluster has."""
    return float(np.nansum(case.cluster.size_bytes)) > MOST_BYTES


class Weights(NamedTuple):
    """What copies weigh in a layout's units."""

    leaving: Int64
    """``(n_rows,)``: of each replica that leaves of its own accord."""
    certain: int
    """Of all that is copied whatever leaves."""


def weights(layout: Layout, leaves: Int64) -> Weights:
    """``leaves``: how many replicas of each row have to, ``(n_rows,)``."""
    case, rows = layout.case, layout.rows
    size = known_sizes(case)
    gains = case.rules.rf[rows] - (case.rules.base[rows] >= 0).sum(axis=1)
    shared = np.bincount(layout.unit, minlength=layout.n_units)[layout.unit] > 1
    free = shared & (gains < 0)
    comes = np.where(free, np.maximum(leaves + gains, 0), leaves + gains)
    # a broker that replaces another copies what it takes over without an arc
    taken_over = (case.rules.base != case.before).sum(axis=1)
    certain = sum((comes * size[rows]).tolist()) + sum((taken_over * size).tolist())
    return Weights(np.where(free, 0, size[rows]), certain)
