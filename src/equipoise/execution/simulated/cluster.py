"""The model as a port: what brokers would answer."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping, Sequence

import numpy as np

from equipoise.cluster import Cluster
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
from equipoise.execution.simulated.between import Settling
from equipoise.execution.simulated.world import DEAD, GONE, LOG_DIRS, World


class SimulatedCluster(Settling):
    """A model that is a :class:`equipoise.execution.port.Port`."""

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

    def elect_preferred(
        self, partitions: Collection[TopicPartition]
    ) -> Mapping[TopicPartition, Failure | None]:
        return {name: self.elect(name) for name in partitions}

    def log_dirs(
        self, brokers: Collection[int], partitions: Collection[TopicPartition] | None = None
    ) -> Mapping[int, tuple[LogDir, ...] | Failure]:
        held: dict[int, dict[str, dict[TopicPartition, StoredReplica]]]
        held = {broker: {path: {} for path in self.paths_of(broker)} for broker in brokers}
        for name in self.replicas if partitions is None else partitions:
            moving = self.moving.get(name)
            for broker in self.replicas.get(name, ()):
                if broker in held:
                    size = moving.copied.get(broker, self.size[name]) if moving else self.size[name]
                    first = self.paths_of(broker)[0]
                    path = self.dirs.get(Replica(*name, broker), first) if self.dirs else first
                    held[broker][path][name] = StoredReplica(int(size), 0)
        return {
            broker: DEAD
            if broker in self.down
            else tuple(self.log_dir(broker, *one) for one in found.items())
            for broker, found in held.items()
        }

    def log_dir(self, broker: int, path: str, replicas: Mapping[TopicPartition, StoredReplica]) -> LogDir:
        """One of a broker's log dirs, which share its disk evenly."""
        if broker in self.failed and path == LOG_DIRS[0]:
            return LogDir(path, error=Failure("KAFKA_STORAGE_ERROR"))
        future = {
            TopicPartition(one.topic, one.partition): StoredReplica(int(copy.copied), 0)
            for one, copy in self.between.items()
            if (one.broker, copy.path) == (broker, path)
        }
        if math.isinf(self.disk):
            return LogDir(path, replicas=replicas, future=future)
        total, usable = self.disk / len(LOG_DIRS), (self.disk - self.used[broker]) / len(LOG_DIRS)
        return LogDir(path, None, int(total), int(usable), replicas=replicas, future=future)

    def alter_replica_log_dirs(self, dirs: Mapping[Replica, str]) -> Mapping[Replica, Failure | None]:
        return {replica: self.place(replica, path) for replica, path in dirs.items()}

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
        self.stale = True
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

    def may_alter(self) -> bool:
        return True

    def would_refuse(
        self, changes: Mapping[Resource, Mapping[str, str | None]]
    ) -> Mapping[Resource, Failure]:
        return {}

    def close(self) -> None:
        pass


class States(Mapping[TopicPartition, PartitionState]):
    """Partitions of some topics, looked up one by one: a million of them cost nothing until asked for."""

    def __init__(self, model: World, topics: Collection[str] | None) -> None:
        self.model, self.topics = model, None if topics is None else dict.fromkeys(topics)

    def __contains__(self, name: object) -> bool:
        return name in self.model.replicas and (self.topics is None or name[0] in self.topics)

    def __getitem__(self, name: TopicPartition) -> PartitionState:
        model = self.model
        if name not in self:
            raise KeyError(name)
        replicas = model.replicas[name]
        offline = tuple(broker for broker in replicas if broker in model.down) if model.down else ()
        return PartitionState(
            replicas, model.isr[name], model.leader[name], offline, model.topic_ids[name.topic]
        )

    def __iter__(self) -> Iterator[TopicPartition]:
        for topic in self.model.topics if self.topics is None else self.topics:
            yield from self.model.topics.get(topic, ())

    def __len__(self) -> int:
        return sum(1 for _ in self)
