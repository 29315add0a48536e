"""``equipoise compare``: every published algorithm on one cluster, one table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from equipoise.cli import output
from equipoise.cli.limits import seconds
from equipoise.cli.options import Sources, with_request
from equipoise.cli.output import AsJson, Html
from equipoise.cli.program import WriteLp, write_program
from equipoise.cli.progress import interruptible, told
from equipoise.cli.voice import is_quiet
from equipoise.planning.problem.request import Request
from equipoise.wording import plural

if TYPE_CHECKING:
    from equipoise.cluster import Cluster
    from equipoise.comparing import Row

FIRST = ("data_moves", "replicas_apart", "rack_violations", "behind", "leaders_apart", "leadership_changes")
"""Columns that a narrow terminal shows before others."""
HELP = "Run every published algorithm beside ours, and measure what each reaches and costs."


def register(app: typer.Typer) -> None:
    app.command("compare", help=HELP)(with_request(compare))


def compare(
    sources: Sources,
    request: Request,
    time_limit: Annotated[
        float,
        typer.Option(metavar="S", help="Seconds an algorithm may take.", rich_help_panel="Time"),
    ] = 60.0,
    as_json: AsJson = False,
    html: Html = None,
    write_lp: WriteLp = None,
) -> None:
    from equipoise.comparing import CRITERIA, entries
    from equipoise.comparing import compare as run
    from equipoise.files.sources import read_sources
    from equipoise.planning.request.laying import build_problem

    seconds("--time-limit", time_limit, least=0.1)
    with interruptible(), told("reading"):
        cluster = read_sources(sources)
    listed = entries(cluster, request, time_limit)
    if write_lp is not None:
        write_program(cluster, request, write_lp)
    with interruptible(), told("comparing") as line:
        rows = run(cluster, request, listed, time_limit_s=time_limit, told=line.at)
    data, warnings = [row.to_json() for row in rows], build_problem(cluster, request).warnings
    if html is not None:
        from equipoise.report import compare_page

        output.write_text(html, compare_page(data, CRITERIA, cluster.name, warnings))
    if as_json:
        output.print_json({"cluster": cluster.name, "warnings": warnings, "rows": data})
    else:
        output.print_warnings(warnings)
        show(cluster, rows, data, CRITERIA)


def show(
    cluster: Cluster, rows: Sequence[Row], data: Sequence[dict[str, Any]], criteria: Sequence[dict[str, str]]
) -> None:
    """The table on standard output: the page's own cells, then who found no plan and why."""
    from rich.text import Text

    from equipoise.report.compare_data import compare_data
    from equipoise.report.grid import Grid

    page = compare_data(data, criteria, cluster.name)
    size = f"{plural(cluster.n_partitions, 'partition')} on {plural(cluster.n_brokers, 'broker')}"
    keys = [column["key"] for column in page["columns"]]
    ranked = [keys.index(key) + 1 for key in (*FIRST, *keys) if key in keys]
    table = Grid(
        "strategy",
        *(column["title"].lower() for column in page["columns"]),
        gap=2,
        importance=[0, *dict.fromkeys(ranked)],
        elsewhere="A wider terminal, a pipe, --json and --html show them",
    )
    for row, line in zip(rows, page["rows"], strict=True):
        if not row.reason:
            cells = [Text(cell["text"], "green" if cell["best"] else "") for cell in line["cells"]]
            table.add_row(row.strategy, *cells)
    refused = [] if is_quiet() else [row for row in rows if row.reason]
    output.show(
        Text(f"{cluster.name}: {size}", "bold"),
        table,
        *(Text(f"{row.strategy}: found no plan: {row.reason}") for row in refused),
    )
