"""``equipoise show``: one cluster as it is, without a plan."""

from __future__ import annotations

import typer

from equipoise.cli import output
from equipoise.cli.options import Sources
from equipoise.cli.output import AsJson, Html
from equipoise.cli.progress import interruptible, told
from equipoise.cli.voice import is_quiet, is_verbose

HELP = "Show a cluster as it is: how level each load is, what is dead, broken or not known."


def register(app: typer.Typer) -> None:
    app.command("show", help=HELP)(show)


def show(sources: Sources, as_json: AsJson = False, html: Html = None) -> None:
    from equipoise.files.sources import read_sources
    from equipoise.report.cluster_data import cluster_data

    with interruptible(), told("reading"):
        cluster = read_sources(sources)
        data = cluster_data(cluster)
    if html is not None:
        from equipoise.report import cluster_page

        output.write_text(html, cluster_page(data))
    if as_json:
        output.print_json(data)
        return
    from rich.text import Text

    from equipoise.report.cluster_table import cluster_table, headline

    if is_quiet():
        output.show(*(Text(line, style="yellow") for line in data["warnings"]), headline(data))
    else:
        output.show(cluster_table(data, all_of_them=is_verbose()))
