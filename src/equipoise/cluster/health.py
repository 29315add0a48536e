"""How a cluster is: who is down, which partitions are unwell, and which cannot be moved now."""

from __future__ import annotations

from collections.abc import Collection
from functools import cached_property

import numpy as np
import numpy.typing as npt

from equipoise.cluster.brokers import Brokers
from equipoise.cluster.cluster import Cluster

BoolArray = npt.NDArray[np.bool_]


def alive(brokers: Brokers, assumed: Collection[int] = ()) -> BoolArray:
    """``(n_brokers,)``: brokers that nobody knows to be down, and those ``assumed`` (ids) to be alive."""
    nobody = np.array([why is None for why in brokers.down], dtype=bool)
    return nobody | np.isin(brokers.ids, list(assumed))


class Health:
    """A cluster, with some brokers assumed to be alive; all columns are ``(n_partitions,)``.

    Where no source told the ISR a partition counts neither as well nor as unwell. Partitions that are still
    to be created are not unwell.
    """

    def __init__(self, cluster: Cluster, assumed: Collection[int] = ()) -> None:
        self.cluster = cluster
        self.alive = alive(cluster.brokers, assumed)
        self.assumed = self.alive & np.array([why is not None for why in cluster.brokers.down], dtype=bool)
        """``(n_brokers,)``: alive only because that is assumed."""

    @property
    def told(self) -> BoolArray:
        return self.cluster.isr_told

    @cached_property
    def leaderless(self) -> BoolArray:
        return self.told & (self.cluster.leader < 0)

    @cached_property
    def in_sync(self) -> npt.NDArray[np.int64]:
        """Members of the ISR."""
        return (self.cluster.isr >= 0).sum(axis=1)

    @cached_property
    def under_replicated(self) -> BoolArray:
        """Fewer in sync than there are to be, without those that a move in flight adds."""
        return self.told & (self.in_sync < self.cluster.rf)

    @cached_property
    def under_min_isr(self) -> BoolArray:
        return self.told & (self.in_sync < self.cluster.min_isr)

    @cached_property
    def stuck(self) -> BoolArray:
        """Partitions that Kafka cannot move now: nobody who is alive has all of their data.

        Such a partition has no leader, or every member of its ISR is down, or every broker of its list. One
        without a leader can be moved where a member of its ISR is assumed to be alive: it will lead.
        """
        cluster = self.cluster
        nobody = self.told & ~some(cluster.isr, self.alive)
        abandoned = self.leaderless & ~some(cluster.isr, self.assumed)
        return (nobody | abandoned | ~some(cluster.replicas, self.alive)) & (cluster.rf > 0)


def some(lists: npt.NDArray[np.int32], chosen: BoolArray) -> BoolArray:
    """``(n,)``: lists that have a broker which ``chosen`` ``(n_brokers,)`` names."""
    if chosen.all():
        return np.asarray((lists >= 0).any(axis=1))
    if not chosen.any():
        return np.zeros(len(lists), dtype=bool)
    return np.asarray(((lists >= 0) & chosen[np.maximum(lists, 0)]).any(axis=1))
