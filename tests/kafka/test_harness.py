"""The brokers themselves: what the other tests build on."""

from __future__ import annotations

import pytest
from harness.cluster import KafkaCluster
from harness.throttles import assert_throttles, configure
from harness.tools import is_complete, reassignment_file, verify
from harness.traffic import Traffic, fill
from harness.waiting import wait_until

pytestmark = pytest.mark.kafka


def test_records_survive_a_move_and_kafka_confirms_it(cluster: KafkaCluster, topic: str, tmp_path) -> None:
    """Under traffic a partition moves; Kafka's own tool sees it done, every record is there once."""
    cluster.create(topic, {0: [0, 1, 2], 1: [1, 2, 3]})
    with Traffic(cluster, topic) as traffic:
        wait_until(lambda: traffic.acknowledged > 50, "some records")
        assert set(cluster.move(topic, {0: [4, 1, 2]}).values()) == {None}
        wait_until(lambda: not cluster.in_flight(), "the move done")
    assert traffic.check() > 50
    file = reassignment_file(tmp_path / "moved.json", topic, {0: [4, 1, 2]})
    assert is_complete(verify(cluster, file))


def test_a_killed_broker_comes_back(cluster: KafkaCluster, topic: str) -> None:
    """SIGKILL of the active controller: another takes over, and the broker serves again after a start."""
    cluster.create(topic, {0: [3, 4]})
    controller = cluster.controller()
    cluster.kill(controller)
    wait_until(lambda: cluster.controller() != controller, "another controller")
    wait_until(lambda: controller not in cluster.unfenced(), "the dead broker fenced")
    cluster.start(controller)
    assert cluster.unfenced() == {0, 1, 2, 3, 4}


def test_every_question_is_answered_while_the_metadata_name_a_dead_broker(
    cluster: KafkaCluster, topic: str
) -> None:
    """A new client asks any of them: one in five first asks the dead one."""
    cluster.create(topic, {0: [0, 1]})
    cluster.kill(4)
    for _ in range(20):
        cluster.forget_client()
        assert cluster.replicas(topic) == {0: [0, 1]}


def test_a_throttle_is_read_back(cluster: KafkaCluster, topic: str) -> None:
    """What is set on a broker and a topic is found, and gone once deleted."""
    cluster.create(topic, {0: [0, 1]})
    fill(cluster, topic, [0], 200_000)
    configure(cluster, "broker", "1", {"leader.replication.throttled.rate": "1000000"})
    configure(cluster, "topic", topic, {"leader.replication.throttled.replicas": "0:1"})
    wanted = {
        ("broker", "1"): {"leader.replication.throttled.rate": "1000000"},
        ("topic", topic): {"leader.replication.throttled.replicas": "0:1"},
    }
    assert_throttles(cluster, wanted, [topic])
    configure(cluster, "broker", "1", {"leader.replication.throttled.rate": None})
    configure(cluster, "topic", topic, {"leader.replication.throttled.replicas": None})
    assert_throttles(cluster, {}, [topic])
