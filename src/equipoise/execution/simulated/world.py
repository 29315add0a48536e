"""Brokers, partitions and reassignments of the model, and what happens to them."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from equipoise.execution.port import Failure, Replica, Resource, TopicPartition

LOG_DIRS = ("/data/a", "/data/b")
"""Every broker's log dirs, on one disk."""
GONE = Failure("UNKNOWN_TOPIC_OR_PARTITION")
DEAD = Failure("UNREACHABLE", "the broker does not answer")


@dataclass
class Moving:
    """A reassignment in flight."""

    target: tuple[int, ...]
    adding: tuple[int, ...]
    removing: tuple[int, ...]
    copied: dict[int, float]

    def lagging(self, size: float) -> tuple[int, ...]:
        """Adding brokers that do not have all ``size`` bytes yet."""
        return tuple(broker for broker in self.adding if self.copied[broker] < size)


class World:
    """Who holds what, who is in sync, who leads; in plain tables by partition."""

    def __init__(
        self,
        racks: Mapping[int, str | None],
        *,
        cluster_id: str = "simulated",
        version: tuple[int, int] = (4, 3),
        link_bytes_per_s: float = 1e9,
        disk_bytes: float = math.inf,
        grain_s: float = 0.0,
    ) -> None:
        """``grain_s``: copies that end within so much time of each other may end together."""
        self.racks, self.id, self.version = dict(racks), cluster_id, version
        self.link, self.disk, self.grain = link_bytes_per_s, disk_bytes, grain_s
        self.now = 0.0
        self.down: set[int] = set()
        self.failed: set[int] = set()
        """Brokers whose first log dir has failed, where copies arrive."""
        self.sick: set[Replica] = set()
        """Replicas that cannot stay in the ISR though their broker lives."""
        self.replicas: dict[TopicPartition, tuple[int, ...]] = {}
        self.isr: dict[TopicPartition, tuple[int, ...]] = {}
        self.leader: dict[TopicPartition, int] = {}
        self.size: dict[TopicPartition, float] = {}
        self.topics: dict[str, list[TopicPartition]] = defaultdict(list)
        self.topic_ids: dict[str, str] = {}
        self.n_created = 0
        self.min_isr: dict[str, int] = {}
        """``min.insync.replicas`` of topics where it is not 1."""
        self.moving: dict[TopicPartition, Moving] = {}
        self.settings: dict[Resource, dict[str, str]] = defaultdict(dict)
        self.pairs: dict[tuple[str, str], frozenset[str]] = {}
        self.used: dict[int, float] = defaultdict(float)
        self.stale = True
        """Who copies what from whom, or how fast, is not as it was."""
        self.dirs: dict[Replica, str] = {}
        """Replicas that are not, or are not to come, in the first log dir."""
        self.paths: dict[int, tuple[str, ...]] = {}
        """Log dirs of brokers that have others than `LOG_DIRS`."""

    def create(
        self, topic: str, partition: int, replicas: Sequence[int], size: float = 0.0
    ) -> TopicPartition:
        name = TopicPartition(topic, partition)
        if topic not in self.topic_ids:
            self.n_created += 1
            self.topic_ids[topic] = f"{topic}#{self.n_created}"
        self.topics[topic].append(name)
        self.replicas[name] = self.isr[name] = tuple(replicas)
        self.leader[name], self.size[name] = replicas[0], size
        for broker in replicas:
            self.used[broker] += size
        return name

    def delete_topic(self, topic: str) -> None:
        self.stale = True
        self.topic_ids.pop(topic, None)
        for name in self.topics.pop(topic, ()):
            for table in (self.replicas, self.isr, self.leader, self.size, self.moving):
                table.pop(name, None)
        self.settings.pop(Resource.topic(topic), None)

    def kill(self, broker: int) -> None:
        self.stale = True
        self.down.add(broker)
        for name, replicas in self.replicas.items():
            if broker in replicas:
                self.refresh(name)

    def revive(self, broker: int) -> None:
        self.stale = True
        self.down.discard(broker)
        for name, replicas in self.replicas.items():
            if broker in replicas:
                self.refresh(name)

    def fail(self, broker: int, *, failed: bool = True) -> None:
        """A broker's first log dir fails, or is mended: copies that go there stand still meanwhile."""
        self.stale = True
        (self.failed.add if failed else self.failed.discard)(broker)

    def refresh(self, name: TopicPartition) -> None:
        """Who is in sync, and who leads, after brokers came or went or copies ended."""
        moving = self.moving.get(name)
        lagging = moving.lagging(self.size[name]) if moving is not None else ()
        self.isr[name] = tuple(
            broker
            for broker in self.replicas[name]
            if broker not in self.down and broker not in lagging and Replica(*name, broker) not in self.sick
        )
        if self.leader[name] not in self.isr[name]:
            self.leader[name] = self.isr[name][0] if self.isr[name] else -1
            self.stale |= bool(lagging)
        if moving is not None and self.may_finish(name, moving):
            self.finish(name, moving)

    def may_finish(self, name: TopicPartition, moving: Moving) -> bool:
        """Kafka up to 4.2 waits for all of the target, from 4.3 for what is added (KAFKA-19975)."""
        lenient = self.version >= (4, 3) and len(moving.adding) >= len(moving.removing)
        needed = moving.adding if lenient and moving.adding else moving.target
        return all(broker in self.isr[name] for broker in needed)

    def finish(self, name: TopicPartition, moving: Moving) -> None:
        del self.moving[name]
        for broker in moving.removing:
            self.used[broker] -= self.size[name]
        self.replicas[name] = moving.target
        self.refresh(name)

    def reassign(self, name: TopicPartition, target: Sequence[int] | None) -> Failure | None:
        if name not in self.replicas:
            return GONE
        self.stale = True
        moving = self.moving.get(name)
        original = tuple(b for b in self.replicas[name] if not moving or b not in moving.adding)
        if target is None:
            if moving is None:
                return Failure("NO_REASSIGNMENT_IN_PROGRESS")
            del self.moving[name]
            self.forget(name, moving.adding)
            self.replicas[name] = original
            self.refresh(name)
            return None
        wanted = tuple(target)
        if not wanted or len(set(wanted)) < len(wanted) or any(b not in self.racks for b in wanted):
            return Failure("INVALID_REPLICA_ASSIGNMENT", "unknown, missing or repeated broker")
        adding = tuple(broker for broker in wanted if broker not in original)
        removing = tuple(sorted(broker for broker in original if broker not in wanted))
        have = moving.copied if moving else {}
        self.forget(name, [broker for broker in have if broker not in adding])
        for broker in adding:
            self.used[broker] += 0.0 if broker in have else self.size[name]
        self.replicas[name] = wanted + removing
        self.moving[name] = Moving(wanted, adding, removing, {b: have.get(b, 0.0) for b in adding})
        self.refresh(name)
        return None

    def forget(self, name: TopicPartition, brokers: Collection[int]) -> None:
        """Copies that were begun and are not wanted any more are deleted."""
        for broker in brokers:
            self.used[broker] -= self.size[name]

    def elect(self, name: TopicPartition) -> Failure | None:
        if name not in self.replicas:
            return GONE
        first = self.replicas[name][0]
        if first not in self.isr[name]:
            return Failure("PREFERRED_LEADER_NOT_AVAILABLE")
        self.leader[name], self.stale = first, True
        return None

    def place(self, replica: Replica, path: str) -> Failure | None:
        if path not in self.paths.get(replica.broker, LOG_DIRS):
            return Failure("LOG_DIR_NOT_FOUND")
        self.dirs[replica] = path  # also remembered for a replica that is still to come
        name = TopicPartition(replica.topic, replica.partition)
        return None if replica.broker in self.replicas.get(name, ()) else Failure("REPLICA_NOT_AVAILABLE")
