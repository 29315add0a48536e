"""``--dry-run``: the same machine on a model of the cluster as it is now, every request told."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
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


def missing_rights(rehearsed: Rehearsal, port: AskedPort, unread: Sequence[str] = ()) -> list[str]:
    """Why the cluster would refuse what was rehearsed, a sentence for each kind of request, and ``unread``,
    what it refused to tell."""
    lines = list(unread)
    if rehearsed.moves and not port.may_alter():
        lines.append("not authorised to move partitions and elect leaders (Alter on the cluster)")
    refused = port.would_refuse(rehearsed.configs) if rehearsed.configs else {}
    return lines + grouped(refused, "no throttle could be set on {} ({})")


def grouped(refused: Mapping[Resource, Failure], sentence: str) -> list[str]:
    """A sentence for each kind of resource and each reason."""
    found: dict[tuple[str, str], list[Resource]] = {}
    for of, failure in refused.items():
        found.setdefault((of.kind, str(failure)), []).append(of)
    lines = []
    for (kind, why), resources in sorted(found.items()):
        more = f" and {len(resources) - 1:,} more" if len(resources) > 1 else ""
        lines.append(sentence.format(f"{kind} {min(resources).name}{more}", why))
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


def model_of(port: Port, job: Job, *, throttled: bool = True) -> tuple[SimulatedCluster, list[str]]:
    """A model of the cluster behind ``port`` as it is now, and what a run reads that this user may not; sizes
    are those the job knows. Only where it is ``throttled`` a run cannot do without configs."""
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
    unread = copy_configs(model, port, job, states)
    unread = (unread if throttled else []) + copy_dirs(model, port, job)
    for name, flight in moving.items():
        model.reassign(name, flight.target)
    for name in states:
        model.refresh(name)
    return model, unread


def copy_dirs(model: SimulatedCluster, port: Port, job: Job) -> list[str]:
    """The log dirs of brokers that receive replicas, and where those lie that are to be placed; returns what
    may not be read."""
    receivers = {broker for move in job.moves for broker in move.adding}
    brokers = sorted((receivers | {replica.broker for replica in job.dirs}) & model.racks.keys() - model.down)
    partitions = sorted({TopicPartition(replica.topic, replica.partition) for replica in job.dirs})
    refused = {}
    for broker, dirs in port.log_dirs(brokers, partitions).items() if brokers else ():
        if isinstance(dirs, Failure):
            refused[Resource.broker(broker)] = dirs
        elif job.dirs:
            model.paths[broker] = tuple(one.path for one in dirs)
            for one in dirs:
                model.dirs.update({Replica(*name, broker): one.path for name in one.replicas})
    return grouped(unauthorised(refused), "log dirs cannot be read of {} (Describe on the cluster: {})")


def copy_configs(
    model: SimulatedCluster, port: Port, job: Job, states: Mapping[TopicPartition, object]
) -> list[str]:
    """The throttles that are set now, on whatever there is; returns what the job needs and cannot be read."""
    resources = [Resource.topic(topic) for topic in sorted({name.topic for name in states})]
    needed = {Resource.topic(topic) for topic in job.topics}
    brokers = [Resource.broker(broker) for broker in model.racks if broker not in model.down]
    needed.update(brokers)
    refused = {}
    for resource, values in port.configs(resources + brokers, KEYS).items():
        if not isinstance(values, Failure):
            set_here = {key: value.value for key, value in values.items() if value.set_here and value.value}
            model.alter_configs({resource: set_here} if set_here else {})
        elif resource in needed:
            refused[resource] = values
    return grouped(unauthorised(refused), "throttles cannot be read of {} (DescribeConfigs: {})")


def unauthorised(refused: Mapping[Resource, Failure]) -> dict[Resource, Failure]:
    """What a right more would mend; a broker that does not answer is another matter."""
    return {of: failure for of, failure in refused.items() if failure.code.endswith("AUTHORIZATION_FAILED")}
