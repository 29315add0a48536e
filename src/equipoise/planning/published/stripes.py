"""Kafka's striped placement: racks in turn, and in each rack its brokers in turn.

Apache Kafka, `StripedReplicaPlacer`, section "Algorithm" of its documentation; `kafka-reassign-partitions
--generate` places so since 4.1, new topics are placed so on KRaft since 3.0.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import count
from random import Random


@dataclass
class Turns:
    """The brokers of a rack, handed out in a circle that begins one further for each partition."""

    brokers: list[int]
    start: int
    given: int = 0
    """How many this partition has had."""
    partition: int = 0
    """The one that took last, counted from the last shuffle."""

    def next(self, partition: int) -> int | None:
        """The next broker for a partition; None where it has had all of the rack."""
        if partition != self.partition:
            self.partition, self.given = partition, 0
            # One further for each partition, or a rack's first
            # broker would lead whenever the rack comes first.
            self.start = (self.start + 1) % len(self.brokers)
        if self.given == len(self.brokers):
            return None
        self.given += 1
        return self.brokers[(self.start + self.given - 1) % len(self.brokers)]


class Stripes:
    """One topic's lists, partition by partition. All brokers count as alive.

    ``racks`` are the brokers of each rack in order, none of them empty; ``draw`` gives what is drawn by lot:
    with which rack the first partition begins, with which broker each rack does, and the shuffles.
    """

    def __init__(self, racks: Sequence[Sequence[int]], draw: Random) -> None:
        self.draw = draw
        self.racks = [Turns(list(brokers), draw.randrange(len(brokers))) for brokers in racks]
        self.first = draw.randrange(len(self.racks))
        self.n_brokers = sum(map(len, racks))
        self.partition = 0

    def place(self, factor: int) -> list[int]:
        """The next partition's list; ``factor`` is at most the number of brokers."""
        if self.partition == self.n_brokers > 1:  # the same lists would come again
            self.shuffle()
        replicas: list[int] = []
        for turn in count(self.first):
            if len(replicas) == factor:
                break
            broker = self.racks[turn % len(self.racks)].next(self.partition)
            if broker is not None:
                replicas.append(broker)
        self.partition += 1
        self.first = (self.first + 1) % len(self.racks)
        return replicas

    def shuffle(self) -> None:
        """Racks and the brokers in each by lot; partitions are counted from here."""
        self.draw.shuffle(self.racks)
        for rack in self.racks:
            self.draw.shuffle(rack.brokers)
        self.partition = 0
