"""What a KRaft cluster would do: moves, elections, log dirs and configs, with faults on order.

Rules as in Kafka: while a partition moves its list is the target followed by what is removed,
ascending; it is done when every adding replica is in the ISR; a cancel keeps that order.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

TP = tuple[str, int]

NONE = 0
REQUEST_TIMED_OUT = 7
REPLICA_NOT_AVAILABLE = 9
UNKNOWN_TOPIC = 3
CLUSTER_AUTHORIZATION_FAILED = 31
INVALID_REPLICA_ASSIGNMENT = 39
INVALID_CONFIG = 40
NOT_CONTROLLER = 41
INVALID_REQUEST = 42
POLICY_VIOLATION = 44
KAFKA_STORAGE_ERROR = 56
LOG_DIR_NOT_FOUND = 57
PREFERRED_LEADER_NOT_AVAILABLE = 80
ELECTION_NOT_NEEDED = 84
NO_REASSIGNMENT_IN_PROGRESS = 85

BIGGEST_REQUEST = 10_000
"""Records that one request may become."""


@dataclass
class Partition:
    """One partition; while it moves ``replicas`` is the union."""

    replicas: list[int]
    size: int = 0
    leader: int = -1
    isr: list[int] = field(default_factory=list)
    adding: list[int] = field(default_factory=list)
    removing: list[int] = field(default_factory=list)
    copied: dict[int, float] = field(default_factory=dict)
    """Bytes that each replica has that is not caught up yet."""

    def __post_init__(self) -> None:
        self.isr = self.isr or list(self.replicas)
        self.leader = self.replicas[0] if self.leader < 0 else self.leader

    @property
    def target(self) -> list[int]:
        return [i for i in self.replicas if i not in self.removing]


@dataclass
class DirMove:
    """A replica on its way to another log dir of its broker."""

    dir: str
    copied: float = 0.0


class Model:
    """The cluster's state; every method may be called from the test while clients ask.

    Nothing moves by itself unless ``speed`` is set (bytes a second for each copy, by ``clock``);
    a test may call ``advance`` instead.
    """

    def __init__(
        self,
        brokers: Mapping[int, str | None],
        partitions: Mapping[TP, Partition],
        *,
        cluster_id: str = "fake-cluster-0123456789",
        speed: float = 0.0,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.lock = threading.RLock()
        self.cluster_id, self.speed, self.clock = cluster_id, speed, clock
        self.racks = dict(brokers)
        self.partitions = dict(partitions)
        self.dirs = {broker: ["/data/a", "/data/b"] for broker in brokers}
        self.volume_bytes, self.usable_bytes = 10**12, 5 * 10**11
        self.placed: dict[tuple[TP, int], str] = {}
        """Log dir of a replica where it is not the usual one."""
        self.dir_moves: dict[tuple[TP, int], DirMove] = {}
        self.configs: dict[tuple[str, str], dict[str, str]] = {}
        """Dynamic configs by kind ("topic", "broker") and name."""
        self.static: dict[tuple[str, str], dict[str, str]] = {}
        """Configs that come from the brokers' files."""
        self.controller = min(brokers)
        self.dead: set[int] = set()
        """Killed: they take no connections, and copy nothing."""
        self.fenced: set[int] = set()
        """Known to be dead by the others."""
        self.frozen: set[int] = set()
        """They take connections and never answer."""
        self.stuck: set[TP] = set()
        """Moves that do not advance."""
        self.refused: dict[TP, int] = {}
        """Error code for a partition whenever it is to be altered."""
        self.failed_dirs: set[tuple[int, str]] = set()
        self.cordoned: set[tuple[int, str]] = set()
        self.last = clock()

    # -- moves --------------------------------------------------------------------------------

    def alter(self, of: TP, target: Sequence[int] | None) -> int:
        """Start, replace or cancel a move; the error code."""
        partition = self.partitions.get(of)
        if partition is None:
            return UNKNOWN_TOPIC
        if of in self.refused:
            return self.refused[of]
        if target is None:
            return self.cancel(partition)
        if not target or len(set(target)) < len(target) or not set(target) <= set(self.racks):
            return INVALID_REPLICA_ASSIGNMENT
        # A second target is compared with the union of the first, and where it adds (removes) nothing
        # to that, what the first was adding (removing) stands: as seen on Kafka 4.3.0.
        adding = [i for i in target if i not in partition.replicas]
        removing = sorted(i for i in partition.replicas if i not in target)
        partition.copied |= dict.fromkeys(adding, 0.0)
        partition.replicas = [*target, *removing]
        partition.adding = sorted(adding) or partition.adding
        partition.removing = removing or partition.removing
        partition.isr = [i for i in partition.isr if i in partition.replicas]
        self.settle(of)
        return NONE

    def cancel(self, partition: Partition) -> int:
        if not (partition.adding or partition.removing):
            return NO_REASSIGNMENT_IN_PROGRESS
        partition.replicas = [i for i in partition.replicas if i not in partition.adding]
        self.rest(partition)
        return NONE

    def rest(self, partition: Partition) -> None:
        """No move any more: only replicas of the list are in sync, and one of them leads."""
        partition.adding, partition.removing = [], []
        partition.isr = [i for i in partition.isr if i in partition.replicas]
        partition.copied = {i: size for i, size in partition.copied.items() if i in partition.replicas}
        if partition.leader not in partition.isr:
            alive = (i for i in partition.replicas if i in partition.isr and i not in self.dead)
            partition.leader = next(alive, -1)

    def settle(self, of: TP) -> None:
        """Take caught-up replicas into the ISR, and end the move when all are there."""
        partition = self.partitions[of]
        if of in self.stuck:
            return
        for i in [i for i, size in partition.copied.items() if size >= partition.size and i not in self.dead]:
            del partition.copied[i]
            partition.isr += [i] if i not in partition.isr else []
        moving, both = {*partition.adding, *partition.removing}, {*partition.adding} & {*partition.removing}
        if moving and not both and set(partition.adding) <= set(partition.isr):
            partition.replicas = partition.target
            self.rest(partition)

    def in_flight(self) -> dict[TP, Partition]:
        """Partitions that move."""
        return {of: p for of, p in self.partitions.items() if p.adding or p.removing}

    def advance(self, n_bytes: float = float("inf"), only: Iterable[TP] | None = None) -> None:
        """Let each copy take in so many bytes (all there are, by default)."""
        with self.lock:
            for of in [of for of, p in self.partitions.items() if p.copied] if only is None else list(only):
                partition = self.partitions[of]
                if of in self.stuck or partition.leader in self.dead or partition.leader < 0:
                    continue
                for i in set(partition.copied) - self.dead:
                    partition.copied[i] = min(partition.size, partition.copied[i] + n_bytes)
                self.settle(of)
            for where, move in list(self.dir_moves.items()):
                move.copied += n_bytes
                if move.copied >= self.partitions[where[0]].size:
                    self.placed[where] = move.dir
                    del self.dir_moves[where]

    def tick(self) -> None:
        """Advance by the time that has passed since the last look."""
        now = self.clock()
        elapsed, self.last = now - self.last, now
        if self.speed and (self.dir_moves or self.in_flight()):
            self.advance(self.speed * elapsed)

    # -- leaders ------------------------------------------------------------------------------

    def elect(self, of: TP) -> int:
        """Preferred leader election; the error code."""
        partition = self.partitions.get(of)
        if partition is None:
            return UNKNOWN_TOPIC
        first = partition.replicas[0]
        if partition.leader == first:
            return ELECTION_NOT_NEEDED
        if first not in partition.isr or first in self.dead:
            return PREFERRED_LEADER_NOT_AVAILABLE
        partition.leader = first
        return NONE

    # -- brokers ------------------------------------------------------------------------------

    def lose(self, broker: int) -> None:
        """A broker is dead: it leads nothing and leaves every ISR that it is not alone in."""
        self.dead.add(broker)
        for partition in self.partitions.values():
            if broker in partition.isr and len(partition.isr) > 1:
                partition.isr.remove(broker)
            if partition.leader == broker:
                partition.leader = next(
                    (i for i in partition.replicas if i in partition.isr and i != broker), -1
                )

    def regain(self, broker: int) -> None:
        """A broker is back and in sync wherever it held a replica already."""
        self.dead.discard(broker)
        self.fenced.discard(broker)
        for partition in self.partitions.values():
            if broker in partition.replicas and broker not in (*partition.copied, *partition.isr):
                partition.isr.append(broker)
            if partition.leader < 0 and broker in partition.isr:
                partition.leader = broker

    def delete_topic(self, topic: str) -> None:
        """The topic, its moves and its configs are gone."""
        with self.lock:
            self.partitions = {of: p for of, p in self.partitions.items() if of[0] != topic}
            self.configs.pop(("topic", topic), None)

    # -- log dirs -----------------------------------------------------------------------------

    def dir_of(self, of: TP, broker: int) -> str:
        """Log dir of a replica."""
        dirs = self.dirs[broker]
        return self.placed.get((of, broker), dirs[of[1] % len(dirs)])

    def move_dir(self, of: TP, broker: int, to: str) -> int:
        """AlterReplicaLogDirs for one replica; the error code."""
        if to not in self.dirs[broker]:
            return LOG_DIR_NOT_FOUND
        if (broker, to) in self.failed_dirs:
            return KAFKA_STORAGE_ERROR
        partition = self.partitions.get(of)
        if partition is None or broker not in partition.replicas:
            self.placed[of, broker] = to  # remembered for when the replica comes
            return REPLICA_NOT_AVAILABLE
        if self.dir_of(of, broker) == to:
            self.dir_moves.pop((of, broker), None)
        else:
            self.dir_moves[of, broker] = DirMove(to)
        return NONE

    # -- configs ------------------------------------------------------------------------------

    def alter_config(self, kind: str, name: str, key: str, operation: int, value: str | None) -> int:
        """IncrementalAlterConfigs for one key (0 set, 1 delete); the error code."""
        if kind == "topic" and not any(of[0] == name for of in self.partitions):
            return UNKNOWN_TOPIC
        if operation == 0 and value is None:
            return INVALID_REQUEST
        values = self.configs.setdefault((kind, name), {})
        if operation == 1:
            values.pop(key, None)
        else:
            values[key] = value or ""
        return NONE
