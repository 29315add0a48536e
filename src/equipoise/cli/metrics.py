"""``--metrics-file``: how far a run is, in Prometheus' text form, for node_exporter's textfile collector."""

from __future__ import annotations

import math
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from equipoise.cli.faces import Pace
from equipoise.errors import UnusableInput
from equipoise.execution.instructions import End
from equipoise.execution.machine import Machine

STATES = ("done", "gone", "skipped", "in flight", "pending")
HELP = {
    "up": "1 while the run is under way, 0 once it has ended.",
    "outcome": "1 for how the run has ended.",
    "moves": "Changes of partitions, by how far they are.",
    "log_dir_moves": "Replicas that are copied between log dirs of their brokers.",
    "copied_bytes": "Bytes that this run has copied so far.",
    "planned_bytes": "Bytes that this run has to copy, as far as sizes are known.",
    "copy_bytes_per_second": "Bytes that arrived each second, over half a minute.",
    "throttle_bytes_per_second": "Throttle of every broker, each way.",
    "max_inflight": "Partitions in flight at most.",
    "remaining_seconds": "Time that the rest takes at this rate.",
    "stuck_moves": "Moves in flight that do not get on.",
    "held": "1 while no move begins: paused, outside its hours, or because of the cluster's health.",
    "healthy": "0 while a move is stuck, or the cluster's health lets no move begin.",
    "last_look_timestamp_seconds": "When the run last looked at the cluster.",
}
"""Each metric ``equipoise_run_NAME``, all gauges: a run that is taken up begins to count anew."""
Sample = tuple[str, dict[str, str], float]


@dataclass(frozen=True)
class MetricsFile:
    """A file that always holds a whole picture."""

    path: Path
    plan: str

    def write(self, machine: Machine, pace: Pace, now: float, end: End | None = None) -> None:
        """Put the picture of now in place of the last one; raises ``OSError``. ``now``: seconds of Unix."""
        new = self.path.with_name(f".{self.path.name}.{os.getpid()}")  # the collector reads *.prom alone
        try:
            new.write_text(exposition(self.plan, machine, pace, now, end), encoding="utf-8")
            new.chmod(0o644)  # the collector is another user
            new.replace(self.path)
        except OSError:
            new.unlink(missing_ok=True)
            raise


def checked(path: Path) -> Path:
    """The path, where a file can be; raises `UnusableInput`."""
    if path.is_dir() or not path.parent.is_dir():
        why = "is a folder" if path.is_dir() else f"there is no folder {path.parent}"
        raise UnusableInput(why, source=f"--metrics-file {path}")
    return path


def exposition(plan: str, machine: Machine, pace: Pace, now: float, end: End | None = None) -> str:
    """The text: each metric with its help and type, labelled with plan and operation."""
    labels = {"plan": plan, "operation": machine.run.job.operation}
    lines: list[str] = []
    told = ""
    for name, more, value in samples(machine, pace, now, end):
        if name != told:
            lines += [f"# HELP equipoise_run_{name} {HELP[name]}", f"# TYPE equipoise_run_{name} gauge"]
        told = name
        shown = ",".join(f'{key}="{escaped(text)}"' for key, text in (labels | more).items())
        lines.append(f"equipoise_run_{name}{{{shown}}} {value:.16g}")
    return "\n".join(lines) + "\n"


def samples(machine: Machine, pace: Pace, now: float, end: End | None) -> Iterator[Sample]:
    """What is known; what is not is left out."""
    run, figures = machine.run, machine.run.figures()
    stuck = sum(bool(flight.told) for flight in run.flying.values())
    ill = bool(run.ill) and len(run.queue) > 0
    yield "up", {}, end is None
    if end is not None:
        yield "outcome", {"outcome": end.outcome}, 1
    for state in STATES:
        yield "moves", {"state": state.replace(" ", "_")}, figures[state]
    yield "log_dir_moves", {}, figures["between log dirs"]
    yield "copied_bytes", {}, run.bytes_now()[0]
    yield "planned_bytes", {}, run.bytes_whole
    yield "copy_bytes_per_second", {}, pace.rate if end is None else 0
    if run.options.throttle is not None:
        yield "throttle_bytes_per_second", {}, run.options.throttle
    yield "max_inflight", {}, run.options.max_inflight
    left = pace.left(machine) if end is None else 0.0
    if not math.isnan(left):
        yield "remaining_seconds", {}, left
    yield "stuck_moves", {}, stuck
    yield "held", {}, end is None and bool(run.held or ill)
    yield "healthy", {}, not (stuck or ill)
    yield "last_look_timestamp_seconds", {}, round(now, 3)


def escaped(text: str) -> str:
    """A label's value as Prometheus reads it."""
    return text.replace("\\", "\\\\").replace("\n", "\\n").replace('"', '\\"')
