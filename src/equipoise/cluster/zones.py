"""What crosses racks, where each is a zone of a cloud: from which broker, to which."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from equipoise.cluster import measures
from equipoise.cluster.brokers import IntArray
from equipoise.cluster.cluster import BoolArray, Cluster
from equipoise.cluster.rates import outbound

Int64 = npt.NDArray[np.int64]
MILLION = 1_000_000
"""Parts of what is read that make it a whole number."""
MOST_READ = 2.0**42
"""Bytes a second that no cluster is read with: beyond it rates are absurd, and sums beyond 64 bits."""


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


@dataclass(frozen=True, eq=False)
class Consumers:
    """What consumers read, and which part of it in another rack than a leader's."""

    cluster: Cluster
    rate: Int64
    """``(n_partitions,)`` whole bytes a second; 0 where not known, or if all add up to what is absurd."""
    far: Int64
    """``(n_topics, n_racks + 1)``: so many millionths are read outside each rack; of a leader without a rack,
    in the last column, none, nor of a topic of which nobody says where it is read."""

    @classmethod
    def of(
        cls, cluster: Cluster, told: Sequence[tuple[str, str, float]], consumption: float | None
    ) -> Consumers:
        """``told``: (topic, rack, part), topic "" for every other topic."""
        rate = np.nan_to_num(np.ceil(outbound(cluster, consumption)))
        rate = rate if rate.sum() <= MOST_READ else np.zeros_like(rate)
        near: dict[str, dict[str, int]] = {}
        for topic, rack, part in told:
            near.setdefault(topic, {})[rack] = round(part * MILLION)
        racks, topics = cluster.brokers.rack_names, {topic: k for k, topic in enumerate(cluster.topics)}
        far = np.zeros((len(topics), len(racks) + 1), dtype=np.int64)
        # What stands for every topic, "", comes first: one that is named has nothing of it.
        for topic in sorted(near):
            if not topic or topic in topics:
                row = topics[topic] if topic else slice(None)
                far[row, :-1] = [MILLION - near[topic].get(rack, 0) for rack in racks]
        return cls(cluster, rate.astype(np.int64), far)

    def part(self, rows: Int64, leaders: IntArray | Int64) -> Int64:
        """Millionths of what is read of some partitions outside the racks of brokers, ``(n,)`` as both."""
        table = self.cluster.brokers
        known = (leaders >= 0) & np.append(table.racked, False)[leaders]
        led_in = np.where(known, np.append(table.rack_idx, 0)[leaders], -1)
        return self.far[self.cluster.topic_idx[rows], led_in]

    def read_afar(self, rows: Int64, leaders: IntArray | Int64) -> Int64:
        """Bytes a second, rounded up, of the same."""
        return -(-self.rate[rows] * self.part(rows, leaders) // MILLION)
