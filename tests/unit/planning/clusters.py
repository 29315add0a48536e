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
