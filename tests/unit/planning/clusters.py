"""Clusters that several tests of the planner have in common."""

from __future__ import annotations

import numpy as np

from equipoise.cluster import Brokers, Cluster, build_cluster


def grown(partitions: int, per_topic: int) -> Cluster:
    """Three racks of four brokers, of which broker 11 is new: the others hold a replica of each partition."""
    draw, k = np.random.default_rng(5), np.arange(partitions)
    brokers = Brokers.of(range(12), {b: "abc"[b % 3] for b in range(12)})
    in_rack = [draw.choice(np.arange(rack, 11, 3), partitions) for rack in range(3)]
    lists = np.stack([np.choose((k + n) % 3, in_rack) for n in range(3)], axis=1)
    names = np.array([f"t{one // per_topic:04}" for one in k], dtype=object)
    return build_cluster("grown", brokers, names, k % per_topic, lists)


def uneven(seed: int) -> Cluster:
    """Topics of very different sizes on brokers that hold very differently much, some of them nothing yet."""
    rng = np.random.default_rng(seed)
    n, brokers, racks = int(rng.integers(40, 600)), int(rng.integers(4, 12)), int(rng.integers(1, 4))
    size = 1 + rng.pareto(1.1, int(rng.integers(1, 30)))
    topic = np.sort(rng.choice(len(size), n, p=size / size.sum()))
    weight = np.where(np.arange(brokers) < brokers - 1 - seed % 2, 0.5 + rng.random(brokers), 1e-9)
    keys = rng.random((n, brokers)) ** (1 / weight)
    lists = np.argsort(-keys, axis=1)[:, : int(rng.integers(2, 4))].astype(np.int32)
    number = np.arange(n) - np.searchsorted(topic, np.arange(len(size)))[topic]
    names = np.array([f"t{t:02d}" for t in topic], dtype=object)
    rack_of = {broker: f"r{broker % racks}" for broker in range(brokers)} if racks > 1 else {}
    return build_cluster("uneven", Brokers.of(np.arange(brokers), rack_of), names, number, lists)
