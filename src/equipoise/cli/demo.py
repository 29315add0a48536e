"""``equipoise demo``: the fleet pipeline on the shipped example fleet."""

from __future__ import annotations

from pathlib import Path

import typer

from equipoise.cli.extras import spark_for
from equipoise.cli.run import Force, carry_out
from equipoise.errors import UnusableInput

PLACES = (Path(__file__).parents[1] / "examples" / "fleet", Path(__file__).parents[3] / "examples" / "fleet")
"""Where the example fleet is: in an installed package, in a checkout."""

HELP = """Plan the five example clusters on Spark.

One of them is messy on purpose: what of it is set aside is told, and the demo ends with 0 all the same."""


def register(app: typer.Typer) -> None:
    app.command("demo", help=HELP)(demo)


def demo(
    out: Path = typer.Option(
        Path("demo-out"), "--out", metavar="DIR", help="Folder for tables, plans and reports."
    ),
    force: Force = False,
) -> None:
    spark_for("demo")
    result = carry_out(example_fleet(), out, "local[*]", force=force)
    if any(row["outcome"] != "planned" for row in result.rows):
        raise typer.Exit(1)


def example_fleet() -> Path:
    """The folder of the example fleet; raises :class:`UnusableInput` where it was not installed."""
    found = next((place for place in PLACES if place.is_dir()), None)
    if found is None:
        raise UnusableInput("the example fleet is not here", advice="A checkout has it: examples/fleet")
    return found
