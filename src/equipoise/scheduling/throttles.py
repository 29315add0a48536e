"""The four throttle configs of each wave, exactly the replicas that move."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from equipoise.cluster import Cluster
from equipoise.cluster.brokers import IntArray
from equipoise.cluster.measures import arrivals
from equipoise.scheduling.result import RowArray, Schedule

BoolArray = npt.NDArray[np.bool_]

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
    rows = rows[np.lexsort((cluster.partition[rows], cluster.topic_idx[rows]))]
    new = arrivals(cluster.replicas[rows], schedule.plan.target[rows])
    copied = new.any(axis=1)
    rows, new = rows[copied], new[copied]
    before, after = cluster.ids_of(cluster.replicas[rows]), cluster.ids_of(schedule.plan.target[rows])
    leaders, followers = pairs(cluster, rows, before, before >= 0), pairs(cluster, rows, after, new)
    brokers = np.union1d(before[before >= 0], after[new])
    return {
        "wave": number,
        "brokers": {str(b): rates(schedule.throttle_bytes_per_s) for b in brokers.tolist()},
        "topics": {
            name: {LEADER_REPLICAS: leaders[name], FOLLOWER_REPLICAS: followers[name]} for name in followers
        },
    }


def pairs(cluster: Cluster, rows: RowArray, ids: IntArray, wanted: BoolArray) -> dict[str, str]:
    """``partition:broker`` of the wanted replicas of each topic, joined by commas; rows in topic order."""
    row, place = np.nonzero(wanted)
    brokers, numbers = ids[row, place].tolist(), cluster.partition[rows[row]].tolist()
    words = [f"{number}:{broker}" for number, broker in zip(numbers, brokers, strict=True)]
    topics, start = np.unique(cluster.topic_idx[rows[row]], return_index=True)
    cuts = [*start.tolist(), len(words)]
    return {
        cluster.topics[topic]: ",".join(words[a:b])
        for topic, a, b in zip(topics.tolist(), cuts, cuts[1:], strict=False)
    }


def rates(throttle: float | None) -> dict[str, str]:
    """Both rate configs of a broker, whole bytes a second."""
    if throttle is None:
        return {}
    return {LEADER_RATE: str(int(throttle)), FOLLOWER_RATE: str(int(throttle))}
