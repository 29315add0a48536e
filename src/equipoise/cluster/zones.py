"""What crosses racks, where each is a zone of a cloud: from which broker, to which."""

from __future__ import annotations

import numpy as np

from equipoise.cluster import measures
from equipoise.cluster.brokers import IntArray
from equipoise.cluster.cluster import BoolArray, Cluster


def sources(cluster: Cluster) -> IntArray:
    """``(n_partitions,)``: from whom a new replica is copied; -1 where there is nobody.

    Kafka copies from the leader of the moment; where no source tells it, that is the preferred one.
    """
    return np.where(cluster.leader >= 0, cluster.leader, measures.position(cluster.replicas, 0))


def source_racks(cluster: Cluster) -> IntArray:
    """``(n_partitions,)``: the rack of that broker; -1 where it has none."""
    source, table = sources(cluster), cluster.brokers
    known = (source >= 0) & np.append(table.racked, False)[source]
    return np.where(known, np.append(table.rack_idx, -1)[source], -1)


def elsewhere(cluster: Cluster, source: IntArray, lists: IntArray) -> BoolArray:
    """Replicas in ``lists`` that are in another rack than the broker ``source`` ``(n_partitions,)``.

    A broker without a rack is in none that could be another.
    """
    table = cluster.brokers
    if not len(table):
        return np.zeros(lists.shape, dtype=bool)
    known = (lists >= 0) & (source >= 0)[:, None] & table.racked[lists] & table.racked[source][:, None]
    return np.asarray(known & (table.rack_idx[lists] != table.rack_idx[source][:, None]))


def crossing(cluster: Cluster, lists: IntArray) -> BoolArray:
    """Replicas in ``lists`` that are copied from another rack."""
    arrive = measures.arrivals(cluster.replicas, lists) & (cluster.rf > 0)[:, None]
    return arrive & elsewhere(cluster, sources(cluster), lists)
