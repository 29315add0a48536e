"""``equipoise check``: judge any tool's reassignment, or a plan directory."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from equipoise.cli import output
from equipoise.cli.kept_memory import keep_memory
from equipoise.cli.options import with_request
from equipoise.cli.voice import is_quiet, is_verbose
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
    from equipoise.library.checking import check as judge
    from equipoise.library.verbs import read

    keep_memory()
    subject, *more = paths
    sources = [*(current or ()), *more]
    verdict = judge(subject, read(*sources) if sources else None, request, optimum=optimum)
    show(verdict, as_json=as_json)
    if not verdict.passed:
        raise typer.Exit(BROKEN)


def show(verdict: Verdict, *, as_json: bool) -> None:
    """The verdict on standard output."""
    if as_json:
        import orjson

        output.print_bytes(orjson.dumps(verdict.to_json(), option=orjson.OPT_INDENT_2) + b"\n")
        return
    from equipoise.report.verdict import headline, verdict_page

    output.show(headline(verdict) if is_quiet() else verdict_page(verdict, all_of_them=is_verbose()))
