"""Whole runs on the simulated cluster with plain calls: who tells a story needs only this."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from equipoise.execution import instructions as ask
from equipoise.execution.driver import drive
from equipoise.execution.instructions import End, Instruction
from equipoise.execution.machine import Machine
from equipoise.execution.memory import Memory
from equipoise.execution.moves import Job, Move, Options
from equipoise.execution.orders import Orders
from equipoise.execution.port import Resource, TopicPartition
from equipoise.execution.simulated import SimulatedCarrier, SimulatedCluster

MB = 1_000_000
RACKS = {0: "a", 1: "b", 2: "c", 3: "a", 4: "b", 5: "c"}
OPTIONS = Options(throttle=2 * MB, poll_s=1.0, stuck_after_s=30.0, grace_s=3.0)


class Killed(BaseException):
    """The process is gone."""


@dataclass
class Log:
    """A journal in memory; raises :class:`Killed` around the entry it is told to."""

    entries: list[dict[str, Any]] = field(default_factory=list)
    kill_before: int = -1
    kill_after: int = -1

    def append(self, entry: Mapping[str, Any]) -> None:
        if len(self.entries) == self.kill_before:
            raise Killed
        self.entries.append(dict(entry))
        if len(self.entries) - 1 == self.kill_after:
            raise Killed


@dataclass
class Watcher:
    """An operator who writes down what is said, and may act when something is shown."""

    on_show: Callable[[Machine], str | None] = lambda machine: None
    heard: list[str] = field(default_factory=list)
    wishes: list[str] = field(default_factory=list)
    agrees: bool = True
    clears: bool = False
    """Whether throttles that nothing needs are to end with the run."""

    def confirm(self, question: ask.Confirm) -> bool:
        return self.clears if question.left_over else self.agrees

    def say(self, text: str) -> None:
        self.heard.append(text)

    def show(self, machine: Machine, now: float) -> None:
        wish = self.on_show(machine)
        if wish is not None:
            self.wishes.append(wish)

    def wish(self, machine: Machine) -> str | None:
        return self.wishes.pop() if self.wishes else None


class Recorder(SimulatedCarrier):
    """Keeps every instruction that it carried out; may die just before or after the n-th change."""

    def __init__(self, model: SimulatedCluster, die_at: int = -1, *, after: bool = False) -> None:
        super().__init__(model)
        self.done: list[Instruction] = []
        self.changes, self.die_at, self.after = 0, die_at, after

    def perform(self, instruction: Instruction) -> Any:
        changes = isinstance(instruction, ask.AlterConfigs | ask.Submit | ask.Elect)
        if changes and self.changes == self.die_at and not self.after:
            raise Killed
        answer = super().perform(instruction)
        self.done.append(instruction)
        self.changes += changes
        if changes and self.changes - 1 == self.die_at and self.after:
            raise Killed
        return answer

    def of(self, kind: type) -> list[Any]:
        return [one for one in self.done if isinstance(one, kind)]


@dataclass
class Story:
    """A cluster, a job, and what becomes of them."""

    model: SimulatedCluster
    job: Job
    log: Log = field(default_factory=Log)
    face: Watcher = field(default_factory=Watcher)

    def run(
        self,
        options: Options = OPTIONS,
        *,
        job: Job | None = None,
        stop: str | None = None,
        carrier: Recorder | None = None,
        helm: Callable[[], Orders] = Orders,
    ) -> End:
        """One process: what it remembers is what the journal says."""
        self.log.kill_before, self.log.kill_after = self.log.kill_before, self.log.kill_after
        machine = Machine(job or self.job, options, Memory.of(self.log.entries), stop=stop)
        self.carrier = carrier or Recorder(self.model)
        return drive(machine, self.carrier, self.log, self.face, helm)

    def resume(self, options: Options = OPTIONS, **how: Any) -> End:
        """The next process, which nobody kills."""
        self.log.kill_before = self.log.kill_after = -1
        return self.run(options, **how)

    def lists(self) -> dict[str, tuple[int, ...]]:
        return {str(name): replicas for name, replicas in sorted(self.model.replicas.items())}

    def leaders(self) -> dict[str, int]:
        return {str(name): leader for name, leader in sorted(self.model.leader.items())}

    def throttles(self) -> dict[Resource, dict[str, str]]:
        """Everything that is set anywhere."""
        return {resource: values for resource, values in self.model.settings.items() if values}


def halfway(machine: Machine) -> bool:
    return machine.run.bytes_now()[0] >= 10 * MB


def flying(machine: Machine) -> bool:
    return bool(machine.run.flying)


def once(act: Callable[[], object], when: Callable[[Machine], bool] = flying) -> Callable[[Machine], Any]:
    """A look that lets something happen once, when its moment has come."""
    happened: list[object] = []

    def look(machine: Machine) -> None:
        if not happened and when(machine):
            happened.append(act())

    return look


def tp(name: str) -> TopicPartition:
    topic, _, number = name.rpartition("-")
    return TopicPartition(topic, int(number))


def story(
    moves: Mapping[str, tuple[list[int], list[int]]],
    *,
    size: float = 20 * MB,
    operation: str = "apply",
    **options: Any,
) -> Story:
    """A cluster of six brokers in three racks that has exactly these partitions."""
    model = SimulatedCluster(RACKS, **options)
    for name, (before, _) in moves.items():
        model.create(tp(name).topic, tp(name).partition, before, size)
    todo = tuple(Move(tp(name), tuple(b), tuple(a), size) for name, (b, a) in moves.items())
    return Story(model, Job(operation, "sha256:plan", "simulated", todo, RACKS, frozenset(RACKS)))


def with_options(**changes: Any) -> Options:
    return replace(OPTIONS, **changes)


SMALL = {
    "pay-0": ([0, 1, 2], [3, 1, 2]),
    "pay-1": ([1, 2, 0], [1, 2, 3]),
    "log-0": ([2, 0], [0, 2]),
    "log-1": ([0, 1], [0, 1, 5]),
    "tmp-0": ([4, 5, 3], [4, 5]),
}
"""Two moves, a reorder, one more replica, one less."""
ONE = {"pay-0": ([0, 1, 2], [3, 1, 2])}
LISTS = ("leader.replication.throttled.replicas", "follower.replication.throttled.replicas")
RATES = ("leader.replication.throttled.rate", "follower.replication.throttled.rate")
