"""The four throttle configs of each wave, exactly the replicas that move."""

from __future__ import annotations

from typing import Any

import numpy as np

from equipoise.cells import chosen, constant, digits, text, words
from equipoise.cluster import Cluster
from equipoise.cluster.brokers import IntArray
from equipoise.cluster.measures import arrivals
from equipoise.scheduling.result import RowArray, Schedule

LEADER_RATE = "leader.replication.throttled.rate"
FOLLOWER_RATE = "follower.replication.throttled.rate"
LEADER_REPLICAS = "leader.replication.throttled.replicas"
FOLLOWER_REPLICAS = "follower.replication.throttled.replicas"

ENDS = words([b",", b"\n"])
"""After a replica, and after the last one of a topic."""


def throttles(schedule: Schedule) -> list[dict[str, Any]]:
    """For each wave ``{"wave", "brokers": {id: {config: value}}, "topics": {name: {config: value}}}``.

    Rates go on every broker that holds or receives a replica of what is copied. The leader list of
    a topic has every existing replica of its moving partitions, since any of them may come to lead,
    the follower list only the new ones (the rule of Kafka's own tool). Without a throttle there are no
    rates; a wave that copies nothing has no configs at all.
    """
    return [wave_throttles(schedule, k, rows) for k, rows in enumerate(schedule.waves, start=1)]


def wave_throttles(schedule: Schedule, number: int, rows: RowArray) -> dict[str, Any]:
    """The configs of one wave."""
    cluster, rows = schedule.plan.cluster, np.sort(rows)
    new = arrivals(cluster.replicas[rows], schedule.plan.target[rows])
    copied = new.any(axis=1)
    # Named here, partitions that copy nothing would be slowed with the others.
    rows, new = rows[copied], new[copied]
    before = cluster.ids_of(cluster.replicas[rows])
    added = np.where(new, cluster.ids_of(schedule.plan.target[rows]), -1)
    brokers = np.unique(np.concatenate([before[before >= 0], added[new]]))
    names = [cluster.topics[topic] for topic in dict.fromkeys(cluster.topic_idx[rows].tolist())]
    lists = zip(names, pairs(cluster, rows, before), pairs(cluster, rows, added), strict=True)
    return {
        "wave": number,
        "brokers": {str(b): rates(schedule.throttle_bytes_per_s) for b in brokers.tolist()},
        "topics": {
            name: {LEADER_REPLICAS: leaders, FOLLOWER_REPLICAS: followers}
            for name, leaders, followers in lists
        },
    }


def pairs(cluster: Cluster, rows: RowArray, ids: IntArray) -> list[str]:
    """For each topic ``partition:broker`` of its replicas, joined by commas.

    ``rows`` ``(n,)`` ascending; ``ids`` ``(n, width)`` are broker ids, -1 where a place does not count.
    """
    row, place = np.nonzero(ids >= 0)
    last_of_topic = np.diff(cluster.topic_idx[rows[row]], append=-1) != 0
    line = text(
        digits(cluster.partition[rows[row]]),
        constant(b":", len(row)),
        digits(ids[row, place]),
        chosen(ENDS, last_of_topic.astype(np.intp)),
    )
    return line.decode().splitlines()


def rates(throttle: float | None) -> dict[str, str]:
    """Both rate configs of a broker, whole bytes a second."""
    if throttle is None:
        return {}
    return {LEADER_RATE: str(int(throttle)), FOLLOWER_RATE: str(int(throttle))}
