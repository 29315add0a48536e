"""What partitions bear of each load, as told or as size and retention tell it; and what brokers may."""

from __future__ import annotations

import numpy as np

from equipoise.cluster.brokers import CAPACITIES, Brokers, FloatArray, IntArray
from equipoise.cluster.cluster import BoolArray, Cluster

LEADERS_BEAR = ("network-out", "cpu")
"""Loads that the leader alone bears."""
MILLION = 1_000_000
"""Parts of a percent of CPU that make it a whole number."""


def inbound(cluster: Cluster) -> FloatArray:
    """``(n_partitions,)`` producer bytes a second.

    A rate that no source tells is size / retention ("Constraint Based Kafka Partition Balancing", section
    "Objectives": a replica of size s under a retention of t seconds takes s / t bytes a second). Where age is
    not what deletes (compaction, no end, a limit of bytes that is reached) size says nothing of the rate, and
    it is NaN.
    """
    ends = np.isfinite(cluster.retention_s) & (cluster.retention_s > 0) & ~at_limit(cluster)
    unknown = np.full(cluster.n_partitions, np.nan)
    implied = np.divide(cluster.size_bytes, cluster.retention_s, out=unknown, where=ends)
    return np.where(np.isnan(cluster.bytes_in_per_s), implied, cluster.bytes_in_per_s)


def at_limit(cluster: Cluster) -> BoolArray:
    """Partitions whose size is that which ``retention.bytes`` leaves: Kafka never deletes below it."""
    return np.asarray(cluster.size_bytes >= cluster.retention_bytes)


def outbound(cluster: Cluster, consumption: float | None) -> FloatArray:
    """``(n_partitions,)`` consumer bytes a second: as measured, or else so many times what comes in."""
    read = cluster.bytes_out_per_s
    return read if consumption is None else np.where(np.isnan(read), inbound(cluster) * consumption, read)


def borne(cluster: Cluster, load: str, rf: IntArray, consumption: float | None) -> FloatArray:
    """``(n_partitions,)`` whole numbers, NaN where unknown: what a replica bears, or the leader alone.

    ``load`` is one of `CAPACITIES`; CPU is in millionths of a percent.
    """
    if load == "disk":
        return np.ceil(cluster.size_bytes)
    if load == "cpu":
        return np.ceil(cluster.cpu_percent * MILLION)
    inward: FloatArray = np.ceil(inbound(cluster))
    if load == "network-in":
        return inward
    return np.asarray(inward * (rf - 1) + np.ceil(outbound(cluster, consumption)), dtype=np.float64)


def room(brokers: Brokers, load: str, percent: float) -> FloatArray:
    """``(n_brokers,)``: a part of what brokers can bear, in the unit of `borne`, NaN where unknown."""
    capacity: FloatArray = getattr(brokers, CAPACITIES[load]) * (MILLION if load == "cpu" else 1)
    return np.floor(capacity * percent / 100)
