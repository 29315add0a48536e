"""Where a run is told of beside the terminal: lines of JSON, a command for each event, a file of metrics."""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import suppress
from datetime import UTC, datetime
from types import TracebackType
from typing import TYPE_CHECKING, Any

from equipoise.cli.faces import LINE_EVERY_S, Face
from equipoise.cli.on_event import Hook
from equipoise.cli.output import say_event
from equipoise.cli.voice import is_json, is_quiet
from equipoise.errors import EquipoiseError
from equipoise.execution import instructions as ask
from equipoise.execution.events import ACTED_UPON, Event, Events
from equipoise.execution.instructions import Instruction
from equipoise.execution.machine import Machine

if TYPE_CHECKING:
    from equipoise.cli.metrics import MetricsFile
    from equipoise.execution.port import TopicPartition


class Outlets:
    """The witness of one run; use it as a context. What fails is said once, and the run goes on."""

    def __init__(
        self,
        plan: str,
        waves: Sequence[Sequence[TopicPartition]],
        face: Face,
        hook: Hook | None = None,
        metrics: MetricsFile | None = None,
    ) -> None:
        self.plan, self.face, self.hook, self.metrics = plan, face, hook, metrics
        self.events = Events(waves)
        self.last_progress = 0.0
        self.said: set[str] = set()

    def __enter__(self) -> Outlets:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.hook is not None:
            self.hook.close()
            with suppress(OSError, EquipoiseError):
                self.complain(self.hook.fault)

    def __call__(self, instruction: Instruction, machine: Machine, now: float) -> None:
        """Tell of an instruction that was carried out."""
        for event in self.events.of(instruction, machine.run):
            self.tell(event, machine)
        if isinstance(instruction, ask.Observe | ask.End):
            self.measure(machine, instruction if isinstance(instruction, ask.End) else None)
        if isinstance(instruction, ask.Wait):
            self.progress(machine)
        if self.hook is not None:
            self.complain(self.hook.fault)

    def tell(self, event: Event, machine: Machine) -> None:
        if is_json():
            say_event(event.kind, event.text, self.facts(event, machine))
        if self.hook is not None and event.kind in ACTED_UPON:
            time_of = datetime.now(UTC).isoformat(timespec="milliseconds")
            head = {"version": 1, "time": time_of, "event": event.kind, "text": event.text}
            self.hook.tell(head | self.facts(event, machine))

    def facts(self, event: Event, machine: Machine) -> dict[str, Any]:
        """What is the case at an event, beside its words."""
        run = machine.run
        figures = {name.replace(" ", "_"): count for name, count in run.figures().items()}
        return {
            "plan": self.plan,
            "operation": run.job.operation,
            **figures,
            "copied_bytes": round(run.bytes_now()[0]),
            "planned_bytes": round(run.bytes_whole),
            "throttle": run.options.throttle,
            "max_inflight": run.options.max_inflight,
            "held": run.held or run.ill,
            **event.values,
        }

    def measure(self, machine: Machine, end: ask.End | None) -> None:
        if self.metrics is None:
            return
        try:
            self.metrics.write(machine, self.face.pace, time.time(), end)
        except OSError as error:
            self.complain(f"--metrics-file {self.metrics.path}: cannot be written ({error.strerror})")

    def progress(self, machine: Machine) -> None:
        """A line of the log now and then, as on a standard output that is no terminal."""
        if is_json() and not is_quiet() and time.monotonic() - self.last_progress >= LINE_EVERY_S:
            self.last_progress = time.monotonic()
            event = Event("progress", self.face.pace.line(machine))
            say_event(event.kind, event.text, self.facts(event, machine))

    def complain(self, fault: str) -> None:
        """Say what is wrong with an outlet or the journal, once."""
        if fault and fault not in self.said:
            self.said.add(fault)
            if is_json():
                say_event("note", fault)
            self.face.say(fault)

