"""Moves in flight: how far they are, when one is stuck, and why."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field

from equipoise.execution.instructions import Observed
from equipoise.execution.moves import Job, Move
from equipoise.execution.port import Replica


@dataclass
class Flight:
    """A move that was submitted."""

    move: Move
    since: float
    target: tuple[int, ...] = ()
    """What it is moved to now; differs from ``move.after`` once it is retargeted."""
    adding: tuple[int, ...] = ()
    """Brokers that get a copy."""
    home: tuple[int, ...] = ()
    """The exact list to restore should it be cancelled: where it started from."""
    copied: dict[int, int] = field(default_factory=dict)
    """Bytes that each adding broker has."""
    total: float = math.nan
    """Bytes that each of them will have."""
    advanced: float = 0.0
    """When something last changed for the better."""
    odd_since: float | None = None
    """Since when the cluster shows neither the move nor its end."""
    attempts: int = 0
    """How often it was submitted."""
    told: str = ""
    """The explanation that was last told."""
    told_at: float = 0.0

    def __post_init__(self) -> None:
        self.home = self.home or self.move.before
        self.aim(self.target or self.move.after)
        self.advanced, self.total = self.since, self.move.size_bytes

    def aim(self, target: tuple[int, ...]) -> None:
        """Move it to ``target``; what was copied to others is forgotten."""
        self.target = target
        self.adding = tuple(broker for broker in target if broker not in self.move.before)
        self.copied = {broker: size for broker, size in self.copied.items() if broker in self.adding}

    @property
    def bytes_copied(self) -> float:
        """Bytes of all new copies so far, none counted beyond its whole size."""
        whole = math.inf if math.isnan(self.total) else self.total
        return float(sum(min(size, whole) for size in self.copied.values()))

    def see(self, seen: Observed) -> None:
        """Take in one observation."""
        topic, number = self.move.partition
        state = seen.partitions.get(self.move.partition)
        if state is not None:
            leader_has = seen.stored.get(Replica(topic, number, state.leader))
            if leader_has is not None:
                self.total = float(leader_has)
        for broker in self.adding:
            size = seen.stored.get(Replica(topic, number, broker), 0)
            if size > self.copied.get(broker, 0):
                self.copied[broker], self.advanced = size, seen.now


FAILED_S = 10.0
"""How long a copy may stand still beside a log dir that has failed: it may be in another one."""


def why_stuck(flight: Flight, seen: Observed, seconds: float) -> str:
    """One sentence for a move that does not get on, "" while it does."""
    state = seen.partitions.get(flight.move.partition)
    moving = seen.reassignments.get(flight.move.partition)
    down = frozenset(flight.target) & seen.down
    new = sorted(down & set(flight.adding))
    if new:
        return f"broker {new[0]} is down: its copy waits until it is back"
    failed = sorted(seen.failed_dirs.keys() & set(flight.adding))
    if state is None or seen.now - flight.advanced < min(seconds, FAILED_S if failed else seconds):
        return ""
    if failed:
        path = seen.failed_dirs[failed[0]]
        return f"nothing is copied, and log dir {path} of broker {failed[0]} has failed"
    if state.leader < 0:
        return "the partition has no leader to copy from"
    adding = moving.adding if moving is not None else ()
    sick = [broker for broker in flight.target if broker not in state.isr and broker not in adding]
    if sick and all(broker in state.isr for broker in adding):
        return f"the replica on broker {sick[0]} is not in the ISR, and Kafka up to 4.2 waits for it"
    return "nothing is copied"


def other_target(
    flight: Flight, job: Job, seen: Observed, flights: Iterable[Flight]
) -> tuple[int, ...] | None:
    """The target with every adding broker that is down exchanged for a living one; None without one.

    It is taken from the same rack if that is possible, else from a rack that the list does not use,
    the one that receives least first.
    """
    down = seen.down
    alive = ({broker.id for broker in seen.cluster.brokers} - down) & job.eligible
    busy = Counter(broker for other in flights for broker in other.adding)
    target = list(flight.target)
    for place, lost in enumerate(target):
        if lost not in flight.adding or lost not in down:
            continue
        racks = {job.racks.get(broker) for broker in target if broker != lost}
        choices = [
            broker
            for broker in alive.difference(target, flight.move.before)
            if job.racks.get(broker) == job.racks.get(lost) or job.racks.get(broker) not in racks
        ]
        if not choices:
            return None
        same = {broker: job.racks.get(broker) == job.racks.get(lost) for broker in choices}
        target[place] = min(choices, key=lambda broker: (not same[broker], busy[broker], broker))
    return tuple(target)


def progress(flights: Collection[Flight]) -> tuple[float, float]:
    """Bytes that are copied and bytes that remain in flight."""
    copied = sum(flight.bytes_copied for flight in flights)
    whole = sum(flight.total * len(flight.adding) for flight in flights if not math.isnan(flight.total))
    return copied, max(0.0, whole - copied)
