"""A snapshot of a live cluster: everything that planning needs, read and nothing changed."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from functools import cached_property
from time import sleep
from typing import Protocol

from equipoise.execution.chunks import chunks
from equipoise.execution.port import (
    ClusterState,
    ConfigValue,
    Failure,
    LogDir,
    NotAuthorised,
    PartitionState,
    Port,
    Reassignment,
    RequestRefused,
    Resource,
    TopicPartition,
)
from equipoise.wording import plural

TOPIC_CONFIGS = (
    "cleanup.policy",
    "follower.replication.throttled.replicas",
    "leader.replication.throttled.replicas",
    "local.retention.bytes",
    "local.retention.ms",
    "min.insync.replicas",
    "remote.storage.enable",
    "retention.bytes",
    "retention.ms",
    "segment.bytes",
    "unclean.leader.election.enable",
)
"""Topic configs that bear on placement, size or safety."""

BROKER_CONFIGS = (
    "auto.leader.rebalance.enable",
    "broker.rack",
    "cordoned.log.dirs",
    "follower.replication.throttled.rate",
    "leader.replication.throttled.rate",
    "log.retention.bytes",
    "log.retention.ms",
    "min.insync.replicas",
    "replica.alter.log.dirs.io.max.bytes.per.second",
    "unclean.leader.election.enable",
)

AT_ONCE = 8
"""Brokers whose log dirs are asked for at the same time."""
SETTLING_ROUNDS = 20
SETTLING_S = 0.5

Configs = Mapping[str, ConfigValue]
Progress = Callable[[str, int, int], None]
"""Told what is being read, how much of it is done, and of how much."""


class LivePort(Port, Protocol):
    """What a snapshot asks of a cluster beyond what carrying out a plan needs."""

    def topics(
        self, topics: Collection[str] | None = None
    ) -> tuple[Mapping[str, str], Mapping[TopicPartition, PartitionState]]: ...

    def features(self) -> Mapping[str, int]: ...

    def version(self) -> str: ...


@dataclass(frozen=True)
class Snapshot:
    """What a cluster told; a broker or topic that did not answer is a :class:`Failure` in its place."""

    cluster: ClusterState
    version: str
    """Kafka's version, as far as the requests that brokers take tell it."""
    features: Mapping[str, int]
    topic_ids: Mapping[str, str]
    partitions: Mapping[TopicPartition, PartitionState]
    moving: Mapping[TopicPartition, Reassignment]
    log_dirs: Mapping[int, tuple[LogDir, ...] | Failure]
    topic_configs: Mapping[str, Configs | Failure]
    broker_configs: Mapping[int, Configs | Failure]
    hidden: tuple[str, ...] = ()
    """Topics of which replicas are on disks and that the user may not describe, sorted."""

    @cached_property
    def warnings(self) -> tuple[str, ...]:
        """What could not be read, one sentence each."""
        return tuple(what_is_missing(self))

    @property
    def broker_ids(self) -> list[int]:
        """Registered brokers, and those that only replica lists still name; ascending."""
        held = {broker for state in self.partitions.values() for broker in state.replicas}
        return sorted(self.cluster.ids | held)


def silent(what: str, done: int, of: int) -> None:
    """Progress for those who do not ask."""


def take_snapshot(port: LivePort, progress: Progress = silent) -> Snapshot:
    """Read the cluster; raises ``PortError`` where it cannot be read at all."""
    progress("brokers", 0, 1)
    cluster = port.cluster()
    topic_ids, partitions, moving = read_together(port, progress)
    log_dirs = all_log_dirs(port, sorted(cluster.ids), progress)
    topics = sorted({partition.topic for partition in partitions})
    progress("configs", 0, len(topics) + len(cluster.ids))
    by_topic = port.configs([Resource.topic(name) for name in topics], TOPIC_CONFIGS)
    by_broker = port.configs([Resource.broker(i) for i in sorted(cluster.ids)], BROKER_CONFIGS)
    return Snapshot(
        cluster=cluster,
        version=port.version(),
        features=port.features(),
        topic_ids=topic_ids,
        partitions=partitions,
        moving=moving,
        log_dirs=log_dirs,
        topic_configs={of.name: values for of, values in by_topic.items()},
        broker_configs={int(of.name): values for of, values in by_broker.items()},
        hidden=hidden_topics(port, {name.topic for name in partitions}, log_dirs),
    )


def hidden_topics(
    port: Port, shown: set[str], log_dirs: Mapping[int, tuple[LogDir, ...] | Failure]
) -> tuple[str, ...]:
    """Topics that are left out of what brokers list because the user may not describe them.

    Log dirs are told to whoever may describe the cluster. A topic that has come or gone meanwhile is on
    disks too; asked for by its name, only a hidden one is refused.
    """
    found = (dirs for dirs in log_dirs.values() if not isinstance(dirs, Failure))
    stored = {name.topic for dirs in found for where in dirs for name in where.replicas}
    hidden = []
    for topic in sorted(stored - shown):
        try:
            port.partitions([topic])
        except NotAuthorised:
            hidden.append(topic)
    return tuple(hidden)


def read_together(
    port: LivePort, progress: Progress
) -> tuple[Mapping[str, str], Mapping[TopicPartition, PartitionState], Mapping[TopicPartition, Reassignment]]:
    """Replica lists and moves in flight that belong together.

    While a partition moves its list is the union of old and new, so a list read without the move
    would show a replication factor that is too high. Where moves began or ended meanwhile, their
    topics are read again until nothing changed. Brokers hear of a move's end a moment after the
    controller, which lists the moves, has decided it: hence the pause.
    """
    progress("topics", 0, 1)
    moving = port.reassignments()
    sleep(SETTLING_S)
    topic_ids, partitions = port.topics()
    for _ in range(SETTLING_ROUNDS):
        now = port.reassignments()
        changed = {partition.topic for partition, _ in set(moving.items()) ^ set(now.items())}
        if not changed:
            return topic_ids, partitions, moving
        sleep(SETTLING_S)
        kept = {p: state for p, state in partitions.items() if p.topic not in changed}
        partitions, moving = {**kept, **port.topics(changed)[1]}, now
    raise RequestRefused("NOT_SETTLED", "reassignments begin and end faster than they can be read; try again")


def all_log_dirs(
    port: Port, brokers: list[int], progress: Progress
) -> Mapping[int, tuple[LogDir, ...] | Failure]:
    found: dict[int, tuple[LogDir, ...] | Failure] = {}
    for some in chunks(brokers, AT_ONCE):
        progress("log dirs", len(found), len(brokers))
        found |= port.log_dirs(some)
    return found


def incomplete(told: Snapshot) -> str:
    """Why no plan should be made of it."""
    some = plural(len(told.hidden), "topic")
    return (
        f"replicas of {some} are on disk that this user may not describe, {told.hidden[0]} among them:"
        " loads are not what they seem. Describe on all topics is needed"
    )


def what_is_missing(told: Snapshot) -> list[str]:
    """One sentence for each broker or group of topics that did not tell everything."""
    lines = [incomplete(told)] if told.hidden else []
    lines += [
        f"broker {broker} holds replicas, but is not registered: its rack and sizes are unknown"
        for broker in told.broker_ids
        if broker not in told.cluster.ids
    ]
    fenced = {broker.id for broker in told.cluster.brokers if broker.fenced}
    for broker, dirs in told.log_dirs.items():
        if isinstance(dirs, Failure):
            state = "is fenced" if broker in fenced else "does not answer"
            lines.append(f"broker {broker} {state}: its sizes are unknown ({dirs.code})")
            continue
        lines += [
            f"log dir {where.path} of broker {broker} has an error: {where.error}"
            for where in dirs
            if where.error
        ]
    lines += [
        f"broker {broker} does not show its configs ({values.code})"
        for broker, values in told.broker_configs.items()
        if isinstance(values, Failure) and not isinstance(told.log_dirs.get(broker), Failure)
    ]
    refused = [(name, values) for name, values in told.topic_configs.items() if isinstance(values, Failure)]
    if refused:
        name, failure = refused[0]
        some = plural(len(refused), "topic")
        lines.append(f"configs of {some} are not shown, {name} among them ({failure.code})")
    return lines
