"""``equipoise fleet-report``: what a run over a fleet found, in the terminal."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import typer
from rich.text import Text

from equipoise.cli import output
from equipoise.cli.extras import required
from equipoise.cli.fleet_table import spread
from equipoise.cli.run import Conf
from equipoise.report.fleet_budget import budget_lines
from equipoise.report.fleet_changes import news_of, worst_first
from equipoise.report.fleet_data import until, verdict_of
from equipoise.report.fleet_quality import quality_lines
from equipoise.report.fleet_trends import trend_lines
from equipoise.report.grid import Grid
from equipoise.report.words import duration, number, plural
from equipoise.wording import printable

if TYPE_CHECKING:
    from equipoise.pipeline.jobs.published import Published

HELP = """Print what a run over a fleet found: the worst cluster first, what is new, warnings.

Ends with 1 where a cluster has no plan, something was set aside or a finding is an error."""
HEADINGS = ("cluster", "replicas a broker", "data moves", "certificate", "disk full in", "errors", "warnings")
MOST = 20
"""Lines of each part; ``--all`` shows the others too."""


def register(app: typer.Typer) -> None:
    app.command("fleet-report", help=HELP)(fleet_report)


def fleet_report(
    out: str = typer.Argument(..., metavar="OUT", help="The folder that `equipoise run --out` wrote."),
    everything: bool = typer.Option(False, "--all", help="Show every line of every part."),
    conf: Conf = None,
) -> None:
    required("fleet-report", "pyarrow", "PyArrow", "spark")
    from equipoise.pipeline.jobs.published import published, run_at

    with run_at(out, conf or ()) as folder:
        found = published(folder, out)
    output.show(*lines(found, None if everything else MOST))
    is_well = all(row["outcome"] == "planned" and not row["set_aside"] for row in found.clusters)
    if not is_well or any(row["errors"] for row in found.clusters):
        raise typer.Exit(1)


def lines(found: Published, most: int | None) -> Iterator[Text | Grid]:
    """The report from top to bottom."""
    yield from head(found)
    ranked = worst_first(found.clusters)
    table = Grid(*HEADINGS, gap=2)
    for row in ranked[:most]:
        table.add_row(row["cluster"], *cells(row))
    yield table
    yield from more(len(ranked), most)
    yield from part("Budget", budget_lines(found.record.get("budget"), found.budget), most)
    news = news_of(found.history)
    first = ["there is no run before this one"]
    yield from part("Since the run before", first if news is None else news or ["nothing has changed"], most)
    yield from part("Trends", trend_lines(found.history), most)
    findings = [
        f"{row['severity']}: {row['cluster']}, {row['subject']}: {row['detail']}" for row in found.findings
    ]
    yield from part("Findings", findings, most)
    warnings = [f"{row['cluster']}: {line}" for row in ranked for line in row["warnings"]]
    yield from part("Warnings of plans", warnings, most)
    yield from part("Quality", quality_lines(ranked), most)
    yield from part("Set aside", [piece(row) for row in found.quarantine], most)


def head(found: Published) -> Iterator[Text]:
    """What ran, how long, and what came of it."""
    record, rows = found.record, found.clusters
    planned = [row for row in rows if row["outcome"] == "planned"]
    best = sum(verdict_of(row)["badge"] == "proved best" for row in planned)
    yield Text.assemble(
        (f"{plural(len(rows), 'cluster')}, {number(len(planned))} planned", "bold"),
        f", {number(best)} proved best, {plural(record['set_aside']['pieces'], 'piece')} set aside",
    )
    took = duration(sum(record["seconds"].values()))
    kept = len(record["before"]["taken_over"])
    yield Text(
        f"{record['fleet']}, run of {record['started']} in {took}, {number(kept)} as before; "
        f"Equipoise {record['equipoise']}",
        "dim",
    )


def piece(row: Mapping[str, Any]) -> str:
    """Something that was set aside, with where it stands."""
    place = f"line {row['line']}" if row["line"] is not None else row["place"]
    where = ", ".join(str(part) for part in (row["cluster"], row["file"], place) if part is not None)
    return f"{printable(where)}: {row['reason']}"


def cells(row: Mapping[str, Any]) -> list[str]:
    """One cluster."""
    found = [number(row["errors"]), number(row["warned"])]
    if row["outcome"] != "planned":
        return [row["outcome"], "", "", until(row["days_until_full"]), *found]
    return [
        f"{spread(row['before'])} → {spread(row['after'])}",
        number(row["data_moves"]),
        verdict_of(row)["badge"],
        until(row["days_until_full"]),
        *found,
    ]


def part(title: str, said: list[str], most: int | None) -> Iterator[Text]:
    """A heading with its lines; nothing for no line."""
    if said:
        yield Text(title, "bold")
        yield from (Text(f"  {line}") for line in said[:most])
        yield from more(len(said), most)


def more(n: int, most: int | None) -> Iterator[Text]:
    if most is not None and n > most:
        yield Text(f"  and {number(n - most)} more: --all", "dim")
