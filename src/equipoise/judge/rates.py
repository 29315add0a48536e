"""What comes into partitions and what consumers read of them: as told, or else as it is derived."""

from __future__ import annotations

import numpy as np

from equipoise.cluster import Cluster
from equipoise.cluster.brokers import FloatArray


def inward(cluster: Cluster) -> FloatArray:
    """``(n_partitions,)`` bytes a second; what no source tells is size / retention where age deletes."""
    by_age = (cluster.retention_s > 0) & (cluster.retention_s < np.inf)
    by_age &= ~(cluster.size_bytes >= cluster.retention_bytes)
    seconds = np.where(by_age, cluster.retention_s, np.nan)
    return np.where(np.isnan(cluster.bytes_in_per_s), cluster.size_bytes / seconds, cluster.bytes_in_per_s)


def read(cluster: Cluster, consumption: float | None) -> FloatArray:
    """``(n_partitions,)`` bytes a second; what no source tells is so many times what comes in."""
    told = cluster.bytes_out_per_s
    times = np.nan if consumption is None else consumption
    return np.where(np.isnan(told), inward(cluster) * times, told)
