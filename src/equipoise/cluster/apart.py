"""How far brokers are apart in what a goal levels: what its squared distances come to, as people count it."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from equipoise.cluster import measures
from equipoise.cluster.brokers import IntArray
from equipoise.cluster.cluster import Cluster

BoolArray = npt.NDArray[np.bool_]
CELLS = 2**18
"""Topics on brokers that are counted at a time: two megabytes."""


def apart(cluster: Cluster, lists: IntArray, holds: BoolArray, leads: BoolArray) -> dict[str, int]:
    """Goal → the greatest less the least of what it levels, over brokers that may hold, or lead.

    Of topics it is that of the topic where it is most. Only goals that count brokers against one another in
    plain numbers, and empty where brokers do not weigh the same. ``lists``: ``(n_partitions, max_rf)``;
    ``holds`` and ``leads``: ``(n_brokers,)``.
    """
    if not holds.any() or not leads.any() or np.ptp(cluster.brokers.weight[holds]) > 0:
        return {}
    n = cluster.n_brokers
    return {
        "replicas": int(np.ptp(measures.replicas_per_broker(lists, n)[holds])),
        "leaders": int(np.ptp(measures.leaders_per_broker(lists, n)[leads])),
        "topics": of_topics(cluster, lists, holds),
        "topic-leaders": of_topics(cluster, lists[:, :1], leads),
    }


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
