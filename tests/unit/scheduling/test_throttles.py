"""The throttle configs of each wave."""

from __future__ import annotations

import numpy as np

from equipoise.cluster import Brokers, Plan, build_cluster
from equipoise.scheduling import schedule, throttles


def plan() -> Plan:
    cluster = build_cluster(
        "small",
        Brokers.of([1, 2, 3, 4, 9]),
        ["pay", "pay", "log"],
        [0, 1, 0],
        [[1, 2, 3], [2, 3, 1], [1, 2]],
        size_bytes=[4.0, 4.0, 4.0],
    )
    target = cluster.brokers.index_of(np.array([[2, 1, -1], [4, 2, 1], [2, 3, 4]]))
    return Plan(cluster, target, np.ones(5, dtype=bool))


def test_exactly_the_moving_replicas_are_throttled() -> None:
    """Leader list: every existing replica of what is copied; follower list: the new ones only."""
    both = {"leader.replication.throttled.rate": "2000000", "follower.replication.throttled.rate": "2000000"}
    assert throttles(schedule(plan(), throttle=2e6)) == [
        {
            "wave": 1,
            "brokers": {"1": both, "2": both, "3": both, "4": both},
            "topics": {
                "pay": {
                    "leader.replication.throttled.replicas": "0:1,0:2,0:3,1:2,1:3,1:1",
                    "follower.replication.throttled.replicas": "0:4,1:4",
                }
            },
        }
    ]


def test_a_reorder_is_not_throttled() -> None:
    """A wave that copies nothing has no configs at all."""
    small = plan()
    only = Plan(
        small.cluster,
        np.where(np.arange(3)[:, None] == 0, small.target, small.cluster.replicas),
        small.eligible,
    )
    assert throttles(schedule(only, throttle=2e6)) == [{"wave": 1, "brokers": {}, "topics": {}}]


def test_without_a_throttle_there_are_lists_and_no_rates() -> None:
    """The lists are exact all the same, so that a rate can be set by hand."""
    (wave,) = throttles(schedule(plan()))
    assert wave["brokers"] == {"1": {}, "2": {}, "3": {}, "4": {}}
    assert wave["topics"]["pay"]["follower.replication.throttled.replicas"] == "0:4,1:4"
