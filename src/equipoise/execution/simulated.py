"""A model of a Kafka cluster that copies at throttled rates: a port, and time that can be advanced.

It keeps to what real brokers do where a run can see it: the union lists while moving, target first;
a cancel that does not restore the order; reassignments onto dead brokers that are accepted and hang;
configs of a dead broker that cannot be altered; a kept replica out of the ISR that blocks a move up to
Kafka 4.2. Links are shared fairly among the copies on them (max-min).
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from equipoise.cluster import Cluster
from equipoise.execution.carrier import Carrier, health_of
from equipoise.execution.instructions import Health
from equipoise.execution.port import (
    BrokerState,
    ClusterState,
    ConfigValue,
    Failure,
    LogDir,
    PartitionState,
    Reassignment,
    Replica,
    Resource,
    StoredReplica,
    TopicPartition,
)
from equipoise.scheduling.result import FloatArray
from equipoise.scheduling.throttles import FOLLOWER_RATE, FOLLOWER_REPLICAS, LEADER_RATE, LEADER_REPLICAS

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


@dataclass(frozen=True)
class Copy:
    """One replica on its way."""

    name: TopicPartition
    source: int
    target: int


class SimulatedCluster:
    """Brokers, partitions and copies; everything else is :class:`equipoise.execution.port.Port`."""

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
        self.sick: set[Replica] = set()
        """Replicas that cannot stay in the ISR though their broker lives."""
        self.replicas: dict[TopicPartition, tuple[int, ...]] = {}
        self.isr: dict[TopicPartition, tuple[int, ...]] = {}
        self.leader: dict[TopicPartition, int] = {}
        self.size: dict[TopicPartition, float] = {}
        self.topics: dict[str, list[TopicPartition]] = defaultdict(list)
        self.moving: dict[TopicPartition, Moving] = {}
        self.settings: dict[Resource, dict[str, str]] = defaultdict(dict)
        self.pairs: dict[tuple[str, str], frozenset[str]] = {}
        self.used: dict[int, float] = defaultdict(float)
        self.dirs: dict[Replica, str] = {}
        """Replicas that are not, or are not to come, in the first log dir."""

    @classmethod
    def like(cls, cluster: Cluster, **options: object) -> SimulatedCluster:
        """A model of ``cluster`` with every replica in the ISR and preferred leaders leading."""
        racks = dict(zip(cluster.brokers.ids.tolist(), cluster.brokers.racks, strict=True))
        model = cls(racks, **options)  # type: ignore[arg-type]
        lists = cluster.ids_of(cluster.replicas).tolist()
        sizes = np.nan_to_num(cluster.size_bytes).tolist()
        for row, (replicas, size) in enumerate(zip(lists, sizes, strict=True)):
            held = tuple(broker for broker in replicas if broker >= 0)
            if held:
                topic = cluster.topics[cluster.topic_idx[row]]
                model.create(topic, int(cluster.partition[row]), held, size)
        return model

    # -- the world outside a run

    def create(
        self, topic: str, partition: int, replicas: Sequence[int], size: float = 0.0
    ) -> TopicPartition:
        name = TopicPartition(topic, partition)
        self.topics[topic].append(name)
        self.replicas[name] = self.isr[name] = tuple(replicas)
        self.leader[name], self.size[name] = replicas[0], size
        for broker in replicas:
            self.used[broker] += size
        return name

    def delete_topic(self, topic: str) -> None:
        for name in self.topics.pop(topic, ()):
            for table in (self.replicas, self.isr, self.leader, self.size, self.moving):
                table.pop(name, None)
        self.settings.pop(Resource.topic(topic), None)

    def kill(self, broker: int) -> None:
        self.down.add(broker)
        for name, replicas in self.replicas.items():
            if broker in replicas:
                self.refresh(name)

    def revive(self, broker: int) -> None:
        self.down.discard(broker)
        for name, replicas in self.replicas.items():
            if broker in replicas:
                self.refresh(name)

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

    # -- time

    def advance(self, seconds: float) -> None:
        """Let time pass: copies get on, moves end."""
        end = self.now + seconds
        while self.now < end:
            copies = list(self.copies())
            if not copies:
                self.now = end
                return
            rates = self.rates(copies)
            left = np.array([self.size[c.name] - self.moving[c.name].copied[c.target] for c in copies])
            first = float(np.min(left / np.maximum(rates, 1e-9)))
            step = min(end - self.now, max(first, self.grain))
            self.copy(copies, np.minimum(left, rates * step), left)
            self.now = end if step == end - self.now else self.now + step

    def copies(self) -> Iterator[Copy]:
        """What can be copied now: from a leader that lives to a broker that lives."""
        for name, moving in self.moving.items():
            if self.leader[name] >= 0:
                for broker in moving.lagging(self.size[name]):
                    if broker not in self.down:
                        yield Copy(name, self.leader[name], broker)

    def copy(self, copies: list[Copy], amounts: FloatArray, left: FloatArray) -> None:
        """Add ``amounts`` to the copies; those that have all they lack, ``left``, are complete."""
        ended = (amounts >= left * (1 - 1e-9)).tolist()
        for copy, amount, over in zip(copies, amounts.tolist(), ended, strict=True):
            copied = self.moving[copy.name].copied
            copied[copy.target] = self.size[copy.name] if over else copied[copy.target] + amount
        for copy, over in zip(copies, ended, strict=True):
            if over and copy.name in self.moving:
                self.refresh(copy.name)

    def rates(self, copies: list[Copy]) -> FloatArray:
        """Bytes a second of each copy, its two links shared fairly (progressive filling)."""
        links: dict[tuple[str, int, bool], int] = {}
        ends = np.array(
            [[links.setdefault(link, len(links)) for link in self.links_of(copy)] for copy in copies]
        )
        free = np.array([self.capacity(link) for link in links])
        rates, active = np.zeros(len(copies)), np.ones(len(copies), dtype=bool)
        for _ in range(8):
            using = np.bincount(ends[active].ravel(), minlength=len(free))
            share = np.where(using > 0, free / np.maximum(using, 1), np.inf)
            more = np.where(active, share[ends].min(axis=1), 0.0)
            rates += more
            taken = np.bincount(ends.ravel(), weights=np.repeat(more, 2), minlength=len(free))
            free = np.maximum(free - taken, 0.0)
            active &= (free[ends] > 1e-6 * self.link).all(axis=1)
            if not active.any():
                break
        return rates

    def links_of(self, copy: Copy) -> tuple[tuple[str, int, bool], ...]:
        """Outbound link of the leader and inbound link of the target, each throttled or not."""
        topic, number = copy.name
        return (
            ("out", copy.source, self.in_list(topic, LEADER_REPLICAS, f"{number}:{copy.source}")),
            ("in", copy.target, self.in_list(topic, FOLLOWER_REPLICAS, f"{number}:{copy.target}")),
        )

    def in_list(self, topic: str, key: str, pair: str) -> bool:
        pairs = self.pairs.get((topic, key), frozenset())
        return pair in pairs or "*" in pairs

    def capacity(self, link: tuple[str, int, bool]) -> float:
        side, broker, throttled = link
        rate = self.settings[Resource.broker(broker)].get(LEADER_RATE if side == "out" else FOLLOWER_RATE)
        return min(float(rate), self.link) if throttled and rate else self.link

    # -- the port

    def cluster(self) -> ClusterState:
        return ClusterState(
            self.id,
            tuple(
                BrokerState(broker, rack=self.racks[broker], fenced=broker in self.down)
                for broker in sorted(self.racks)
            ),
        )

    def partitions(self, topics: Collection[str] | None = None) -> Mapping[TopicPartition, PartitionState]:
        return States(self, topics)

    def reassignments(
        self, partitions: Collection[TopicPartition] | None = None
    ) -> Mapping[TopicPartition, Reassignment]:
        return {
            name: Reassignment(self.replicas[name], moving.adding, moving.removing)
            for name, moving in self.moving.items()
            if partitions is None or name in partitions
        }

    def alter_reassignments(
        self, targets: Mapping[TopicPartition, Sequence[int] | None]
    ) -> Mapping[TopicPartition, Failure | None]:
        return {name: self.reassign(name, target) for name, target in targets.items()}

    def reassign(self, name: TopicPartition, target: Sequence[int] | None) -> Failure | None:
        if name not in self.replicas:
            return GONE
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

    def elect_preferred(
        self, partitions: Collection[TopicPartition]
    ) -> Mapping[TopicPartition, Failure | None]:
        return {name: self.elect(name) for name in partitions}

    def elect(self, name: TopicPartition) -> Failure | None:
        if name not in self.replicas:
            return GONE
        first = self.replicas[name][0]
        if first not in self.isr[name]:
            return Failure("PREFERRED_LEADER_NOT_AVAILABLE")
        self.leader[name] = first
        return None

    def log_dirs(
        self, brokers: Collection[int], partitions: Collection[TopicPartition] | None = None
    ) -> Mapping[int, tuple[LogDir, ...] | Failure]:
        held: dict[int, dict[str, dict[TopicPartition, StoredReplica]]]
        held = {broker: {path: {} for path in LOG_DIRS} for broker in brokers}
        for name in self.replicas if partitions is None else partitions:
            moving = self.moving.get(name)
            for broker in self.replicas.get(name, ()):
                if broker in held:
                    size = moving.copied.get(broker, self.size[name]) if moving else self.size[name]
                    path = self.dirs.get(Replica(*name, broker), LOG_DIRS[0]) if self.dirs else LOG_DIRS[0]
                    held[broker][path][name] = StoredReplica(int(size), 0)
        return {
            broker: DEAD
            if broker in self.down
            else tuple(self.log_dir(broker, *one) for one in found.items())
            for broker, found in held.items()
        }

    def log_dir(self, broker: int, path: str, replicas: Mapping[TopicPartition, StoredReplica]) -> LogDir:
        """One of a broker's log dirs, which share its disk evenly."""
        if math.isinf(self.disk):
            return LogDir(path, replicas=replicas)
        total, usable = self.disk / len(LOG_DIRS), (self.disk - self.used[broker]) / len(LOG_DIRS)
        return LogDir(path, total_bytes=int(total), usable_bytes=int(usable), replicas=replicas)

    def alter_replica_log_dirs(self, dirs: Mapping[Replica, str]) -> Mapping[Replica, Failure | None]:
        return {replica: self.place(replica, path) for replica, path in dirs.items()}

    def place(self, replica: Replica, path: str) -> Failure | None:
        if path not in LOG_DIRS:
            return Failure("LOG_DIR_NOT_FOUND")
        self.dirs[replica] = path  # also remembered for a replica that is still to come
        name = TopicPartition(replica.topic, replica.partition)
        return None if replica.broker in self.replicas.get(name, ()) else Failure("REPLICA_NOT_AVAILABLE")

    def configs(
        self, resources: Collection[Resource], keys: Collection[str] | None = None
    ) -> Mapping[Resource, Mapping[str, ConfigValue] | Failure]:
        return {resource: self.missing(resource) or self.values(resource, keys) for resource in resources}

    def missing(self, resource: Resource) -> Failure | None:
        if resource.kind == "topic":
            return None if resource.name in self.topics else GONE
        alive = int(resource.name) in self.racks and int(resource.name) not in self.down
        return None if alive else DEAD

    def values(self, resource: Resource, keys: Collection[str] | None) -> dict[str, ConfigValue]:
        source = "DYNAMIC_TOPIC_CONFIG" if resource.kind == "topic" else "DYNAMIC_BROKER_CONFIG"
        there = self.settings.get(resource, {})
        return {k: ConfigValue(v, source) for k, v in there.items() if keys is None or k in keys}

    def alter_configs(
        self, changes: Mapping[Resource, Mapping[str, str | None]]
    ) -> Mapping[Resource, Failure | None]:
        answers: dict[Resource, Failure | None] = {}
        for resource, values in changes.items():
            answers[resource] = self.missing(resource)
            for key, value in values.items() if answers[resource] is None else ():
                if value is None:
                    self.settings[resource].pop(key, None)
                else:
                    self.settings[resource][key] = value
                if resource.kind == "topic":
                    self.pairs[resource.name, key] = frozenset((value or "").split(","))
        return answers

    def close(self) -> None:
        pass


class States(Mapping[TopicPartition, PartitionState]):
    """Partitions of some topics, looked up one by one: a million of them cost nothing until asked for."""

    def __init__(self, model: SimulatedCluster, topics: Collection[str] | None) -> None:
        self.model, self.topics = model, topics

    def __getitem__(self, name: TopicPartition) -> PartitionState:
        model = self.model
        if name not in model.replicas or (self.topics is not None and name.topic not in self.topics):
            raise KeyError(name)
        replicas = model.replicas[name]
        offline = tuple(broker for broker in replicas if broker in model.down)
        return PartitionState(replicas, model.isr[name], model.leader[name], offline)

    def __iter__(self) -> Iterator[TopicPartition]:
        for topic in self.model.topics if self.topics is None else self.topics:
            yield from self.model.topics.get(topic, ())

    def __len__(self) -> int:
        return sum(1 for _ in self)


class SimulatedCarrier(Carrier):
    """Carries instructions out on the model, whose time passes while the run waits."""

    slice_s = math.inf

    def __init__(self, model: SimulatedCluster) -> None:
        super().__init__(model, clock=lambda: model.now, sleep=model.advance)
        self.model = model

    def health(self) -> Health:
        """As for any cluster; where every broker lives and nothing is sick nobody needs to look."""
        if not self.model.down and not self.model.sick:
            return Health({})
        return health_of(self.model.partitions(), self.model.reassignments(), {})
