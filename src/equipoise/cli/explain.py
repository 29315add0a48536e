"""``equipoise explain``: why a plan changes a partition, or a broker, as it does."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from equipoise.cli import output
from equipoise.cli.output import AsJson
from equipoise.cli.progress import interruptible, told
from equipoise.cli.voice import is_verbose

HELP = "Explain a plan: why this source and this target, and what any other would break or cost."


def register(app: typer.Typer) -> None:
    app.command("explain", help=HELP)(explain)


def explain(
    directory: Annotated[Path, typer.Argument(metavar="DIR", help="A plan directory.", show_default=False)],
    what: Annotated[
        str, typer.Argument(metavar="TOPIC-PARTITION|BROKER", help="orders-3, or 4.", show_default=False)
    ],
    as_json: AsJson = False,
) -> None:
    from equipoise.files.plan_directory import read_plan
    from equipoise.report.explained import explained

    with interruptible(), told("reading"):
        plan = read_plan(directory)
    with interruptible(), told("explaining"):
        data = explained(plan, what)
    if as_json:
        output.print_json(data)
        return
    from equipoise.report.explain_table import explain_table

    output.show(explain_table(data, all_of_them=is_verbose()))
