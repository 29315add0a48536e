"""What a run over a fleet did, as a terminal shows it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from equipoise.report.words import number, plural

if TYPE_CHECKING:
    from equipoise.pipeline.jobs.fleet import FleetRun


def show(result: FleetRun, console: Console) -> None:
    """The table of clusters, what was set aside, and where to look next."""
    console.print(fleet_table(result))
    for row in result.rows:
        for line in remarks(row):
            console.print(line, style="yellow", highlight=False)
    console.print(Text.assemble("Open ", (str(result.out / "index.html"), "bold")), soft_wrap=True)


def fleet_table(result: FleetRun) -> Table:
    """One row a cluster: replica spread before and after, what it costs, and how good that is known to be."""
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="bold")
    table.add_column("\ncluster", no_wrap=True)
    for heading in ("\nreplicas a broker", "data\nmoves", "proved\nbound", "leadership\nchanges", "\nchecks"):
        table.add_column(heading, justify="right", no_wrap=True)
    for row in result.rows:
        table.add_row(row["cluster"], *(cells(row) if row["outcome"] == "planned" else [row["outcome"]]))
    return table


def cells(row: Mapping[str, Any]) -> list[str]:
    """The figures of a cluster that was planned."""
    before, after = row["before"], row["after"]
    bound = next((level["lower_bound"] for level in row["certificate"] if level["goal"] == "moves"), None)
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
