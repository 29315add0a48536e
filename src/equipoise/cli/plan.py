"""``equipoise plan``: one cluster, no JVM."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from equipoise.cli.options import Sources, with_request
from equipoise.cli.program import WriteLp, write_program
from equipoise.cli.progress import interruptible, told
from equipoise.planning.request import Request

if TYPE_CHECKING:
    from equipoise.cluster import Plan
    from equipoise.scheduling import Schedule

OUTPUT = "Output"


def register(app: typer.Typer) -> None:
    app.command(
        "plan", help="Plan one cluster: the best reassignment, its proof, and the files to carry it out."
    )(with_request(plan))


def plan(
    sources: Sources,
    request: Request,
    out: Annotated[
        Path | None,
        typer.Option("--out", metavar="DIR", help="Plan directory to write.", rich_help_panel=OUTPUT),
    ] = None,
    throttle: Annotated[
        str | None,
        typer.Option(metavar="RATE", help="Bytes a second for the waves (20MB).", rich_help_panel="Waves"),
    ] = None,
    max_inflight: Annotated[
        str | None, typer.Option(metavar="N", help="Partitions in flight at most.", rich_help_panel="Waves")
    ] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print the whole plan.json.", rich_help_panel=OUTPUT)
    ] = False,
    write_lp: WriteLp = None,
) -> None:
    from equipoise.files.sources import read_sources
    from equipoise.planning.options import positive, rate
    from equipoise.planning.solve import make_plan
    from equipoise.scheduling import schedule

    bytes_per_s = None if throttle is None else float(rate("--throttle", throttle))
    inflight = None if max_inflight is None else positive("--max-inflight", max_inflight)
    with interruptible(), told("reading"):
        cluster = read_sources(sources)
    if write_lp is not None:
        write_program(cluster, request, write_lp)
    with interruptible(), told("planning"):
        best = make_plan(cluster, request)
    if out is not None:
        with told("writing"):
            write(best, schedule(best, max_inflight=inflight, throttle=bytes_per_s), out)
    show(best, out, as_json=as_json)


def write(plan: Plan, waves: Schedule, out: Path) -> None:
    """The plan directory, with its report."""
    from equipoise.files.plan_directory import write_plan
    from equipoise.report import plan_page

    write_plan(plan, out, schedule=waves, extra={"report.html": plan_page(plan, waves).encode()})


def show(plan: Plan, out: Path | None, *, as_json: bool) -> None:
    """The plan on standard output: JSON, or a short table."""
    if as_json:
        from equipoise.files.plan_directory import plan_json

        sys.stdout.buffer.write(plan_json(plan))
        return
    from rich.console import Console

    from equipoise.report.tables import plan_table

    Console(highlight=False).print(plan_table(plan, out))
