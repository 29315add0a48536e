"""Topic by topic: replicas stay while their broker has room and their rack is free, the rest fill up.

SiftScience, "kafka-assigner" (2015), release 1.1, `KafkaAssignmentStrategy`, after Apache Helix's
AutoRebalanceStrategy; described in Appier, "Kafka reassignment 方案" (2022), section
"SiftScience/kafka-assigner". One replica a rack, strictly. What is left over goes to the first broker that
may take it, in an order turned by the topic's hash, and nothing is taken back: with racks of unequal size
that ends in a dead end although a plan exists. (Its later sources, which take the emptiest broker first and
try again with less kept in place, were never released.)
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence

from equipoise.cluster.brokers import IntArray
from equipoise.planning.problem.problem import Problem
from equipoise.planning.published.helpers import (
    Lists,
    eligible_brokers,
    lists_of,
    matrix_of,
    racks,
    topics_of,
)
from equipoise.planning.published.interface import NoPlan
from equipoise.planning.published.settings import Settings
from equipoise.wording import plural

name = "greedy-racks"

Seen = defaultdict[int, Counter[int]]
"""How often each broker stands at each place of a list, over all topics so far."""


def run(problem: Problem, settings: Settings) -> IntArray:
    """Fill each topic in one attempt; raises `NoPlan` where that ends in a dead end."""
    lists, brokers = lists_of(problem), eligible_brokers(problem)
    seen: Seen = defaultdict(Counter)
    for topic, rows in topics_of(problem):
        wanted = {row: int(problem.rf[row]) for row in rows}
        capacity = -(-sum(wanted.values()) // len(brokers))
        held = Held(wanted, racks(problem), capacity)
        keep(held, lists, set(brokers))
        for row in wanted:
            for broker in processing_order(topic, brokers):
                if held.accepts(broker, row):
                    held.accept(broker, row)
            if len(held.of[row]) < wanted[row]:
                raise NoPlan(
                    f"dead end at {problem.cluster.label(row)}: every broker below the topic's "
                    f"{plural(capacity, 'replica')} each is in a rack that already has one"
                )
        for row, replicas in held.of.items():
            lists[row] = by_preference(topic, sorted(replicas), seen)
    return matrix_of(lists)


class Held:
    """What the brokers hold of one topic so far."""

    def __init__(self, wanted: Mapping[int, int], rack: Sequence[int], capacity: int) -> None:
        self.wanted, self.rack, self.capacity = wanted, rack, capacity
        self.of: dict[int, list[int]] = {row: [] for row in wanted}
        self.load: Counter[int] = Counter()

    def accepts(self, broker: int, row: int) -> bool:
        """True where broker and rack have room for a replica that the row still wants."""
        free_rack = all(self.rack[broker] != self.rack[other] for other in self.of[row])
        return self.load[broker] < self.capacity and free_rack and len(self.of[row]) < self.wanted[row]

    def accept(self, broker: int, row: int) -> None:
        self.of[row].append(broker)
        self.load[broker] += 1


def keep(held: Held, lists: Lists, allowed: set[int]) -> None:
    """Keep replicas where they are, the first of every partition, then the second, and so on."""
    for place in range(max(len(lists[row]) for row in held.wanted)):
        for row in held.wanted:
            for broker in lists[row][place : place + 1]:
                if broker in allowed and held.accepts(broker, row):
                    held.accept(broker, row)


def processing_order(topic: str, brokers: Sequence[int]) -> list[int]:
    """The brokers turned so that the first stands at the place that the topic's hash names."""
    end = len(brokers) - abs(java_hash(topic)) % len(brokers)
    return [*brokers[end:], *brokers[:end]]


def by_preference(topic: str, held: list[int], seen: Seen) -> list[int]:
    """The brokers in order: each place goes to the one that stood there least."""
    ordered: list[int] = []
    while held:
        turned = processing_order(topic, held)
        best = min(turned, key=lambda broker: seen[broker][len(ordered)])
        ordered.append(best)
        held.remove(best)
    for place, broker in enumerate(ordered):
        seen[broker][place] += 1
    return ordered


def java_hash(text: str) -> int:
    """``String.hashCode()`` of Java, by which the tool breaks ties."""
    value = 0
    for character in text:
        value = (31 * value + ord(character)) & 0xFFFFFFFF
    return value - (1 << 32) if value >= 1 << 31 else value
