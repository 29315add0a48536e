"""What partitions bear of each load that weighs, as told or else as it is derived; and what brokers may."""

from __future__ import annotations

import numpy as np

from equipoise.cluster import Brokers, Cluster
from equipoise.cluster.brokers import CAPACITIES, FloatArray, IntArray

LEADERS = ("leaders-in", "replication-out", "network-out", "cpu")
"""Loads that weigh, of which leaders bear all."""
CPU_UNIT = 1_000_000
"""CPU is counted in millionths of a percent."""


def inward(cluster: Cluster) -> FloatArray:
    """``(n_partitions,)`` bytes a second; what no source tells is size / retention where age deletes."""
    by_age = (cluster.retention_s > 0) & (cluster.retention_s < np.inf)
    by_age &= ~(cluster.size_bytes >= cluster.retention_bytes)
    seconds = np.where(by_age, cluster.retention_s, np.nan)
    return np.where(np.isnan(cluster.bytes_in_per_s), cluster.size_bytes / seconds, cluster.bytes_in_per_s)


def borne(cluster: Cluster, load: str, rf: IntArray, consumption: float | None) -> FloatArray:
    """``(n_partitions,)`` whole numbers, NaN where unknown: what each replica bears of a load that weighs, or
    the leader alone (`LEADERS`)."""
    if load == "disk":
        return np.ceil(cluster.size_bytes)
    if load == "cpu":
        return np.ceil(cluster.cpu_percent * CPU_UNIT)
    produced = np.ceil(inward(cluster))
    if load in ("network-in", "leaders-in"):
        return produced
    followed = np.asarray(produced * (rf - 1), dtype=np.float64)
    return followed if load == "replication-out" else followed + np.ceil(read(cluster, consumption))


def allowed(brokers: Brokers, load: str, percent: float) -> FloatArray:
    """``(n_brokers,)``: so many percent of what each can bear of a load, as `borne` counts it."""
    capacity: FloatArray = getattr(brokers, CAPACITIES[load])
    return np.floor(capacity * (CPU_UNIT if load == "cpu" else 1) * percent / 100)


def read(cluster: Cluster, consumption: float | None) -> FloatArray:
    """``(n_partitions,)`` bytes a second; what no source tells is so many times what comes in."""
    told = cluster.bytes_out_per_s
    times = np.nan if consumption is None else consumption
    return np.where(np.isnan(told), inward(cluster) * times, told)
