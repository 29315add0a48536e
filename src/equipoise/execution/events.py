"""What outsiders are told of a run: the few events that somebody may act upon, and every sentence."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from equipoise.execution import instructions as ask
from equipoise.execution.instructions import Instruction
from equipoise.execution.memory import parsed
from equipoise.execution.port import TopicPartition
from equipoise.execution.run import Run
from equipoise.wording import plural

ACTED_UPON = ("begun", "wave", "stuck", "held", "released", "throttle", "ended")
"""Kinds of events that a command is run for; beside them every sentence is a "note"."""
LEAVES = ("done", "gone", "skip")
"""Entries after which partitions are no longer waited for."""


@dataclass(frozen=True)
class Event:
    """One of :data:`ACTED_UPON`, or a "note"."""

    kind: str
    text: str
    values: Mapping[str, Any] = field(default_factory=dict)
    """What belongs to its kind alone: the number of a wave, an outcome with its reasons."""


class Events:
    """Reads a run's events off its instructions, after they were carried out."""

    def __init__(self, waves: Iterable[Sequence[TopicPartition]] = ()) -> None:
        """``waves`` as the plan directory numbers them, from 1 on."""
        self.wave_of = {name: n for n, wave in enumerate(waves, start=1) for name in wave}
        self.waited_for: dict[int, set[TopicPartition]] | None = None

    def of(self, instruction: Instruction, run: Run) -> Iterator[Event]:
        """The events of one instruction."""
        match instruction:
            case ask.Say(text, about):
                yield Event(about, text)
            case ask.Record(entry) if entry["type"] == "begin":
                what = {"apply": "apply", "rollback": "roll back"}[entry["operation"]]
                yield Event("begun", f"{what} begun: {plural(entry['moves'], 'move')}")
            case ask.Record(entry) if entry["type"] in (*LEAVES, "submit"):
                yield from self.waves_ended(entry, run)
            case ask.End(outcome, reasons, figures):
                parts = ", ".join(f"{count} {name}" for name, count in figures.items() if count)
                text = f"{outcome}: {parts}" if parts else outcome
                yield Event("ended", text, {"outcome": outcome, "reasons": list(reasons)})

    def waves_ended(self, entry: Mapping[str, Any], run: Run) -> Iterator[Event]:
        """Waves that end with this entry: all their partitions have arrived, are gone or skipped."""
        names = {parsed(name) for name in entry["partitions"]}
        if self.waited_for is None:
            waiting = names.union(run.flying, (move.partition for move in run.queue.waiting))
            self.waited_for = {}
            for name in waiting & self.wave_of.keys():
                self.waited_for.setdefault(self.wave_of[name], set()).add(name)
        if entry["type"] == "submit":
            return
        for wave in sorted({self.wave_of[name] for name in names & self.wave_of.keys()}):
            left = self.waited_for.get(wave, set())
            left -= names
            if not left and self.waited_for.pop(wave, None) is not None:
                yield Event("wave", f"wave {wave} is done", {"wave": wave})
