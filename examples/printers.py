"""Text as Kafka's own tools print it, for made-up clusters.

Every function takes a topology, ``{topic: [replica ids of partition 0, of partition 1, ...]}`` with the
leader first in each list, and returns a file's whole text.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Mapping

Topology = Mapping[str, list[list[int]]]


def commas(ids: list[int]) -> str:
    return ",".join(map(str, ids))


def topic_id(topic: str) -> str:
    """A made-up topic id, 22 characters of URL-safe base64 as Kafka prints them."""
    return base64.urlsafe_b64encode(hashlib.sha256(topic.encode()).digest()[:16]).decode().rstrip("=")


def describe(topology: Topology, configs: str = "min.insync.replicas=2") -> str:
    """``kafka-topics --describe`` of Kafka 2.8 to 3.7."""
    lines = []
    for topic, partitions in topology.items():
        lines.append(
            f"Topic: {topic}\tTopicId: {topic_id(topic)}\tPartitionCount: {len(partitions)}"
            f"\tReplicationFactor: {len(partitions[0])}\tConfigs: {configs}"
        )
        lines += [
            f"\tTopic: {topic}\tPartition: {p}\tLeader: {ids[0]}\tReplicas: {commas(ids)}\tIsr: {commas(ids)}"
            for p, ids in enumerate(partitions)
        ]
    return "\n".join(lines) + "\n"


def describe_2_0(topology: Topology) -> str:
    """``kafka-topics --describe`` of Kafka 2.0 to 2.3: no space after the colons of a topic's line."""
    lines = []
    for topic, partitions in topology.items():
        lines.append(f"Topic:{topic}\tPartitionCount:{len(partitions)}\tReplicationFactor:{len(partitions[0])}\tConfigs:")
        lines += [
            f"\tTopic: {topic}\tPartition: {p}\tLeader: {ids[0]}\tReplicas: {commas(ids)}\tIsr: {commas(ids)}"
            for p, ids in enumerate(partitions)
        ]
    return "\n".join(lines) + "\n"


def reassignment(topology: Topology) -> str:
    """A reassignment file, version 1, one partition a line."""
    rows = [
        json.dumps({"topic": topic, "partition": p, "replicas": ids}, separators=(",", ":"))
        for topic, partitions in topology.items()
        for p, ids in enumerate(partitions)
    ]
    return '{"version":1,"partitions":[\n ' + ",\n ".join(rows) + "\n]}\n"


def kcat(topology: Topology, brokers: list[int]) -> str:
    """``kcat -L -J``: one line of JSON."""

    def ids(those: list[int]) -> list[dict[str, int]]:
        return [{"id": i} for i in those]

    topics = [
        {
            "topic": topic,
            "partitions": [
                {"partition": p, "leader": replicas[0], "replicas": ids(replicas), "isrs": ids(replicas)}
                for p, replicas in enumerate(partitions)
            ],
        }
        for topic, partitions in topology.items()
    ]
    document = {
        "originating_broker": {"id": brokers[0], "name": f"b{brokers[0]}:9092/{brokers[0]}"},
        "query": {"topic": "*"},
        "controllerid": brokers[0],
        "brokers": [{"id": i, "name": f"b{i}:9092"} for i in brokers],
        "topics": topics,
    }
    return json.dumps(document, separators=(",", ":")) + "\n"


def log_dirs(topology: Topology, brokers: list[int], sizes: Mapping[str, int]) -> str:
    """``kafka-log-dirs --describe``: ``sizes`` gives the bytes of one partition of each topic."""
    held: dict[int, list[dict[str, object]]] = {broker: [] for broker in brokers}
    for topic, partitions in topology.items():
        for p, ids in enumerate(partitions):
            for broker in ids:
                held[broker].append(
                    {"partition": f"{topic}-{p}", "size": sizes[topic], "offsetLag": 0, "isFuture": False}
                )
    document = {
        "version": 1,
        "brokers": [
            {"broker": broker, "logDirs": [{"logDir": "/data/d1", "error": None, "partitions": held[broker]}]}
            for broker in brokers
        ],
    }
    return (
        "Querying brokers for log directories information\n"
        f"Received log directory information from brokers {commas(brokers)}\n"
        f"{json.dumps(document, separators=(',', ':'))}\n"
    )


def api_versions(racks: Mapping[int, str]) -> str:
    """``kafka-broker-api-versions``: a header and (here) two of its many APIs for each broker."""
    return "".join(
        f"b{broker}:9092 (id: {broker} rack: {rack}) -> (\n"
        "\tProduce(0): 0 to 9 [usable: 9],\n"
        "\tFetch(1): 0 to 13 [usable: 13]\n"
        ")\n"
        for broker, rack in racks.items()
    )


def cruise_control_state(topology: Topology) -> str:
    """Cruise Control's ``kafka_cluster_state?verbose=true&json=true``, partitions only."""
    rows = [
        {"topic": topic, "partition": p, "leader": ids[0], "replicas": ids, "in-sync": ids,
         "out-of-sync": [], "offline": [], "min-isr": 1}
        for topic, partitions in topology.items()
        for p, ids in enumerate(partitions)
    ]
    state = {"offline": [], "with-offline-replicas": [], "urp": [], "under-min-isr": [], "other": rows}
    return json.dumps({"version": 1, "KafkaBrokerState": {}, "KafkaPartitionState": state}, indent=1) + "\n"


def brokers_csv(racks: Mapping[int, str]) -> str:
    """A simple brokers file: id and rack."""
    return "id,rack\n" + "".join(f"{broker},{rack}\n" for broker, rack in racks.items())
