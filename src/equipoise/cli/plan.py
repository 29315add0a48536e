"""``equipoise plan``: one cluster, no JVM."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from equipoise.cli import output
from equipoise.cli.check import BROKEN
from equipoise.cli.check import show as show_verdict
from equipoise.cli.kept_memory import keep_memory
from equipoise.cli.options import Sources, with_request
from equipoise.cli.program import WriteLp, write_program
from equipoise.cli.progress import interruptible, told, warned
from equipoise.cli.steps import Steps
from equipoise.cli.voice import is_quiet, is_verbose
from equipoise.errors import UnusableInput
from equipoise.planning.problem.request import Request
from equipoise.wording import printable

if TYPE_CHECKING:
    from equipoise.cluster import Cluster, Plan
    from equipoise.comparing.frontier import Frontier

Force = Annotated[
    bool,
    typer.Option(
        "--force",
        help="Replace a plan in DIR that is of another request, has a journal or was changed.",
        rich_help_panel=output.OUTPUT,
    ),
]


def register(app: typer.Typer) -> None:
    app.command(
        "plan", help="Plan one cluster: the best reassignment, its proof, and the files to carry it out."
    )(with_request(plan))


def plan(
    sources: Sources,
    request: Request,
    out: Annotated[
        Path | None,
        typer.Option("--out", metavar="DIR", help="Plan directory to write.", rich_help_panel=output.OUTPUT),
    ] = None,
    force: Force = False,
    throttle: Annotated[
        str | None,
        typer.Option(metavar="RATE", help="Bytes a second for the waves (20MB).", rich_help_panel="Waves"),
    ] = None,
    max_inflight: Annotated[
        str | None, typer.Option(metavar="N", help="Partitions in flight at most.", rich_help_panel="Waves")
    ] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print the whole plan.json.", rich_help_panel=output.OUTPUT)
    ] = False,
    explain_solver: Annotated[
        bool,
        typer.Option(
            "--explain-solver",
            help="Print which methods ran, on what size, and what each gained and cost.",
            rich_help_panel=output.OUTPUT,
        ),
    ] = False,
    with_frontier: Annotated[
        bool,
        typer.Option(
            "--frontier",
            help="Show in the report what smaller budgets would buy, as `equipoise frontier` tells it.",
            rich_help_panel=output.OUTPUT,
        ),
    ] = False,
    write_lp: WriteLp = None,
    follow: Annotated[
        str | None,
        typer.Option(
            metavar="THEIRS.json",
            help="Plan nothing: make waves of another tool's reassignment, once it breaks no rule.",
            rich_help_panel="Waves",
        ),
    ] = None,
) -> None:
    from equipoise.files.folders import claimed
    from equipoise.files.following import request_to_follow
    from equipoise.files.plan_claim import plan_claim
    from equipoise.files.sources import read_sources
    from equipoise.library.verbs import save
    from equipoise.planning.driver.solve import make_plan
    from equipoise.planning.flow.solver import end_idle
    from equipoise.planning.request.values import positive, rate

    bytes_per_s = None if throttle is None else float(rate("--throttle", throttle))
    inflight = None if max_inflight is None else positive("--max-inflight", max_inflight)
    if out is None and (throttle or max_inflight or force or with_frontier):
        unused = "--throttle, --max-inflight, --frontier and --force are for what --out writes"
        output.say(f"equipoise: {unused}", error=True)
    if follow is not None:
        if with_frontier:
            raise UnusableInput("is of plans of our own", source="--frontier", advice="Leave out --follow")
        request = request_to_follow(request, follow)
    if out is not None:
        with warned():
            claimed(out, plan_claim(request.to_json()), force=force)
    keep_memory()
    with interruptible(), told("reading"):
        cluster = read_sources(sources)
    if write_lp is not None:
        write_program(cluster, request, write_lp)
    steps = Steps() if explain_solver else None
    with interruptible(), told("planning"):
        if follow is not None:
            best = their_plan(cluster, request, as_json=as_json)
        else:
            best = make_plan(cluster, request, watch=steps)
        budgets = budgets_of(cluster, request, best) if with_frontier and out is not None else None
    if out is not None:
        end_idle()  # what is written takes the memory of the solvers' processes
        with warned(), told("writing"):
            save(best, out, throttle=bytes_per_s, max_inflight=inflight, force=force, budgets=budgets)
    show(best, out, as_json=as_json)
    if steps is not None:
        steps.show(best)


def budgets_of(cluster: Cluster, request: Request, best: Plan) -> Frontier:
    """What budgets smaller than the plan's would buy; only who asks for it loads what compares plans."""
    from equipoise.comparing.frontier import frontier

    return frontier(cluster, request, full=best)


def their_plan(cluster: Cluster, request: Request, *, as_json: bool) -> Plan:
    """The plan that takes the lists of the file to follow; ends with the verdict where they break a rule."""
    from equipoise.files.following import followed

    verdict, plan = followed(cluster, request)
    if plan is None:
        file = printable(str(request.follow))
        output.say(f"equipoise: --follow {file}: breaks rules, no plan is made", error=True)
        show_verdict(verdict, as_json=as_json)
        raise typer.Exit(BROKEN)
    return plan


def show(plan: Plan, out: Path | None, *, as_json: bool) -> None:
    """The plan on standard output: JSON, or a short table."""
    if as_json:
        from equipoise.files.plan_directory import plan_json

        output.print_bytes(plan_json(plan))
        return
    from equipoise.report.tables import changes, plan_table, plan_verdict

    if is_quiet():
        output.show(plan_verdict(plan))
    else:
        output.show(plan_table(plan, out), *([changes(plan)] if is_verbose() else []))
