"""``equipoise watch``: every few minutes the plan that a cluster needs, printed or carried out."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from equipoise.cli.carrying import Yes
from equipoise.cli.limits import Limits, with_limits
from equipoise.cli.options import with_request
from equipoise.cli.output import OUTPUT, say
from equipoise.cli.snapshot import BootstrapServer, CommandConfig
from equipoise.errors import EquipoiseError, Stopped, UnusableInput
from equipoise.planning.problem.request import Request

if TYPE_CHECKING:
    from equipoise.cli.rounds import Round, Rounds

ROUNDS = "Rounds"
HELP = """Look at a cluster every few minutes, and print or carry out the plan that it needs.

The planning options are the policy. Ctrl-C, SIGTERM and SIGHUP end it; a run that flies then ends \
as that of `apply`, and nothing else is begun."""


def register(app: typer.Typer) -> None:
    app.command("watch", help=HELP)(with_limits(with_request(watch)))


def watch(
    bootstrap_server: BootstrapServer,
    request: Request,
    limits: Limits,
    command_config: CommandConfig = None,
    every: Annotated[
        str,
        typer.Option(metavar="TIME", help="Time from round to round: 90s, 10m, 2h.", rich_help_panel=ROUNDS),
    ] = "10m",
    rounds: Annotated[
        int | None, typer.Option(metavar="N", help="End after so many rounds.", rich_help_panel=ROUNDS)
    ] = None,
    above: Annotated[
        float | None,
        typer.Option(
            metavar="PCT",
            help="Level only where a broker is further off its share: by default 10 more than the tolerance "
            "of each load; 0: always. What rules ask is always done.",
            rich_help_panel=ROUNDS,
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out", metavar="DIR", help="Folder with a plan folder for each round that plans anything.",
            rich_help_panel=OUTPUT,
        ),
    ] = None,
    carry_out: Annotated[
        bool,
        typer.Option(
            "--apply", help="Carry each plan out; needs --out, and --yes to begin.", rich_help_panel=ROUNDS
        ),
    ] = False,
    yes: Yes = False,
) -> None:  # fmt: skip
    from equipoise.cli.pause import Pause
    from equipoise.cli.rounds import Rounds

    pause, runs = Pause(), limits if carry_out else None
    made = Rounds(bootstrap_server, command_config, request, above, out, runs, pause.ended)
    wait = checked(every, rounds, above, out, carry_out=carry_out, yes=yes)
    limits.refuse_unusable()
    limits.refuse_unfollowed(limits.bounds(), limits.inflight_bounds())
    if not carry_out and limits != Limits(log=limits.log):
        say("equipoise: no run begins without --apply: no use is made of the options of runs", error=True)
    failed, done = False, 0
    with pause:
        while rounds is None or done < rounds:
            try:
                failed |= tell(made)
            except Stopped:
                raise
            except UnusableInput:
                if not done:  # what was asked is at fault, and no later round would mend it
                    raise
                failed = True
            done += 1
            if done == rounds or pause.over(wait):
                break
    say(f"Stopped after {done} {'round' if done == 1 else 'rounds'}.")
    if failed:
        raise typer.Exit(1)


def tell(made: Rounds) -> bool:
    """One round in a line; True where it failed, which ends nothing."""
    try:
        told: Round = made.round()
    except (Stopped, UnusableInput):
        raise
    except EquipoiseError as error:
        say(f"equipoise: {error}", error=True)
        return True
    say(f"{told.at:%H:%M:%S} {told.words}")
    return told.failed


def checked(
    every: str, rounds: int | None, above: float | None, out: Path | None, *, carry_out: bool, yes: bool
) -> float:
    """The seconds between rounds; raises `UnusableInput` for what cannot be meant."""
    from equipoise.units import parse_duration

    try:
        wait = parse_duration(every)
    except ValueError as error:
        raise UnusableInput(str(error), source="--every") from None
    if rounds is not None and rounds < 1:
        raise UnusableInput(f"{rounds} is no number of rounds", source="--rounds", advice="Give 1 or more")
    if above is not None and not 0 <= above < 1_000_000:
        raise UnusableInput(f"{above:g} is no such percentage", source="--above", advice="Give 0 or more")
    if carry_out and out is None:
        raise UnusableInput(
            "needs a folder for the journals of its runs", source="--apply", advice="Give --out DIR"
        )
    if carry_out and not yes:
        raise UnusableInput(
            "changes the cluster in every round, and nobody is asked then",
            source="--apply",
            advice="Add --yes",
        )
    return wait
