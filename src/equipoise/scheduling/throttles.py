"""The four throttle configs of each wave, exactly the replicas that move."""

from __future__ import annotations

from typing import Any

import numpy as np

from equipoise.cluster.measures import arrivals
from equipoise.scheduling.result import RowArray, Schedule

LEADER_RATE = "leader.replication.throttled.rate"
FOLLOWER_RATE = "follower.replication.throttled.rate"
LEADER_REPLICAS = "leader.replication.throttled.replicas"
FOLLOWER_REPLICAS = "follower.replication.throttled.replicas"


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
    cluster = schedule.plan.cluster
    new = arrivals(cluster.replicas[rows], schedule.plan.target[rows])
    copied = new.any(axis=1)
    rows, new = rows[copied], new[copied]
    before, after = cluster.ids_of(cluster.replicas[rows]), cluster.ids_of(schedule.plan.target[rows])
    topics: dict[str, dict[str, list[str]]] = {}
    for at in np.lexsort((cluster.partition[rows], cluster.topic_idx[rows])):
        row = rows[at]
        name = cluster.topics[cluster.topic_idx[row]]
        lists = topics.setdefault(name, {LEADER_REPLICAS: [], FOLLOWER_REPLICAS: []})
        p = cluster.partition[row]
        lists[LEADER_REPLICAS] += [f"{p}:{b}" for b in before[at].tolist() if b >= 0]
        lists[FOLLOWER_REPLICAS] += [f"{p}:{b}" for b in after[at][new[at]].tolist()]
    brokers = np.union1d(before[before >= 0], after[new])
    return {
        "wave": number,
        "brokers": {str(b): rates(schedule.throttle_bytes_per_s) for b in brokers.tolist()},
        "topics": {
            name: {key: ",".join(pairs) for key, pairs in lists.items()} for name, lists in topics.items()
        },
    }


def rates(throttle: float | None) -> dict[str, str]:
    """Both rate configs of a broker, whole bytes a second."""
    if throttle is None:
        return {}
    return {LEADER_RATE: str(int(throttle)), FOLLOWER_RATE: str(int(throttle))}
