"""``equipoise compare``: every published algorithm on one cluster, one table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from equipoise.cli.options import Sources, with_request
from equipoise.cli.output import AsJson, Html, print_json, print_table, write_text
from equipoise.cli.program import WriteLp, write_program
from equipoise.cli.progress import interruptible, told
from equipoise.planning.request import Request
from equipoise.wording import plural

if TYPE_CHECKING:
    from equipoise.cluster import Cluster
    from equipoise.comparing import Row

HELP = "Run every published algorithm beside ours, and measure what each reaches and costs."


def register(app: typer.Typer) -> None:
    app.command("compare", help=HELP)(with_request(compare))


def compare(
    sources: Sources,
    request: Request,
    time_limit: Annotated[
        float,
        typer.Option(metavar="S", min=0.1, help="Seconds an algorithm may take.", rich_help_panel="Time"),
    ] = 60.0,
    as_json: AsJson = False,
    html: Html = None,
    write_lp: WriteLp = None,
) -> None:
    from equipoise.comparing import CRITERIA, entries
    from equipoise.comparing import compare as run
    from equipoise.files.sources import read_sources

    with interruptible(), told("reading"):
        cluster = read_sources(sources)
    listed = entries(cluster, request, time_limit)
    if write_lp is not None:
        write_program(cluster, request, write_lp)
    with interruptible(), told("comparing") as line:
        rows = run(cluster, request, listed, time_limit_s=time_limit, told=line.at)
    data = [row.to_json() for row in rows]
    if html is not None:
        from equipoise.report import compare_page

        write_text(html, compare_page(data, CRITERIA, cluster.name))
    if as_json:
        print_json({"cluster": cluster.name, "rows": data})
    else:
        show(cluster, rows, data, CRITERIA)


def show(
    cluster: Cluster, rows: Sequence[Row], data: Sequence[dict[str, Any]], criteria: Sequence[dict[str, str]]
) -> None:
    """The table on standard output: the page's own cells, then who found no plan and why."""
    from rich.table import Table
    from rich.text import Text

    from equipoise.report.compare_data import compare_data

    page = compare_data(data, criteria, cluster.name)
    size = f"{plural(cluster.n_partitions, 'partition')} on {plural(cluster.n_brokers, 'broker')}"
    table = Table(title=f"{cluster.name}: {size}", box=None)
    table.add_column("strategy", no_wrap=True)
    for column in page["columns"]:
        table.add_column(column["title"].lower(), justify="right")
    for row, line in zip(rows, page["rows"], strict=True):
        if not row.reason:
            cells = [Text(cell["text"], "green" if cell["best"] else "") for cell in line["cells"]]
            table.add_row(row.strategy, *cells)
    print_table(table, [f"{row.strategy}: found no plan: {row.reason}" for row in rows if row.reason], 200)
