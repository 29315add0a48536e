"""Carries instructions out on a cluster, through its port."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from equipoise.execution import instructions as ask
from equipoise.execution.instructions import Health, Instruction, Observed, Surveyed
from equipoise.execution.port import (
    Failure,
    LogDir,
    PartitionState,
    Port,
    Reassignment,
    Replica,
    RequestRefused,
    Resource,
    TopicPartition,
    Unreachable,
)
from equipoise.execution.throttling import LISTS

MIN_ISR = "min.insync.replicas"


class Carrier:
    """One port, and a clock."""

    slice_s = 0.2
    """A wait is cut into pieces so long that Ctrl-C is heard soon."""

    def __init__(
        self,
        port: Port,
        *,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self.port, self.clock, self.sleep = port, clock, sleep
        self.min_isr: dict[str, int] = {}

    def perform(self, instruction: Instruction) -> Any:
        """The answer to an instruction; raises ``PortError`` where the cluster cannot be asked.

        A change that finds nobody to take it is answered with a failure of each of its parts:
        whether it was done is not known, and the next look tells.
        """
        match instruction:
            case ask.Survey():
                return self.survey(instruction)
            case ask.Observe():
                return self.observe(instruction)
            case ask.FindHeld(brokers):
                return self.held(brokers)
            case ask.CheckHealth():
                return self.health()
            case ask.ReadConfigs(keys, resources):
                return self.port.configs(resources, keys)
            case ask.FindLists():
                topics = sorted({name.topic for name in self.port.partitions()})
                return self.port.configs(tuple(map(Resource.topic, topics)), LISTS)
            case ask.AlterConfigs(changes):
                return unsure(self.port.alter_configs, changes)
            case ask.Submit(targets):
                return unsure(self.port.alter_reassignments, targets)
            case ask.PlaceInDirs(dirs):
                return unsure(self.port.alter_replica_log_dirs, dirs)
            case ask.LookIntoDirs(brokers, partitions):
                return self.port.log_dirs(brokers, partitions)
            case ask.Elect(partitions):
                return unsure(self.port.elect_preferred, partitions)
            case _:
                raise TypeError(f"{type(instruction).__name__} is not for the cluster")

    def survey(self, wanted: ask.Survey) -> Surveyed:
        cluster, moving = self.port.cluster(), self.port.reassignments()
        known = cluster.ids
        dirs = self.port.log_dirs([b for b in wanted.receivers if b in known], ())
        return Surveyed(self.clock(), cluster, self.port.partitions(wanted.topics), moving, dirs)

    def observe(self, wanted: ask.Observe) -> Observed:
        """Moves are read before partitions: one that ends in between is then seen as still moving."""
        cluster, moving = self.port.cluster(), self.port.reassignments()
        states: Mapping[TopicPartition, PartitionState] = {}
        if wanted.partitions:
            found = self.port.partitions({name.topic for name in wanted.partitions})
            states = {name: found[name] for name in wanted.partitions if name in found}
        serving = {broker.id for broker in cluster.brokers if not broker.fenced}
        asked = [broker for broker in wanted.holders if broker in serving]
        dirs = self.port.log_dirs(asked, wanted.partitions) if asked else {}
        told = {broker: found for broker, found in dirs.items() if not isinstance(found, Failure)}
        return Observed(
            self.clock(),
            cluster,
            states,
            moving,
            dict(stored(told)),
            dict(usable(told)),
            frozenset(wanted.holders) - told.keys(),
            frozenset(broker for broker, found in told.items() if found and all(d.cordoned for d in found)),
            {broker: one.path for broker, found in told.items() for one in found if one.error is not None},
        )

    def held(self, brokers: Sequence[int]) -> Mapping[int, list[TopicPartition]]:
        """What metadata say that each of these brokers holds."""
        states = self.port.partitions()
        return {b: sorted(name for name, state in states.items() if b in state.replicas) for b in brokers}

    def health(self) -> Health:
        moving = self.port.reassignments()
        states = self.port.partitions()
        self.learn_min_isr({name.topic for name in states})
        return health_of(states, moving, self.min_isr)

    def learn_min_isr(self, topics: set[str]) -> None:
        """Read min.insync.replicas of topics that were not seen before."""
        new = [Resource.topic(topic) for topic in sorted(topics - self.min_isr.keys())]
        for resource, values in (self.port.configs(new, (MIN_ISR,)) if new else {}).items():
            if not isinstance(values, Failure) and MIN_ISR in values:
                self.min_isr[resource.name] = int(values[MIN_ISR].value or 1)


def unsure(change: Callable[[Any], Mapping[Any, Failure | None]], what: Any) -> Mapping[Any, Failure | None]:
    """The answer to a change, each part failed where nobody answered or all was refused."""
    try:
        return change(what)
    except Unreachable as error:
        return dict.fromkeys(what, Failure("UNREACHABLE", str(error)))
    except RequestRefused as error:
        return dict.fromkeys(what, Failure(error.code, str(error)))


def stored(dirs: Mapping[int, Sequence[LogDir]]) -> Iterable[tuple[Replica, int]]:
    """Bytes of every copy in these log dirs."""
    for broker, found in dirs.items():
        for one in found:
            for (topic, number), copy in one.replicas.items():
                yield Replica(topic, number, broker), copy.size_bytes


def usable(dirs: Mapping[int, Sequence[LogDir]]) -> Iterable[tuple[int, tuple[int, int]]]:
    """Usable and total bytes of each broker that tells both for all its working log dirs."""
    for broker, found in dirs.items():
        working = [one for one in found if one.error is None and not one.cordoned]
        free = [one.usable_bytes for one in working if one.usable_bytes is not None]
        total = [one.total_bytes for one in working if one.total_bytes is not None]
        if working and len(free) == len(total) == len(working):
            yield broker, (sum(free), sum(total))


def health_of(
    states: Mapping[TopicPartition, PartitionState],
    moving: Mapping[TopicPartition, Reassignment],
    min_isr: Mapping[str, int],
) -> Health:
    """What is not well; a list longer than its ISR alone by what is being added is well."""
    behind = {
        name: missing
        for name, state in states.items()
        if len(state.isr) < len(state.replicas) and (missing := out_of_sync(state, moving.get(name)))
    }
    spare = {name: len(states[name].isr) - min_isr.get(name.topic, 1) for name in behind}
    return Health(
        behind,
        under_min_isr=frozenset(name for name, more in spare.items() if more < 0),
        at_min_isr=frozenset(name for name, more in spare.items() if more == 0),
        offline=frozenset(name for name, state in states.items() if state.leader < 0),
        topic_ids={name.topic: state.topic_id for name, state in states.items() if state.topic_id},
    )


def out_of_sync(state: PartitionState, moving: Reassignment | None) -> tuple[int, ...]:
    """Replicas that should be in the ISR and are not."""
    adding = moving.adding if moving is not None else ()
    return tuple(b for b in state.replicas if b not in state.isr and b not in adding)
