"""``--dry-run``: the same machine on a model of the cluster as it is now, every request told."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Protocol

from equipoise.execution import instructions as ask
from equipoise.execution.instructions import Instruction
from equipoise.execution.moves import Job
from equipoise.execution.port import Failure, Port, Replica, Resource, TopicPartition
from equipoise.execution.simulated import SimulatedCarrier, SimulatedCluster
from equipoise.execution.throttling import KEYS


class Rehearsal(SimulatedCarrier):
    """Carries instructions out on the model, and tells each one that would change the cluster."""

    def __init__(self, model: SimulatedCluster, tell: Callable[[str], None]) -> None:
        super().__init__(model)
        self.tell = tell
        self.configs: dict[Resource, Mapping[str, str | None]] = {}
        """The first change of each resource: with which rights it is altered does not depend on the value."""
        self.moves = False
        """Whether anything is moved or elected."""

    def perform(self, instruction: Instruction) -> Any:
        for line in requests_in(instruction):
            self.tell(line)
        match instruction:
            case ask.AlterConfigs(changes):
                self.configs = {**changes, **self.configs}
            case ask.Submit() | ask.Elect():
                self.moves = True
        return super().perform(instruction)


class AskedPort(Port, Protocol):
    """A cluster that tells what it would allow."""

    def may_alter(self) -> bool:
        """Whether the user may move partitions and elect leaders."""

    def would_refuse(
        self, changes: Mapping[Resource, Mapping[str, str | None]]
    ) -> Mapping[Resource, Failure]:
        """The changes of configs that would be refused; nothing is changed."""


def missing_rights(rehearsed: Rehearsal, port: AskedPort) -> list[str]:
    """Why the cluster would refuse what was rehearsed, one sentence for each kind of request."""
    lines = []
    if rehearsed.moves and not port.may_alter():
        lines.append("not authorised to move partitions and elect leaders (Alter on the cluster)")
    refused: dict[tuple[str, str], list[Resource]] = {}
    for of, failure in port.would_refuse(rehearsed.configs).items() if rehearsed.configs else ():
        refused.setdefault((of.kind, str(failure)), []).append(of)
    for (kind, why), resources in sorted(refused.items()):
        more = f" and {len(resources) - 1:,} more" if len(resources) > 1 else ""
        lines.append(f"no throttle could be set on {kind} {min(resources).name}{more} ({why})")
    return lines


def requests_in(instruction: Instruction) -> Iterator[str]:
    """The request that an instruction stands for, one line for each thing that it changes."""
    match instruction:
        case ask.AlterConfigs(changes):
            for resource, values in changes.items():
                for key, value in values.items():
                    what = f"delete {key}" if value is None else f"set {key}={value}"
                    yield f"IncrementalAlterConfigs {resource.kind} {resource.name}: {what}"
        case ask.Submit(targets):
            for name, target in targets.items():
                what = "cancel" if target is None else str(list(target))
                yield f"AlterPartitionReassignments {name}: {what}"
        case ask.PlaceInDirs(dirs):
            for (topic, number, broker), path in dirs.items():
                yield f"AlterReplicaLogDirs {topic}-{number} on broker {broker}: {path}"
        case ask.Elect(partitions):
            for name in partitions:
                yield f"ElectLeaders preferred {name}"


def model_of(port: Port, job: Job) -> SimulatedCluster:
    """A model of the cluster behind ``port`` as it is now; sizes are those the job knows."""
    cluster = port.cluster()
    model = SimulatedCluster(
        {broker.id: broker.rack for broker in cluster.brokers}, cluster_id=cluster.cluster_id
    )
    moving, states = port.reassignments(), {**port.partitions(), **port.partitions(job.topics)}
    sizes = {move.partition: move.size_bytes for move in job.moves if move.size_bytes == move.size_bytes}
    for name, state in states.items():
        flight = moving.get(name)
        held = (
            state.replicas if flight is None else tuple(b for b in state.replicas if b not in flight.adding)
        )
        model.create(name.topic, name.partition, held, sizes.get(name, 0.0))
        model.leader[name] = state.leader
    model.down = {broker.id for broker in cluster.brokers if broker.fenced}
    copy_configs(model, port, states)
    copy_dirs(model, port, job)
    for name, flight in moving.items():
        model.reassign(name, flight.target)
    for name in states:
        model.refresh(name)
    return model


def copy_dirs(model: SimulatedCluster, port: Port, job: Job) -> None:
    """The log dirs of brokers on which replicas are to be placed, and where those lie now."""
    brokers = sorted({replica.broker for replica in job.dirs})
    partitions = sorted({TopicPartition(replica.topic, replica.partition) for replica in job.dirs})
    for broker, dirs in port.log_dirs(brokers, partitions).items() if brokers else ():
        if not isinstance(dirs, Failure):
            model.paths[broker] = tuple(one.path for one in dirs)
            for one in dirs:
                model.dirs.update({Replica(*name, broker): one.path for name in one.replicas})


def copy_configs(model: SimulatedCluster, port: Port, states: Mapping[TopicPartition, object]) -> None:
    """The throttles that are set now, on whatever there is."""
    resources = [Resource.topic(topic) for topic in sorted({name.topic for name in states})]
    resources += [Resource.broker(broker) for broker in model.racks if broker not in model.down]
    for resource, values in port.configs(resources, KEYS).items():
        if not isinstance(values, Failure):
            set_here = {key: value.value for key, value in values.items() if value.set_here and value.value}
            model.alter_configs({resource: set_here} if set_here else {})
