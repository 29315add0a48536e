"""A small cluster in many formats: four brokers, two topics."""

from __future__ import annotations

import json

LISTS = {0: (1, 2), 1: (2, 3), 2: (3, 1), 3: (1, 2)}
"""Replicas of the partitions of ``orders``."""
BROKERS = (1, 2, 3, 4)


def describe() -> str:
    head = "Topic: orders\tPartitionCount: 4\tReplicationFactor: 2\tConfigs: a=b"
    rows = [
        f"\tTopic: orders\tPartition: {p}\tLeader: {a}\tReplicas: {a},{b}\tIsr: {a},{b}"
        for p, (a, b) in LISTS.items()
    ]
    return "\n".join([head, *rows])


def kafka_json() -> str:
    rows = [
        {"topic": topic, "partition": p, "replicas": list(LISTS[p]), "log_dirs": ["any", "any"]}
        for topic in ("orders", "b")
        for p in (0, 1)
    ]
    return json.dumps({"version": 1, "partitions": rows})


def log_dirs() -> str:
    sizes = [{"partition": f"orders-{p}", "size": 1000 + p, "offsetLag": 0, "isFuture": False} for p in LISTS]
    held = [{"logDir": "/d", "error": None, "partitions": sizes}]
    return json.dumps({"version": 1, "brokers": [{"broker": b, "logDirs": held} for b in BROKERS]})


def kcat() -> str:
    rows = [
        {"partition": p, "leader": a, "replicas": [{"id": a}, {"id": b}], "isrs": [{"id": a}]}
        for p, (a, b) in LISTS.items()
    ]
    brokers = [{"id": b, "name": f"h{b}:9092"} for b in BROKERS]
    topics = [{"topic": "orders", "partitions": rows}]
    about = {"originating_broker": {"id": 1, "name": "a:9092/1"}, "query": {"topic": "*"}, "controllerid": 1}
    return json.dumps({**about, "brokers": brokers, "topics": topics})


def proposals() -> str:
    """Cruise Control's."""
    place = {"topic": "orders", "partition": 0}
    lists = {"oldLeader": 1, "oldReplicas": [1, 2], "newReplicas": [3, 2]}
    return json.dumps({"proposals": [{"topicPartition": place, **lists}]})


def listed() -> str:
    return "Current partition reassignments:\norders-0: replicas: 1,2,3. adding: 3. removing: 1.\n"


STATES = {"state.txt": describe(), "state.json": kafka_json(), "kcat.json": kcat()}
"""Files that a plan can be made from."""
BESIDE = {
    "log-dirs.json": log_dirs(),
    "brokers.csv": "id,rack,disk_bytes\n1,a,1000000\n2,b,1000000\n3,c,1000000\n4,a,1000000\n",
    "api.txt": "\n".join(
        f"h{b}:9092 (id: {b} rack: r{b % 2} isFenced: false) -> (\n\tProduce(0): 0 to 11 [usable: 11]\n)"
        for b in BROKERS
    ),
    "configs.txt": "Dynamic configs for topic orders are:\n"
    "  retention.ms=1000 sensitive=false synonyms={}\n  min.insync.replicas=2 sensitive=false synonyms={}\n",
    "listed.txt": listed(),
}
"""Files that tell more."""
PROPOSED = (kafka_json(), proposals(), listed())
"""Reassignments, to be judged."""
