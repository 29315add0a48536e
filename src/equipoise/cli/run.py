"""``equipoise run``: plan every cluster of a fleet on Spark."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import typer

if TYPE_CHECKING:
    from equipoise.pipeline.jobs.fleet import FleetRun

HELP = """Plan every cluster of a fleet on Spark.

Ends with 0 when every cluster was planned and nothing was set aside, and with 1 when anything was: \
the others are planned all the same."""


def register(app: typer.Typer) -> None:
    app.command("run", help=HELP)(run)


def run(
    fleet: Path = typer.Argument(..., metavar="FLEET", help="A folder with one folder for each cluster."),
    out: Path = typer.Option(
        ..., "--out", metavar="DIR", help="Folder for what is made; an earlier run's is replaced."
    ),
    master: str = typer.Option(
        "local[*]", "--master", metavar="URL", help="Spark cluster to run on: spark://HOST:7077."
    ),
) -> None:
    result = carry_out(fleet, out, master)
    if not result.is_clean:
        raise typer.Exit(1)


def carry_out(fleet: Path, out: Path, master: str) -> FleetRun:
    """Run the pipeline with its progress on standard error, and print what it did."""
    from rich.console import Console

    from equipoise.cli.fleet_table import show
    from equipoise.pipeline.jobs.fleet import run_fleet
    from equipoise.pipeline.jobs.progress import TerminalProgress
    from equipoise.pipeline.readers.fleet import find_clusters, is_long
    from equipoise.pipeline.session import interruptible, session

    long = is_long(find_clusters(fleet))
    with TerminalProgress(Console(stderr=True)) as progress:
        progress.stage(f"starting Spark on {master}")
        with session(master, long=long) as spark:
            result = interruptible(spark, lambda stopped: run_fleet(spark, fleet, out, progress, stopped))
    show(result, Console())
    return result
