"""``equipoise frontier``: the balance that each budget of data moved would buy."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from equipoise.cli import output
from equipoise.cli.options import Sources, with_request
from equipoise.cli.output import AsJson, Html
from equipoise.cli.progress import above, interruptible, told
from equipoise.cli.voice import is_quiet
from equipoise.errors import UnusableInput
from equipoise.planning.problem.request import Request
from equipoise.wording import quoted

if TYPE_CHECKING:
    from rich.console import RenderableType

    from equipoise.cluster import Cluster
    from equipoise.comparing.frontier import Frontier

UNITS = ("moves", "bytes")
SIZE = len("1,023 GiB")
HELP = "Balance reached for each budget of data moved."


def register(app: typer.Typer) -> None:
    app.command("frontier", help=HELP)(with_request(frontier))


def frontier(
    sources: Sources,
    request: Request,
    budgets: Annotated[
        str | None,
        typer.Option(
            metavar="LIST",
            help="Budgets in percent of what the plan without one moves; by default 0,5,10,25,50,75,100.",
            rich_help_panel="Budgets",
        ),
    ] = None,
    unit: Annotated[
        str | None,
        typer.Option(
            metavar="moves|bytes",
            help="What is budgeted; by default bytes where loads are balanced, else moves.",
            rich_help_panel="Budgets",
        ),
    ] = None,
    as_json: AsJson = False,
    html: Html = None,
) -> None:
    from equipoise.comparing.frontier import BUDGETS
    from equipoise.comparing.frontier import frontier as run
    from equipoise.files.sources import read_sources

    percents = BUDGETS if budgets is None else percents_of(budgets)
    if unit not in (None, *UNITS):
        problem = f"{quoted(unit)} cannot be budgeted"
        raise UnusableInput(problem, source="--unit", advice="Choose moves or bytes")
    with interruptible(), told("reading"):
        cluster = read_sources(sources)
    rows = Rows(cluster, percents)
    with interruptible(), told("planning"):
        found = run(cluster, request, percents, unit=unit, found=rows.ignore if as_json else rows.add)
    data = {"cluster": cluster.name, "warnings": found.warnings} | found.to_json()
    if html is not None:
        from equipoise.report import frontier_page

        output.write_text(html, frontier_page(**data))
    if as_json:
        output.print_json(data)
    else:
        rows.end(found)


def percents_of(text: str) -> Sequence[float]:
    """``0,12.5,100%`` as numbers."""
    try:
        found = [float(part.strip().removesuffix("%")) for part in text.split(",") if part.strip()]
    except ValueError:
        found = []
    if not found or not all(0 <= percent <= 100 for percent in found):
        raise UnusableInput(
            f"{quoted(text)} is not a list of budgets", source="--budgets", advice="Write percents: 0,10,50"
        )
    return found


class Rows:
    """The table on standard output, each row as soon as it is found; then why budgets are too small."""

    def __init__(self, cluster: Cluster, percents: Sequence[float]) -> None:
        self.cluster, self.percents = cluster, percents
        self.refused: list[str] = []
        self.begun = False

    def ignore(self, found: Frontier) -> None:
        """Nothing, where another form is asked for."""

    def add(self, found: Frontier) -> None:
        """The row of a point, below the headings if it is the first."""
        from rich.text import Text

        from equipoise.report.frontier_data import frontier_data
        from equipoise.report.grid import Grid

        points = [point.to_json() for point in found.points]
        page = frontier_data(points, found.goal, found.unit, self.cluster.name)
        headings = [heading.lower() for heading in page["columns"]]
        widths = [*map(max, self.widths(found), map(len, headings))]
        columns = range(len(headings))
        parts: list[RenderableType] = []
        if not self.begun:
            self.begun = True
            title = f"{self.cluster.name}: {page['level'].lower()} for each budget of {found.unit}"
            warnings = (Text(line, "yellow") for line in found.warnings)
            parts = [*warnings, Text(title, "bold"), Grid(*headings, least=widths, importance=columns)]
        table = Grid(*[""] * len(headings), least=widths, importance=columns)
        for row in page["rows"]:
            table.add_row(*row["cells"], *[""] * (len(headings) - len(row["cells"])))
            if row["reason"]:
                self.refused.append(f"{row['cells'][0]}: no plan: {row['reason']}")
        with above():
            output.show(*parts, table)

    def widths(self, found: Frontier) -> list[int]:
        """Columns for whatever may come: moves are no more than replicas, and sizes are short."""
        from equipoise.planning.goals.replicas import Replicas
        from equipoise.report import words

        counts = found.goal == Replicas.name
        moves = len(words.number(int((self.cluster.replicas >= 0).sum())))
        budget = len(f"{max(self.percents):g} % · ") + (SIZE if found.unit == "bytes" else moves)
        held = moves if counts else SIZE
        level = len("squared ") + 2 * moves if counts else SIZE
        best = max(level, len("may be more level")) if counts else level
        others = [len(load) + len(" /s, ") + SIZE for load in found.points[0].levels if load != found.goal]
        return [budget, moves, SIZE, 2 * held + len(" to "), level, best, *([sum(others)] if others else [])]

    def end(self, found: Frontier) -> None:
        """What the level is, why budgets have no plan, and where more begins to buy less."""
        from equipoise.report.frontier_data import knee_words, meaning, still_words

        reached = [point.to_json() for point in found.points if not point.reason]
        knee = f"knee: {knee_words(found.knee.to_json(), found.unit)}" if found.knee else still_words(reached)
        if not is_quiet():
            told = [f"level: {meaning(reached, found.goal)}", *self.refused, knee]
            output.say("\n".join(filter(None, told)))
