"""``equipoise pack``: the Python that runs a fleet, as an archive for the workers of a Spark cluster."""

from __future__ import annotations

from pathlib import Path

import typer
from rich.text import Text

from equipoise.cli import output
from equipoise.cli.extras import spark_for

HELP = """Write the Python of this command, with all that a fleet needs, as an archive for Spark's workers.

They need nothing but the same kind of system. Give it to Spark with --conf spark.archives=FILE#env, and let \
the variable PYSPARK_PYTHON name the Python in it: ./env/bin/python."""


def register(app: typer.Typer) -> None:
    app.command("pack", help=HELP)(pack)


def pack(
    out: Path = typer.Option(Path("equipoise-env.tar.gz"), "--out", metavar="FILE", help="The archive."),
) -> None:
    spark_for("pack")
    from equipoise.files.places import on_this_machine
    from equipoise.pipeline.packing import archive

    n_bytes = archive.pack(on_this_machine(out))
    output.show(Text(f"{out}: {n_bytes / 1e6:,.0f} MB"))
