"""What `apply`, `status`, `cancel` and `rollback` share: a plan directory, its journal, a cluster."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING, Annotated, Any

import typer

from equipoise.cli.limits import Limits
from equipoise.cli.output import say
from equipoise.cli.streams import Gone, Unwritable
from equipoise.errors import UnusableInput

if TYPE_CHECKING:
    from equipoise.execution.governing import Bounds
    from equipoise.execution.hours import Hours
    from equipoise.execution.instructions import End
    from equipoise.execution.kafka import KafkaPort
    from equipoise.execution.memory import Memory
    from equipoise.execution.moves import Job, Options
    from equipoise.scheduling import Schedule

PlanFolder = Annotated[Path, typer.Argument(metavar="DIR", help="A plan directory.", show_default=False)]
Yes = Annotated[bool, typer.Option("--yes", help="Do it without asking.")]

CODES = {"finished": 0, "cancelled": 0, "declined": 2, "refused": 2}
ENDED = ("finished", "incomplete", "cancelled")
FIGURES = {"gone": "gone (topic deleted)"}
SHOWN = 20
"""Reasons printed in full; the rest is counted."""


@dataclass(frozen=True)
class Opened:
    """A plan directory, ready to be carried out."""

    folder: Path
    schedule: Schedule
    job: Job
    memory: Memory
    damage: str = ""
    """What is wrong with the journal beyond what the memory knows, "" where nothing is."""
    torn: str = ""
    """What a crash has cut short at the end of the journal, "" where nothing is."""
    bounds: Bounds | None = None
    """Between which the throttle goes up and down by itself, None where it stays."""
    hours: Hours | None = None
    """When moves may begin; None: always."""
    inflight_bounds: Bounds | None = None
    """Between which the number of partitions in flight goes up and down, None where it stays."""
    health: str | None = None
    """Where the run that is taken up read figures of brokers."""
    metrics_file: str | None = None
    """Where it wrote a picture of itself."""
    told_events: bool = False
    """It ran a command for each event."""

    def options(self, limits: Limits) -> Options:
        """How a run of it goes; raises :class:`UnusableInput` for limits that no run can have."""
        return limits.of_run(
            self.schedule, self.bounds, self.hours, self.inflight_bounds, self.health, self.metrics_file
        )


NO_LIMITS = Limits()
EVENTS_UNTOLD = "it was begun with --on-event: commands are not kept, they may hold secrets; give it again"


def opened(folder: Path, limits: Limits = NO_LIMITS, operation: str | None = "apply") -> Opened:
    """Read a plan directory and its journal; limits not given are those of the run that is taken up, else
    those the plan was written with. ``operation`` None: whichever was begun last.

    Raises :class:`UnusableInput` where any byte of the plan was changed, or where the journal
    belongs to another plan.
    """
    from equipoise.execution.journal import read_journal
    from equipoise.execution.memory import Memory, bounds_in
    from equipoise.execution.moves import job_of
    from equipoise.files.digests import SUMS
    from equipoise.files.journal_lock import NAME
    from equipoise.files.plan_directory import read_plan
    from equipoise.scheduling import schedule

    plan = read_plan(folder)
    digest = "sha256:" + hashlib.sha256((folder / SUMS).read_bytes()).hexdigest()
    told = read_journal(folder)
    memory = Memory.of(told.entries)
    if memory.begun and memory.begun["plan"] != digest:
        raise UnusableInput("belongs to another plan", source=str(folder / NAME), advice="Move it away")
    operation = operation or memory.begun.get("operation", "apply")
    waves = schedule(plan, **{**agreed_limits(folder, memory, operation), **limits.of_schedule()})
    bounds, some, kept = limits.bounds(), limits.inflight_bounds(), taken_up(memory, operation)
    if limits.throttle is None and kept:
        bounds = bounds_in(memory.begun)
    if limits.max_inflight is None and kept:
        some = bounds_in(memory.begun, "inflight_bounds")
    hours = limits.hours(agreed_hours(memory) if kept else None)
    begun = memory.begun if kept else {}
    return Opened(
        folder, waves, job_of(waves, digest), memory, told.damage, told.torn, bounds, hours, some,
        begun.get("health"), begun.get("metrics_file"), bool(begun.get("on_event")),
    )  # fmt: skip


def taken_up(memory: Memory, operation: str) -> bool:
    """Whether a run of this operation was begun and has not ended."""
    return memory.unfinished and memory.begun["operation"] == operation


def agreed_hours(memory: Memory) -> Hours:
    """Of the run that is taken up; the end that one has come to is behind it."""
    from equipoise.cli.helm import local_now
    from equipoise.execution.memory import hours_in

    hours = hours_in(memory.begun)
    if memory.outcome and hours.until is not None and hours.until <= local_now():
        return replace(hours, until=None)
    return hours


def agreed_limits(folder: Path, memory: Memory, operation: str) -> dict[str, Any]:
    """Throttle and in-flight limit: of the run that is taken up, else those the waves were cut for."""
    schedule = folder / "waves" / "schedule.json"
    told: Mapping[str, Any] = memory.begun if taken_up(memory, operation) else scheduled(schedule)
    return {
        "throttle": told.get("throttle_bytes_per_s", told.get("throttle")),
        "max_inflight": told.get("max_inflight"),
    }


def scheduled(path: Path) -> Mapping[str, Any]:
    """What the waves were cut for; raises :class:`UnusableInput` where that is nothing to cut waves for."""
    import orjson

    from equipoise.files.digests import damaged
    from equipoise.formats.object_rows import misfit
    from equipoise.formats.shapes import Id

    try:
        told = orjson.loads(path.read_bytes())
    except (OSError, ValueError):
        return {}
    place, problem = misfit(told, {"throttle_bytes_per_s?": float, "max_inflight?": Id}) or ("", "")
    for key in ("throttle_bytes_per_s", "max_inflight"):
        if not problem and told.get(key) is not None and not told[key] >= 1:
            place, problem = key, f"{told[key]} is less than 1"
    if problem:
        raise damaged(path, problem, place)
    return dict(told)


@contextmanager
def cluster_at(bootstrap_server: str, command_config: Path | None) -> Iterator[KafkaPort]:
    """The cluster, for as long as the block lasts."""
    from equipoise.execution.client_config import ClientConfig
    from equipoise.execution.kafka import KafkaPort

    config = ClientConfig.read(command_config) if command_config else ClientConfig()
    for line in config.warnings:
        say(f"equipoise: {line}", error=True)
    with KafkaPort(bootstrap_server, config) as port:
        yield port


def carry(
    of: Opened,
    job: Job,
    options: Options,
    port: KafkaPort,
    what: str,
    *,
    yes: bool,
    stop: str | None = None,
    limits: Limits = NO_LIMITS,
    ended: Event | None = None,
) -> End:
    """Carry a job out; what was ordered meanwhile ends with it. ``ended`` is set by a signal that ends it."""
    from equipoise.cli.faces import face_for
    from equipoise.execution.carrier import Carrier
    from equipoise.execution.driver import drive
    from equipoise.execution.journal import Journal
    from equipoise.execution.machine import Machine
    from equipoise.execution.memory import Memory
    from equipoise.files.steering import forget_steering, read_steering, write_steering

    with (
        Journal(of.folder, cut=options.adopt) as journal,
        face_for(what, yes=yes, ended=ended) as face,
        limits.outlets(of, options, face) as outlets,
    ):
        if journal.torn:
            outlets.complain(f"{journal.path}: {journal.torn}")
        if of.told_events and not options.tells_events:
            outlets.complain(EVENTS_UNTOLD)
        machine = Machine(job, options, Memory.of(journal.entries), stop=stop)
        if limits.throttle is not None:  # given anew, it is not overruled by what was ordered before
            write_steering(of.folder, replace(read_steering(of.folder), throttle=None))
        helm = limits.helm(of.folder, options)
        try:
            end = drive(machine, Carrier(port), Dated(journal), face, helm, outlets)
            if end.outcome in ENDED:
                forget_steering(of.folder)
            return end
        finally:
            journal.discard()


class Dated:
    """A journal whose entries say when they were written."""

    def __init__(self, journal: Any) -> None:
        self.journal = journal

    def append(self, entry: Mapping[str, Any]) -> None:
        self.journal.append({**entry, "time": datetime.now(UTC).isoformat(timespec="milliseconds")})


def close(end: End, *, told: bool = False) -> None:
    """Say how a run ended, if anybody hears it and it is not ``told``, and leave with its exit code."""
    with suppress(Gone, Unwritable):
        if not told:
            say_how(end)
    raise typer.Exit(code_of(end))


def code_of(end: End) -> int:
    """The exit code of a run."""
    return CODES.get(end.outcome, 1) or (1 if end.reasons else 0)


def say_how(end: End) -> None:
    if end.outcome == "refused":
        say("equipoise: not started, nothing was changed: " + first_lines(end.reasons), error=True)
    elif end.outcome != "declined":
        figures = ", ".join(
            f"{count} {FIGURES.get(name, name)}"
            for name, count in end.figures.items()
            if count or name == "done"
        )
        say(f"{end.outcome.capitalize()}: {figures}.")
        if end.reasons:
            say("equipoise: " + first_lines(end.reasons), error=True)


def first_lines(reasons: tuple[str, ...]) -> str:
    """Reasons one a line, the first on the line that introduces them."""
    more = [f"... and {len(reasons) - SHOWN} more"] if len(reasons) > SHOWN else []
    return "\n  ".join([*reasons[:SHOWN], *more])
