"""Which moves may start now: in order, as links, places and disks come free."""

from __future__ import annotations

import math
from collections import Counter, deque
from collections.abc import Iterable, Mapping

from equipoise.execution.instructions import Observed
from equipoise.execution.moves import Move, Options
from equipoise.execution.port import TopicPartition

LOOK_AHEAD = 4
"""Moves behind one that has to wait are looked at, up to this many times ``max_inflight``."""


class Queue:
    """Moves that wait, first to be admitted first."""

    def __init__(self, moves: Iterable[Move]) -> None:
        self.waiting = deque(moves)

    def __len__(self) -> int:
        return len(self.waiting)

    def put_back(self, moves: Iterable[Move]) -> None:
        """Moves that were admitted and could not start; they come first next time."""
        self.waiting.extendleft(reversed(list(moves)))

    def drop(self, moves: Iterable[Move]) -> None:
        gone = {move.partition for move in moves}
        self.waiting = deque(move for move in self.waiting if move.partition not in gone)

    def admit(
        self,
        flying: Iterable[Move],
        leaders: Mapping[TopicPartition, int],
        seen: Observed,
        places: int,
        options: Options,
    ) -> list[Move]:
        """At most ``places`` moves that may start beside those ``flying``; they leave the queue.

        ``leaders`` tells who sends each partition's copies (the first of its list where it does not).
        No list with a broker that is down is submitted; no copy goes to a cordoned broker, beyond
        ``per_broker`` on either side, or onto a disk without room for it.
        """
        links = Links(options, seen.usable)
        for move in flying:
            links.take(move, leaders)
        admitted: list[Move] = []
        passed: list[Move] = []
        look_at = LOOK_AHEAD * options.max_inflight
        while self.waiting and len(admitted) < places and len(passed) < look_at:
            move = self.waiting.popleft()
            if not closed_to(move, seen) and links.fits(move, leaders):
                links.take(move, leaders)
                admitted.append(move)
            else:
                passed.append(move)
        self.put_back(passed)
        return admitted


class Links:
    """What is under way on each broker's two links and still to come to its disks."""

    def __init__(self, options: Options, usable: Mapping[int, tuple[int, int]]) -> None:
        self.limit = options.per_broker or math.inf
        self.sends: Counter[int] = Counter()
        self.receives: Counter[int] = Counter()
        self.room = {broker: free - options.disk_reserve * total for broker, (free, total) in usable.items()}

    def fits(self, move: Move, leaders: Mapping[TopicPartition, int]) -> bool:
        adding = move.adding
        if not adding:
            return True
        size = 0.0 if math.isnan(move.size_bytes) else move.size_bytes
        return self.sends[source_of(move, leaders)] < self.limit and all(
            self.receives[broker] < self.limit and size <= self.room.get(broker, math.inf)
            for broker in adding
        )

    def take(self, move: Move, leaders: Mapping[TopicPartition, int]) -> None:
        adding = move.adding
        if adding:
            self.sends[source_of(move, leaders)] += 1
        for broker in adding:
            self.receives[broker] += 1
            if broker in self.room and not math.isnan(move.size_bytes):
                self.room[broker] -= move.size_bytes


def closed_to(move: Move, seen: Observed) -> frozenset[int]:
    """Brokers that keep a move from being submitted."""
    return seen.down.intersection(move.after) | seen.cordoned.intersection(move.adding)


def source_of(move: Move, leaders: Mapping[TopicPartition, int]) -> int:
    """The broker that the new replicas fetch from."""
    leader = leaders.get(move.partition, -1)
    return leader if leader >= 0 else move.before[0]
