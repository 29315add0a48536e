"""Between tests: everyone back, nothing in flight, no throttle and no topic left."""

from __future__ import annotations

import signal

from harness.cluster import BROKER_THROTTLES, KafkaCluster
from harness.throttles import configure, read
from harness.waiting import wait_until

RESTORED = (*BROKER_THROTTLES, "cordoned.log.dirs")
"""Broker configs that tests set."""


def reset(cluster: KafkaCluster) -> None:
    """Put a cluster back into the state in which every test may expect it."""
    down = [node for node in cluster.nodes if not node.running]
    for node in cluster.nodes:
        node.signal(signal.SIGCONT)
    for node in down:
        node.start()
    if down:
        cluster.wait_for_brokers(seconds=90)
    topics = [name for name in cluster.admin.list_topics() if not name.startswith("__")]
    if moving := cluster.in_flight():
        cluster.admin.alter_partition_reassignments(dict.fromkeys(moving))
    if topics:
        cluster.admin.delete_topics(topics)
        wait_until(lambda: not set(topics) & set(cluster.admin.list_topics()), "the test's topics gone")
    for node in cluster.nodes:
        if left := read(cluster, "broker", str(node.id), RESTORED):
            configure(cluster, "broker", str(node.id), dict.fromkeys(left))
