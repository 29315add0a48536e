"""``equipoise run``: plan every cluster of a fleet on Spark."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from equipoise.cli.extras import spark_for
from equipoise.cli.progress import warned
from equipoise.errors import UnusableInput

if TYPE_CHECKING:
    from equipoise.pipeline.jobs.fleet import FleetRun
    from equipoise.pipeline.jobs.span import Span

HELP = """Plan every cluster of a fleet on Spark.

Ends with 0 when every cluster was planned and nothing was set aside, and with 1 when anything was: \
the others are planned all the same."""

Force = Annotated[
    bool,
    typer.Option(
        "--force", help="Replace a run of another fleet in DIR, or one with plans that were begun or changed."
    ),
]

Full = Annotated[
    bool, typer.Option("--full", help="Read and plan all clusters anew, not only those that changed.")
]
Since = Annotated[
    str | None,
    typer.Option("--since", metavar="TIME", help="Count samples from this time on: 2026-01-31T12:00:00Z."),
]
Window = Annotated[
    str | None,
    typer.Option("--window", metavar="LENGTH", help="Count each cluster's newest samples: 90m, 12h or 30d."),
]
Conf = Annotated[
    list[str] | None,
    typer.Option(
        "--conf", metavar="KEY=VALUE", help="A setting of Spark: spark.executor.cores=4; again for more."
    ),
]


def register(app: typer.Typer) -> None:
    app.command("run", help=HELP)(run)


def run(
    fleet: str = typer.Argument(
        ..., metavar="FLEET", help="A folder with one folder for each cluster; hdfs://HOST/FLEET too."
    ),
    out: str | None = typer.Option(
        None, "--out", metavar="DIR", help="Folder for what is made; an earlier run's is replaced."
    ),
    master: str = typer.Option(
        "local[*]", "--master", metavar="URL", help="Spark cluster to run on: spark://HOST:7077."
    ),
    force: Force = False,
    conf: Conf = None,
    full: Full = False,
    since: Since = None,
    window: Window = None,
    check: bool = typer.Option(
        False, "--check", help="Only say what each cluster would be planned with."
    ),
) -> None:
    spark_for("run")
    if check:
        from equipoise.cli.fleet_check import check_fleet

        raise typer.Exit(0 if check_fleet(fleet, master, conf or ()) else 1)
    if out is None:
        raise UnusableInput("is missing", source="--out", advice="Give the folder for what is made")
    from equipoise.pipeline.jobs.span import span_of

    span = span_of(since, window)
    result = carry_out(fleet, out, master, force=force, conf=conf or (), full=full, span=span)
    if not result.is_clean:
        raise typer.Exit(1)


def carry_out(
    fleet: str | Path,
    out: str | Path,
    master: str,
    *,
    force: bool = False,
    conf: Sequence[str] = (),
    full: bool = False,
    span: Span | None = None,
) -> FleetRun:
    """Run the pipeline with its progress on standard error, and print what it did."""
    from rich.console import Console

    from equipoise.cli.fleet_table import show
    from equipoise.cli.voice import is_quiet
    from equipoise.files.folders import terminable
    from equipoise.pipeline.jobs.fleet import run_fleet
    from equipoise.pipeline.jobs.progress import TerminalProgress
    from equipoise.pipeline.jobs.span import Span
    from equipoise.pipeline.places.addresses import place_at
    from equipoise.pipeline.session import interruptible, session, settings_of

    settings, long = settings_of(conf), looked_at(fleet)
    console = Console(stderr=True, quiet=is_quiet(), markup=False)
    with terminable(), warned(), TerminalProgress(console) as progress:
        claim(fleet, out, force=force)
        progress.stage(f"starting Spark on {master}")
        with session(master, long=long, conf=settings) as spark:
            places = place_at(spark, fleet), place_at(spark, out)
            result = interruptible(
                spark,
                lambda stopped: run_fleet(
                    spark, *places, progress, stopped, force=force, full=full, span=span or Span()
                ),
            )
    show(result)
    return result


def looked_at(fleet: str | Path) -> bool:
    """Whether there may be minutes of work; raises where a fleet of this machine cannot be used at all.

    What another file system holds is only known once Spark runs.
    """
    from equipoise.pipeline.places.addresses import local
    from equipoise.pipeline.readers.fleet import find_clusters, is_long

    here = local(fleet)
    return here is None or is_long(find_clusters(here))


def claim(fleet: str | Path, out: str | Path, *, force: bool) -> None:
    """Raise before Spark is started where a folder of this machine cannot be replaced."""
    from equipoise.files.folders import claimed
    from equipoise.pipeline.jobs.claim import run_claim
    from equipoise.pipeline.places.addresses import local

    source, target = local(fleet), local(out)
    if source is not None and target is not None:
        claimed(target, run_claim(source), force=force)
