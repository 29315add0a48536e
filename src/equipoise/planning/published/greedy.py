"""Partition by partition: brokers off the list go, the busiest or idlest of the topic fill up.

dimas, "kafka-reassign-tool" (2016), described in Appier, "Kafka reassignment 方案" (2022), section
"dimas/kafka-reassign-tool". It empties brokers and changes replication factors with few moves, but
levels nothing that it need not touch, and a leader once chosen is not looked at again.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from equipoise.cluster.brokers import IntArray
from equipoise.planning.problem.problem import Problem
from equipoise.planning.published.helpers import Lists, eligible_brokers, lists_of, matrix_of, topics_of
from equipoise.planning.published.interface import NoPlan
from equipoise.planning.published.settings import Settings

name = "greedy"


def run(problem: Problem, settings: Settings) -> IntArray:
    """Each topic on its own; one pass over its partitions."""
    lists, brokers = lists_of(problem), eligible_brokers(problem)
    for topic, rows in topics_of(problem):
        if max(int(problem.rf[row]) for row in rows) > len(brokers):
            raise NoPlan(f"topic {topic} wants more replicas than there are brokers")
        used = Counter(broker for row in rows for broker in lists[row])
        led = Counter(lists[row][0] for row in rows if lists[row])
        for row in rows:
            old = lists[row][:1]
            fill(lists, row, int(problem.rf[row]), brokers, used)
            led.subtract(old)
            led.update(lists[row][:1])
            lead(lists[row], led, len(rows) // len(brokers))
    return matrix_of(lists)


def fill(lists: Lists, row: int, factor: int, brokers: Sequence[int], used: Counter[int]) -> None:
    """Drop brokers off the list, then the most used; add the least used, last in the list."""
    replicas = [broker for broker in lists[row] if broker in brokers]
    # Counts of the topic as it is so far: partitions before
    # have their new lists in them, those to come the old.
    used.subtract(lists[row])
    used.update(replicas)
    while len(replicas) > factor:
        most = min(replicas, key=lambda broker: (-used[broker], broker))
        replicas.remove(most)
        used[most] -= 1
    while len(replicas) < factor:
        least = min((b for b in brokers if b not in replicas), key=lambda broker: (used[broker], broker))
        replicas.append(least)
        used[least] += 1
    lists[row] = replicas


def lead(replicas: list[int], led: Counter[int], goal: int) -> None:
    """The replica that leads least takes the lead, if it leads less than ``goal`` partitions of the topic."""
    best = min(replicas, key=lambda broker: led[broker])
    if led[best] < goal:
        led[replicas[0]] -= 1
        led[best] += 1
        replicas.remove(best)
        replicas.insert(0, best)
