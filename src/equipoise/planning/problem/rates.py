"""What comes into each partition: as measured, or else as its size and retention tell."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from equipoise.cluster import Cluster
from equipoise.wording import plural


def inbound(cluster: Cluster) -> npt.NDArray[np.float64]:
    """``(n_partitions,)`` producer bytes a second.

    A rate that no source tells is size / retention ("Constraint Based Kafka Partition Balancing", section
    "Objectives": a replica of size s under a retention of t seconds takes s / t bytes a second). Where that
    is unknown or endless, size says nothing of the rate, and it is NaN.
    """
    ends = np.isfinite(cluster.retention_s) & (cluster.retention_s > 0)
    unknown = np.full(cluster.n_partitions, np.nan)
    implied = np.divide(cluster.size_bytes, cluster.retention_s, out=unknown, where=ends)
    return np.where(np.isnan(cluster.bytes_in_per_s), implied, cluster.bytes_in_per_s)


def derived(cluster: Cluster) -> str:
    """Which rates nobody measured, in a sentence; "" where there are none."""
    n = int((np.isnan(cluster.bytes_in_per_s) & ~np.isnan(inbound(cluster))).sum())
    if not n:
        return ""
    return f"derived, not measured: the inbound rates of {plural(n, 'partition')} are size / retention"
