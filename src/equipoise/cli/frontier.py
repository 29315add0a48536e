"""``equipoise frontier``: the balance that each budget of data moved would buy."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

import typer

from equipoise.cli.options import Sources, with_request
from equipoise.cli.output import AsJson, Html, print_json, print_table, write_text
from equipoise.cli.progress import interruptible, told
from equipoise.errors import UnusableInput
from equipoise.planning.request import Request

HELP = "Balance reached for each budget of data moved."


def register(app: typer.Typer) -> None:
    app.command("frontier", help=HELP)(with_request(frontier))


def frontier(
    sources: Sources,
    request: Request,
    budgets: Annotated[
        str | None,
        typer.Option(
            metavar="LIST",
            help="Budgets in percent of what the plan without one moves; by default 0,5,10,25,50,75,100.",
            rich_help_panel="Budgets",
        ),
    ] = None,
    as_json: AsJson = False,
    html: Html = None,
) -> None:
    from equipoise.comparing.frontier import BUDGETS
    from equipoise.comparing.frontier import frontier as run
    from equipoise.files.sources import read_sources

    percents = BUDGETS if budgets is None else percents_of(budgets)
    with interruptible(), told("reading"):
        cluster = read_sources(sources)
    with interruptible(), told("planning"):
        found = run(cluster, request, percents)
    points = [point.to_json() for point in found.points]
    data: dict[str, Any] = {"cluster": cluster.name, "goal": found.goal, "unit": found.unit, "points": points}
    if html is not None:
        from equipoise.report import frontier_page

        write_text(html, frontier_page(**data))
    if as_json:
        print_json(data)
    else:
        show(data)


def percents_of(text: str) -> Sequence[float]:
    """``0,12.5,100%`` as numbers."""
    try:
        found = [float(part.strip().removesuffix("%")) for part in text.split(",") if part.strip()]
    except ValueError:
        found = []
    if not found or not all(0 <= percent <= 100 for percent in found):
        raise UnusableInput(
            f"'{text}' is not a list of budgets", source="--budgets", advice="Write percents: 0,10,50"
        )
    return found


def show(data: dict[str, Any]) -> None:
    """The table on standard output: the page's own cells, then the budgets that are too small and why."""
    from rich.table import Table

    from equipoise.report.frontier_data import frontier_data

    page = frontier_data(**data)
    table = Table(
        title=f"{page['cluster']}: {page['level'].lower()} for each budget of {data['unit']}", box=None
    )
    for column in page["columns"]:
        table.add_column(column.lower(), justify="right")
    for row in page["rows"]:
        table.add_row(*row["cells"])
    refused = [row for row in page["rows"] if row["reason"]]
    print_table(table, [f"{row['cells'][0]}: no plan: {row['reason']}" for row in refused], 160)
