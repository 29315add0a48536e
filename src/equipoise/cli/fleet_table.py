"""What a run over a fleet did, as a terminal shows it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from rich.text import Text

from equipoise.cli import output
from equipoise.cli.voice import is_quiet
from equipoise.planning.goals.moves import Moves
from equipoise.report.fleet_data import no_racks
from equipoise.report.grid import Grid
from equipoise.report.words import number, plural

if TYPE_CHECKING:
    from equipoise.pipeline.jobs.fleet import FleetRun


HEADINGS = ("cluster", "replicas a broker", "data moves", "proved bound", "leadership changes", "checks")


def show(result: FleetRun) -> None:
    """The table of clusters, what was set aside, and where to look next."""
    planned = (row for row in result.rows if row["outcome"] == "planned")
    lines = [*no_racks(row["cluster"] for row in planned if "racks" in row["missing"])]
    lines += [line for row in result.rows for line in remarks(row)]
    remarked = [Text(line, "yellow") for line in lines]
    table = [] if is_quiet() else [fleet_table(result)]
    page = Text.assemble("Open ", (str(result.out / "index.html"), "bold"), no_wrap=True, overflow="ignore")
    output.show(*table, *remarked, page)


def fleet_table(result: FleetRun) -> Grid:
    """One row a cluster: replica spread before and after, what it costs, and how good that is known to be."""
    table = Grid(*HEADINGS, gap=2)
    for row in result.rows:
        shown = cells(row) if row["outcome"] == "planned" else [row["outcome"]]
        table.add_row(row["cluster"], *shown, *[""] * (len(HEADINGS) - 1 - len(shown)))
    return table


def cells(row: Mapping[str, Any]) -> list[str]:
    """The figures of a cluster that was planned."""
    before, after = row["before"], row["after"]
    bound = next((level["lower_bound"] for level in row["certificate"] if level["goal"] == Moves.name), None)
    return [
        f"{spread(before)} → {spread(after)}",
        number(row["data_moves"]),
        number(bound),
        number(row["leadership_changes"]),
        f"{row['checks']['passed']} of {row['checks']['all']}",
    ]


def spread(side: Mapping[str, int]) -> str:
    low, high = side["replicas_min"], side["replicas_max"]
    return number(low) if low == high else f"{number(low)}–{number(high)}"


def remarks(row: Mapping[str, Any]) -> list[str]:
    """What to say of a cluster below the table: why it has no plan, and what of it was set aside."""
    said = [f"{row['cluster']}: {row['outcome']}: {row['reason']}"] if row["outcome"] != "planned" else []
    pieces = row["set_aside"] - (row["outcome"] != "planned")
    if pieces:
        said.append(f"{row['cluster']}: {plural(pieces, 'piece')} of input set aside (table quarantine)")
    return said
