"""A small cluster in many formats: four brokers, two topics."""

from __future__ import annotations

import json

LISTS = {0: (1, 2), 1: (2, 3), 2: (3, 1), 3: (1, 2)}
"""Replicas of the partitions of ``orders``."""
BROKERS = {1: "a", 2: "b", 3: "c", 4: "a"}
"""Racks by broker."""


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
    """Sizes, each broker's replicas in the first of its two log dirs."""

    def held(broker: int) -> list[dict[str, object]]:
        about = {"offsetLag": 0, "isFuture": False}
        sizes = [
            {"partition": f"orders-{p}", "size": (1 + p) << 20} | about for p in LISTS if broker in LISTS[p]
        ]
        return [
            {"logDir": name, "error": None, "partitions": sizes if name == "/d" else []}
            for name in ("/d", "/e")
        ]

    return json.dumps({"version": 1, "brokers": [{"broker": b, "logDirs": held(b)} for b in BROKERS]})


def kcat() -> str:
    rows = [
        {"partition": p, "leader": a, "replicas": [{"id": a}, {"id": b}], "isrs": [{"id": a}]}
        for p, (a, b) in LISTS.items()
    ]
    brokers = [{"id": b, "name": f"h{b}:9092"} for b in BROKERS]
    topics = [{"topic": "orders", "partitions": rows}]
    about = {"originating_broker": {"id": 1, "name": "a:9092/1"}, "query": {"topic": "*"}, "controllerid": 1}
    return json.dumps({**about, "brokers": brokers, "topics": topics})


def cluster_state() -> str:
    """Cruise Control's, as the next four."""
    rows = [
        {"topic": "orders", "partition": p, "leader": a, "replicas": [a, b], "in-sync": [a, b], "min-isr": 1}
        for p, (a, b) in LISTS.items()
    ]
    states = {"offline": [], "with-offline-replicas": [], "urp": [], "under-min-isr": [], "other": rows}
    brokers = {
        "ReplicaCountByBrokerId": {f"{b}": 2 for b in BROKERS},
        "OnlineLogDirsByBrokerId": {f"{b}": ["/d", "/e"] for b in BROKERS},
        "OfflineLogDirsByBrokerId": {f"{b}": [] for b in BROKERS},
    }
    return json.dumps({"KafkaPartitionState": states, "KafkaBrokerState": brokers, "version": 1})


def partition_load() -> str:
    """Every load there is, that of the CPU among them."""
    rows = [
        {"topic": "orders", "partition": p, "leader": a, "followers": [b], "cpu": 1.5 + p, "disk": 1.0 + p,
         "networkInbound": 10.0 + p, "networkOutbound": 30.0 + p, "msg_in": 1.0}
        for p, (a, b) in LISTS.items()
    ]  # fmt: skip
    return json.dumps({"version": 1, "records": rows})


def load() -> str:
    rows = [
        {"Broker": b, "Host": f"h{b}", "Rack": rack, "BrokerState": "ALIVE", "DiskCapacityMB": 100.0,
         "NetworkInCapacity": 1000.0, "NetworkOutCapacity": 1000.0, "LeaderNwInRate": 5.0}
        for b, rack in BROKERS.items()
    ]  # fmt: skip
    return json.dumps({"version": 1, "hosts": [], "brokers": rows})


def capacity() -> str:
    each = {"DISK": {"/d": "50", "/e": "50"}, "CPU": {"num.cores": "8"}, "NW_IN": "1000", "NW_OUT": "1000"}
    rows = [{"brokerId": "-1", "capacity": each}, {"brokerId": "1", "capacity": {**each, "DISK": "200"}}]
    return json.dumps({"brokerCapacities": rows})


def proposals() -> str:
    place = {"topic": "orders", "partition": 0}
    lists = {"oldLeader": 1, "oldReplicas": [1, 2], "newReplicas": [3, 2]}
    return json.dumps({"proposals": [{"topicPartition": place, **lists}]})


def listed() -> str:
    return "Current partition reassignments:\norders-0: replicas: 1,2,3. adding: 3. removing: 1.\n"


STATES = {
    "state.txt": describe(),
    "state.json": kafka_json(),
    "kcat.json": kcat(),
    "cluster_state.json": cluster_state(),
}
"""Files that a plan can be made from."""
BESIDE = {
    "log-dirs.json": log_dirs(),
    "brokers.csv": "id,rack,disk_bytes\n" + "".join(f"{b},{rack},20MB\n" for b, rack in BROKERS.items()),
    "api.txt": "\n".join(
        f"h{b}:9092 (id: {b} rack: {rack} isFenced: false) -> (\n\tProduce(0): 0 to 11 [usable: 11]\n)"
        for b, rack in BROKERS.items()
    ),
    "configs.txt": "Dynamic configs for topic orders are:\n"
    "  retention.ms=1000 sensitive=false synonyms={}\n  min.insync.replicas=2 sensitive=false synonyms={}\n",
    "listed.txt": listed(),
    "retention.txt": "Dynamic configs for topic orders are:\n"
    "  retention.ms=60000 sensitive=false synonyms={}\n",
    "partition_load.json": partition_load(),
    "load.json": load(),
    "capacity.json": capacity(),
    "endpoints.txt": "ID HOST PORT RACK STATE ENDPOINT_TYPE\n"
    + "".join(f"{b}  h{b} 9092 {rack} unfenced broker\n" for b, rack in BROKERS.items()),
    "cluster.json": json.dumps({"format": "equipoise snapshot", "cluster_id": "x", "warnings": ["a"]}),
}
"""Files that tell more."""
PROPOSED = (kafka_json(), proposals(), listed())
"""Reassignments, to be judged."""
