"""Seeded clusters to measure on: anyone who runs this gets the same ones."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from equipoise.cluster import Brokers, Cluster, build_cluster
from equipoise.formats.kafka_json import reassignment_json

SEED = 20_240_601


def cluster(partitions: int, brokers: int, racks: int, topics: int, *, new: int = 0, rf: int = 3) -> Cluster:
    """Partitions spread unevenly over all brokers but the ``new`` ones; with racks, one replica in each."""
    rng = np.random.default_rng(SEED)
    rack_of = {broker: f"zone-{broker % racks}" for broker in range(brokers)} if racks > 1 else {}
    old = np.arange(brokers - new)
    if racks > 1:
        order = np.argsort(rng.random((partitions, racks)), axis=1)[:, :rf]
        replicas = np.empty((partitions, rf), dtype=np.int32)
        for rack in range(racks):
            members = old[old % racks == rack]
            weight = rng.random(len(members)) * 0.2 + 0.9
            rows, at = np.nonzero(order == rack)
            replicas[rows, at] = rng.choice(members, len(rows), p=weight / weight.sum())
    else:
        keys = rng.random((partitions, len(old))) ** (1 / (rng.random(len(old)) * 0.2 + 0.9))
        replicas = np.argpartition(-keys, rf, axis=1)[:, :rf].astype(np.int32)
    topic = np.sort(rng.integers(0, topics, partitions))
    number = np.arange(partitions) - np.searchsorted(topic, np.arange(topics))[topic]
    names = np.array([f"topic-{t:05d}" for t in range(topics)], dtype=object)[topic]
    return build_cluster("bench", Brokers.of(np.arange(brokers), rack_of), names, number, replicas)


def write(cluster: Cluster, folder: Path) -> Path:
    """The cluster as the files that `equipoise plan` reads."""
    folder.mkdir(parents=True, exist_ok=True)
    ids = cluster.ids_of(cluster.replicas)
    text = reassignment_json(cluster.topics, cluster.topic_idx, cluster.partition, ids)
    (folder / "current.json").write_bytes(text)
    rows = [
        f"{broker},{rack or ''}"
        for broker, rack in zip(cluster.brokers.ids, cluster.brokers.racks, strict=True)
    ]
    (folder / "brokers.csv").write_text("broker,rack\n" + "\n".join(rows) + "\n")
    return folder


def describe(cluster: Cluster, file: Path) -> Path:
    """The cluster as `kafka-topics --describe` prints it."""
    ids, starts = cluster.ids_of(cluster.replicas), cluster.topic_start
    with file.open("w") as text:
        for name, start, stop in zip(cluster.topics, starts, starts[1:], strict=False):
            rf = int((ids[start:stop] >= 0).sum(axis=1).max(initial=0))
            counts = f"PartitionCount: {stop - start}\tReplicationFactor: {rf}"
            text.write(f"Topic: {name}\tTopicId: none\t{counts}\tConfigs: \n")
            for number, row in zip(cluster.partition[start:stop], ids[start:stop], strict=True):
                held = ",".join(map(str, row[row >= 0]))
                text.write(
                    f"\tTopic: {name}\tPartition: {number}\tLeader: {row[0]}\tReplicas: {held}\tIsr: {held}\n"
                )
    return file
