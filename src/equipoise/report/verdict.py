"""A verdict in the terminal: notes and what is wrong first, then levels, checks and distances."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from equipoise.judge import Verdict
from equipoise.report import words
from equipoise.report.distances import distance_rows
from equipoise.report.grid import Grid

MAX_VIOLATIONS = 20
"""Violations listed one by one at most; ``--json`` has them all."""


def verdict_page(verdict: Verdict, *, all_of_them: bool = False) -> RenderableType:
    """What ``equipoise check`` prints; ``all_of_them``: every violation, however many."""
    parts: list[RenderableType] = [
        headline(verdict),
        *(indented(note, "yellow") for note in verdict.notes),
        *violations(verdict, len(verdict.violations) if all_of_them else MAX_VIOLATIONS),
        level_table(verdict),
        checks(verdict),
    ]
    if verdict.from_optimum is not None:
        parts.append(distances(verdict))
    return Group(*parts)


def headline(verdict: Verdict) -> Text:
    """``No rule is broken: 3 data moves, 2 leadership changes, 3 partitions``."""
    costs = [
        words.plural(verdict.costs["data_moves"], "data move"),
        *([words.size(verdict.costs["bytes_moved"])] if verdict.costs["bytes_moved"] else []),
        words.plural(verdict.costs["leadership_changes"], "leadership change"),
        words.plural(verdict.costs["partitions_changed"], "partition") + " changed",
    ]
    told = "No rule is broken" if verdict.passed else words.plural(len(verdict.violations), "violation")
    return Text.assemble((told, "bold green" if verdict.passed else "bold red"), ": " + ", ".join(costs))


def violations(verdict: Verdict, most: int) -> list[RenderableType]:
    """One line each, ``most`` of them."""
    lines = [indented(str(violation), "red") for violation in verdict.violations[:most]]
    more = len(verdict.violations) - len(lines)
    rest = indented(f"and {words.number(more)} more (--verbose lists all)", "red")
    return [*lines, rest] if more else lines


def indented(line: str, style: str) -> RenderableType:
    """A line under the headline, and below it what does not fit the terminal's width."""
    return Padding(Text(line, style=style), (0, 0, 0, 2))


def level_table(verdict: Verdict) -> RenderableType:
    """Least and greatest of each level before and after."""
    table = Grid("", "before", "after")
    for title, key, form in (
        ("Replicas on a broker", "replicas_per_broker", "count"),
        ("Leaders on a broker", "leaders_per_broker", "count"),
        ("Bytes on a broker", "bytes_per_broker", "bytes"),
        ("Leaders on the worst survivor", "worst_leaders_after_one_failure", "count"),
        ("Partitions that break the rack rule", "rack_violations", "count"),
    ):
        before, after = ends(verdict.before[key]), ends(verdict.after[key], verdict.brokers)
        if before is not None or after is not None:
            table.add_row(title, words.spread(before, form), words.spread(after, form))
    return Padding(table, (1, 0, 0, 2))


def ends(value: Any, brokers: Collection[int] | None = None) -> tuple[float, float] | None:
    """Least and greatest over these brokers (None: all); of one number that twice; None where not known."""
    if not isinstance(value, dict):
        return None if value is None else (value, value)
    found = list(value.values()) if brokers is None else [value[str(i)] for i in brokers]
    return None if None in found else (min(found, default=0), max(found, default=0))


def checks(verdict: Verdict) -> RenderableType:
    """The seven checks, one line each, and what becomes of one that fails."""
    lines = Table.grid(padding=(0, 1))
    for check in verdict.checks:
        mark = Text("✓", style="green") if check.passed else Text("✗", style="yellow")
        asked = words.CHECKS.get(check.name, check.name)
        lines.add_row(mark, Text.assemble(asked, (f": {check.detail}", "dim")))
    about = "How good it is, by the checks of Wix. ✗ is a remark: no rule is broken by it."
    return Padding(Group(Text(about, style="dim"), lines), (1, 0, 0, 2))


def distances(verdict: Verdict) -> RenderableType:
    """Each goal beside what the certificate proves of all plans, or else the best plan for the same state."""
    entries = verdict.from_optimum or ()
    bounds = {level.goal: level.bound for level in verdict.certificate if level.bound is not None}
    proved = all(entry["optimum"] <= bounds.get(entry["goal"], 0) for entry in entries)
    table = Grid("goal", "here", "at best" if proved else "best plan", "difference")
    for row in distance_rows(entries):
        table.add_row(row["goal"], *row["cells"])
    return Padding(table, (1, 0, 0, 2))
