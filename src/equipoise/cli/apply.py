"""``equipoise apply``: carry a plan out."""

from __future__ import annotations

from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING, Annotated

import typer

from equipoise.cli.carrying import Opened, PlanFolder, Yes, carry, close, cluster_at, opened
from equipoise.cli.limits import Limits, with_limits
from equipoise.cli.output import say
from equipoise.cli.snapshot import BootstrapServer, CommandConfig
from equipoise.cli.voice import is_json
from equipoise.errors import UnusableInput

if TYPE_CHECKING:
    from equipoise.execution.instructions import End
    from equipoise.execution.kafka import KafkaPort
    from equipoise.execution.moves import Options


def register(app: typer.Typer) -> None:
    app.command("apply", help="Carry a plan out on its cluster: throttled, watched, resumable.")(apply)


@with_limits
def apply(
    folder: PlanFolder,
    bootstrap_server: BootstrapServer,
    limits: Limits,
    command_config: CommandConfig = None,
    yes: Yes = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Print every request, change nothing.")] = False,
    resume: Annotated[
        bool, typer.Option("--resume", help="Take up a run that was stopped or killed.")
    ] = False,
    log_dirs: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="A copy of the plan's reassignment.json with log_dirs added: where on its broker each "
            'replica is to be ("any": Kafka chooses).',
        ),
    ] = None,
) -> None:
    of = opened(folder, limits)
    if log_dirs is not None:
        of = with_log_dirs(of, log_dirs)
    if dry_run:
        refuse_surprises(of, resume=resume)
        with cluster_at(bootstrap_server, command_config) as port:
            rehearse(of, of.options(limits), port)
        return
    end = carried_out(of, bootstrap_server, command_config, limits, yes=yes, resume=resume)
    close(end, told=is_json())


def carried_out(
    of: Opened,
    bootstrap_server: str,
    command_config: Path | None,
    limits: Limits,
    *,
    yes: bool,
    resume: bool,
    ended: Event | None = None,
) -> End:
    """How the run of an opened plan ended; ``ended`` as in `carry`."""
    refuse_surprises(of, resume=resume)
    options = of.options(limits)
    with cluster_at(bootstrap_server, command_config) as port:
        return carry(of, of.job, options, port, sentence(of), yes=yes, limits=limits, ended=ended)


def with_log_dirs(of: Opened, path: Path) -> Opened:
    """The same with the log dirs that a file chooses."""
    from dataclasses import replace

    from equipoise.execution.port import Replica
    from equipoise.files.dir_choices import read_choices

    choices = read_choices(path, of.schedule.plan)
    dirs = {Replica(*replica): folder for replica, folder in choices.items()}
    return replace(of, job=replace(of.job, dirs=dirs))


def refuse_surprises(of: Opened, *, resume: bool) -> None:
    """A run that goes on is left alone, one that was interrupted is only taken up on purpose."""
    from equipoise.execution.journal import under_way
    from equipoise.files.journal_lock import is_held

    memory, folder = of.memory, str(of.folder)
    if is_held(of.folder):
        raise under_way(of.folder)
    if memory.begun.get("operation") == "rollback" and memory.unfinished:
        raise UnusableInput("its roll back is not finished", source=folder, advice="Run rollback again")
    if not resume and memory.unfinished:
        how = memory.outcome or "interrupted"
        raise UnusableInput(
            f"an earlier run was {how} after {len(memory.done)} of {len(of.job.moves)} changes",
            source=folder,
            advice="Continue it with --resume, or undo it with cancel or rollback",
        )


def sentence(of: Opened) -> str:
    """What the run will do."""
    from equipoise.report.words import duration, plural, rate, size

    waves, moves = of.schedule, of.job.moves
    copies = sum(len(move.adding) for move in moves)
    known = [move.size_bytes * len(move.adding) for move in moves if move.size_bytes == move.size_bytes]
    parts = [plural(len(moves), "partition") + " will change, " + plural(copies, "replica") + " be copied"]
    if moved := len(of.job.dirs_of_staying):
        parts.append(plural(moved, "replica changes its log dir", "replicas change their log dirs"))
    if known:
        parts.append(f"{size(sum(known))} in all")
    throttle = waves.throttle_bytes_per_s
    if of.bounds is not None:
        ends = f"{rate(of.bounds.low)} to {rate(of.bounds.high)}"
        parts.append(f"at {ends} a broker each way, now {rate(throttle or 0)}")
    else:
        parts.append("without a throttle" if throttle is None else f"at {rate(throttle)} a broker each way")
    if of.inflight_bounds is not None:
        some = f"{of.inflight_bounds.low} to {of.inflight_bounds.high}"
        parts.append(f"{some} partitions at a time, now {waves.max_inflight}")
    if waves.seconds == waves.seconds:
        parts.append(f"in about {duration(waves.seconds)} (never less than {duration(waves.bound_seconds)})")
    lines = [", ".join(parts) + "."]
    lines += [
        f"Held back: {waves.plan.cluster.label(row)}: {rule}" for row, rule in sorted(waves.blocked.items())
    ]
    return "\n".join([*lines, *(f"Note: {note}" for note in waves.notes)])


def rehearse(of: Opened, options: Options, port: KafkaPort) -> None:
    """Run the whole plan on a model of the cluster, and print every request that would be made."""
    from dataclasses import replace

    from equipoise.cli.faces import Face
    from equipoise.execution.driver import drive
    from equipoise.execution.instructions import End
    from equipoise.execution.machine import Machine
    from equipoise.execution.rehearsal import Rehearsal, missing_rights, model_of
    from equipoise.execution.simulated import pace

    class Silent:
        def append(self, entry: object) -> None: ...

    class Quiet(Face):
        def show(self, machine: Machine, now: float) -> None: ...

    model, unread = model_of(port, of.job, throttled=options.throttle is not None)
    rehearsal = Rehearsal(model, say)
    machine = Machine(of.job, replace(options, poll_s=pace(of.schedule)), of.memory)
    with Quiet(sentence(of), yes=True) as face:
        end = drive(machine, rehearsal, Silent(), face)
    if end.outcome == "refused":
        close(end)
    if missing := missing_rights(rehearsal, port, unread):
        close(End("refused", tuple(missing)))
    say("Nothing was changed: this was a dry run.")
