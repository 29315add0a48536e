"""``equipoise check``: judge any tool's reassignment, or a plan directory."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from equipoise.cli import output
from equipoise.cli.options import with_request
from equipoise.cli.voice import is_quiet, is_verbose
from equipoise.errors import UnusableInput
from equipoise.planning.problem.request import Request

if TYPE_CHECKING:
    from equipoise.judge import Verdict

BROKEN = 1
"""Exit code where a rule is broken."""


def register(app: typer.Typer) -> None:
    app.command("check", help="Judge any tool's reassignment JSON, or a plan directory.")(with_request(check))


def check(
    paths: Annotated[
        list[str],
        typer.Argument(metavar="REASSIGNMENT|DIR", help="Kafka's JSON of any tool, or a plan directory."),
    ],
    request: Request,
    current: Annotated[
        list[str] | None,
        typer.Option(metavar="SOURCE...", help="The state it is meant for: a snapshot folder, or files."),
    ] = None,
    optimum: Annotated[
        bool, typer.Option("--optimum/--no-optimum", help="Plan the same state too, to see the distance.")
    ] = True,
    as_json: Annotated[bool, typer.Option("--json", help="Print the verdict as JSON.")] = False,
) -> None:
    subject, *more = paths
    sources = [*(current or ()), *more]
    if sources:
        verdict = judged_file(subject, sources, request, optimum=optimum)
    else:
        verdict = judged_directory(subject, request, optimum=optimum)
    show(verdict, as_json=as_json)
    if not verdict.passed:
        raise typer.Exit(BROKEN)


def judged_file(subject: str, sources: list[str], request: Request, *, optimum: bool) -> Verdict:
    """The verdict on a reassignment file, laid over the cluster that ``sources`` describe."""
    from equipoise.comparing.beside import beside_optimum
    from equipoise.files.following import judged
    from equipoise.files.proposals import read_proposal
    from equipoise.files.sources import read_sources
    from equipoise.planning.request.laying import build_problem

    if (Path(subject) / "reassignment.json").is_file():
        subject = str(Path(subject) / "reassignment.json")
    state = read_sources(sources)
    _, verdict = judged(build_problem(state, request), read_proposal(subject))
    return beside_optimum(verdict, state, request) if optimum else verdict


def judged_directory(subject: str, request: Request, *, optimum: bool) -> Verdict:
    """The verdict on a plan directory, by the rules it was made for, with its certificate."""
    from equipoise.comparing.beside import beside_optimum
    from equipoise.files.plan_audit import audit
    from equipoise.files.plan_directory import read_plan
    from equipoise.files.plan_summary import planned_from
    from equipoise.judge import COMPARED, distance

    folder = Path(subject)
    if not folder.is_dir():
        raise UnusableInput("it is judged against a state", source=subject, advice="Give it with --current")
    if request != Request():
        raise UnusableInput("a plan directory is judged by the options it was made with", source=subject)
    plan = read_plan(folder)
    verdict = replace(audit(plan, folder), notes=plan.warnings)
    if not optimum or not verdict.passed:
        return verdict
    proved = {level.goal: level.bound for level in verdict.certificate if level.bound is not None}
    for level in (level for level in plan.certificate if level.proof == "given-placement"):
        proved.pop(level.goal, None)  # that is of where the replicas stand
        if level.global_bound is not None:
            proved[level.goal] = int(level.global_bound)
    goals = COMPARED if plan.request.get("goals") is None else [level.goal for level in plan.certificate]
    if proved.keys() >= {goal for goal in goals if verdict.goals[goal] is not None}:
        # nothing can be better than what was just proved again
        return replace(verdict, from_optimum=distance(verdict.goals, proved, goals))
    return beside_optimum(verdict, planned_from(plan.cluster), request_in(plan.request))


def request_in(options: Mapping[str, Any]) -> Request:
    """The request that a plan directory holds as JSON, where tuples have become lists."""

    def tuples(value: Any) -> Any:
        return tuple(map(tuples, value)) if isinstance(value, list) else value

    return Request(**{name: tuples(value) for name, value in options.items()})


def show(verdict: Verdict, *, as_json: bool) -> None:
    """The verdict on standard output."""
    if as_json:
        import orjson

        output.print_bytes(orjson.dumps(verdict.to_json(), option=orjson.OPT_INDENT_2) + b"\n")
        return
    from equipoise.report.verdict import headline, verdict_page

    output.show(headline(verdict) if is_quiet() else verdict_page(verdict, all_of_them=is_verbose()))
