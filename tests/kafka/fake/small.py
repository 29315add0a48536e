"""A small fake cluster: six brokers in three racks, seeded partitions, and what tests ask of it."""

from __future__ import annotations

import itertools
import random

from equipoise.execution.port import TopicPartition
from fake.model import Model, Partition

RACKS = {i: "abc"[i % 3] for i in range(6)}


def partitions(n: int, n_brokers: int = 6, rf: int = 3) -> dict[tuple[str, int], Partition]:
    """Seeded partitions, 100 a topic, of sizes up to a gigabyte."""
    rng = random.Random(7)
    return {
        (f"topic-{i // 100:04d}", i % 100): Partition(rng.sample(range(n_brokers), rf), rng.randrange(10**9))
        for i in range(n)
    }


def tp(number: int) -> TopicPartition:
    return TopicPartition("topic-0000", number)


def rotated(model: Model, n: int) -> dict[TopicPartition, list[int]]:
    """A new replica list for the first partitions: another broker in place of the first replica."""
    chosen = itertools.islice(model.partitions.items(), n)
    return {
        TopicPartition(*of): [next(i for i in model.racks if i not in p.replicas), *p.replicas[1:]]
        for of, p in chosen
    }
