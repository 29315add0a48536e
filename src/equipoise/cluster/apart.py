"""How far brokers are apart in what a goal levels: what its squared distances come to, as people count it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt

from equipoise.cluster import measures
from equipoise.cluster.brokers import IntArray
from equipoise.cluster.cluster import Cluster

BoolArray = npt.NDArray[np.bool_]
CELLS = 2**18
"""Topics on brokers that are counted at a time: two megabytes."""


@dataclass(frozen=True, eq=False)
class Spread:
    """Lists, and the brokers that are compared: each figure is the greatest less the least."""

    cluster: Cluster
    lists: IntArray
    """``(n_partitions, max_rf)``"""
    holds: BoolArray
    """``(n_brokers,)``: may hold replicas."""
    leads: BoolArray
    """``(n_brokers,)``: may lead."""

    @property
    def tells(self) -> bool:
        """True where brokers that weigh the same are to be level in plain numbers."""
        some = self.holds.any() and self.leads.any()
        return bool(some and np.ptp(self.cluster.brokers.weight[self.holds]) == 0)

    def replicas(self) -> int:
        return int(np.ptp(measures.replicas_per_broker(self.lists, self.cluster.n_brokers)[self.holds]))

    def leaders(self) -> int:
        return int(np.ptp(measures.leaders_per_broker(self.lists, self.cluster.n_brokers)[self.leads]))

    def replicas_of_topics(self) -> int:
        """In the topic where it is most, as below."""
        return of_topics(self.cluster, self.lists, self.holds)

    def leaders_of_topics(self) -> int:
        return of_topics(self.cluster, self.lists[:, :1], self.leads)


class Levelling(Protocol):
    """What a goal says of itself, to the planner or to the judge."""

    @property
    def name(self) -> str: ...

    def apart(self, spread: Spread) -> int | None:
        """None where it levels no plain numbers of brokers."""


def apart(goals: Iterable[Levelling], spread: Spread) -> dict[str, int]:
    """Goal → how far brokers are apart in what it levels; empty where that tells nothing."""
    found = ((goal.name, goal.apart(spread)) for goal in (goals if spread.tells else ()))
    return {name: far for name, far in found if far is not None}


def of_topics(cluster: Cluster, lists: IntArray, among: BoolArray) -> int:
    """In the topic where these brokers are furthest apart."""
    return max((int(np.ptp(cells, axis=1).max()) for cells in per_topic(cluster, lists, among)), default=0)


def per_topic(cluster: Cluster, lists: IntArray, among: BoolArray) -> Iterator[npt.NDArray[np.int64]]:
    """How often each of these brokers stands in each topic, ``(some topics, n_among)`` a time."""
    n, n_topics = cluster.n_brokers, len(cluster.topics)
    size = max(1, CELLS // n)
    for first in range(0, n_topics, size):
        last = min(first + size, n_topics)
        rows = slice(cluster.topic_start[first], cluster.topic_start[last])
        cell = (cluster.topic_idx[rows, None] - first) * n + lists[rows]
        counted = np.bincount(cell[lists[rows] >= 0], minlength=(last - first) * n)
        yield counted.reshape(-1, n)[:, among]
