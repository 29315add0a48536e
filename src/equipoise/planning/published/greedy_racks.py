"""Topic by topic: replicas stay while their broker has room and their rack is free, the rest fill up.

SiftScience, "kafka-assigner" (2015), after Apache Helix's AutoRebalanceStrategy; described in
Appier, "Kafka reassignment 方案" (2022), section "SiftScience/kafka-assigner". One replica a rack,
strictly. What is left over goes to the emptiest broker that may take it, and nothing is taken back:
with racks of unequal size that ends in a dead end although a plan exists.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from contextlib import suppress

from equipoise.cluster.brokers import IntArray
from equipoise.planning.problem import Problem
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


class DeadEnd(Exception):
    """A row for which no broker with room may take a replica."""

    def __init__(self, row: int) -> None:
        self.row = row


def run(problem: Problem, settings: Settings) -> IntArray:
    """Fill each topic, with less and less kept in place until no partition is left over."""
    lists, brokers = lists_of(problem), eligible_brokers(problem)
    seen: Seen = defaultdict(Counter)
    for topic, rows in topics_of(problem):
        wanted = {row: int(problem.rf[row]) for row in rows}
        capacity = -(-sum(wanted.values()) // len(brokers))
        try:
            filled = keep_and_fill(lists, wanted, brokers, racks(problem), capacity)
        except DeadEnd as end:
            raise NoPlan(f"dead end at {problem.cluster.label(end.row)}: every broker below the topic's "
                         f"{plural(capacity, 'replica')} each is in a rack that already has one") from None
        for row, held in filled.items():
            lists[row] = by_preference(topic, held, seen)
    return matrix_of(lists)


def keep_and_fill(
    lists: Lists, wanted: Mapping[int, int], brokers: Sequence[int], rack: Sequence[int], capacity: int
) -> dict[int, list[int]]:
    """The brokers of each row, ascending; raises `DeadEnd` where every attempt ends in one."""
    for retained in range(capacity, 1, -1):
        with suppress(DeadEnd):
            return attempt(lists, wanted, brokers, rack, capacity, retained)
    return attempt(lists, wanted, brokers, rack, capacity, 1)


def attempt(
    lists: Lists,
    wanted: Mapping[int, int],
    brokers: Sequence[int],
    rack: Sequence[int],
    capacity: int,
    retained: int,
) -> dict[int, list[int]]:
    """Keep up to ``retained`` replicas a broker, round robin over partitions, then fill to ``capacity``."""
    held: dict[int, list[int]] = {row: [] for row in wanted}
    load: Counter[int] = Counter()

    def accepts(broker: int, row: int, room: int) -> bool:
        free_rack = all(rack[broker] != rack[other] for other in held[row])
        return load[broker] < room and free_rack and len(held[row]) < wanted[row]

    def accept(broker: int, row: int) -> None:
        held[row].append(broker)
        load[broker] += 1

    allowed = set(brokers)
    for place in range(max(len(lists[row]) for row in wanted)):
        for row in wanted:
            for broker in lists[row][place : place + 1]:
                if broker in allowed and accepts(broker, row, retained):
                    accept(broker, row)
    for row in wanted:
        for broker in sorted(brokers, key=lambda b: (load[b], b)):
            if accepts(broker, row, capacity):
                accept(broker, row)
        if len(held[row]) < wanted[row]:
            raise DeadEnd(row)
    return {row: sorted(replicas) for row, replicas in held.items()}


def by_preference(topic: str, held: list[int], seen: Seen) -> list[int]:
    """The brokers in order: each place goes to the one that stood there least."""
    ordered: list[int] = []
    while held:
        start = abs(java_hash(topic)) % len(held)
        turned = held[start:] + held[:start]
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
