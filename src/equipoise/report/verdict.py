"""A verdict in the terminal: what is wrong first, then costs, levels, checks and distances."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.text import Text

from equipoise.judge import Verdict
from equipoise.report import words
from equipoise.report.tables import plain_table

MAX_VIOLATIONS = 20
"""Violations listed one by one at most; ``--json`` has them all."""


def verdict_page(verdict: Verdict) -> RenderableType:
    """What ``equipoise check`` prints."""
    parts: list[RenderableType] = [
        headline(verdict),
        *violations(verdict),
        level_table(verdict),
        checks(verdict),
    ]
    if verdict.from_optimum is not None:
        parts.append(distances(verdict))
    parts += [Text(f"  {note}", style="yellow") for note in verdict.notes]
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


def violations(verdict: Verdict) -> list[RenderableType]:
    """One line each, as many as a screen holds."""
    lines: list[RenderableType] = [
        Text(f"  {violation}", style="red") for violation in verdict.violations[:MAX_VIOLATIONS]
    ]
    more = len(verdict.violations) - len(lines)
    return lines + ([Text(f"  and {words.number(more)} more (--json has all)", style="red")] if more else [])


def level_table(verdict: Verdict) -> RenderableType:
    """Least and greatest of each level before and after."""
    table = plain_table("", "before", "after")
    for title, key, form in (
        ("Replicas on a broker", "replicas_per_broker", "count"),
        ("Leaders on a broker", "leaders_per_broker", "count"),
        ("Bytes on a broker", "bytes_per_broker", "bytes"),
        ("Leaders on the worst survivor", "worst_leaders_after_one_failure", "count"),
        ("Partitions that break the rack rule", "rack_violations", "count"),
    ):
        before, after = ends(verdict.before[key]), ends(verdict.after[key], verdict.brokers)
        table.add_row(title, words.spread(before, form), words.spread(after, form))
    return Padding(table, (1, 0, 0, 2))


def ends(value: Any, brokers: Collection[int] | None = None) -> tuple[float, float]:
    """Least and greatest over these brokers (None: all); of a single number, that number twice."""
    if not isinstance(value, dict):
        return value, value
    found = list(value.values()) if brokers is None else [value[str(i)] for i in brokers]
    return min(found, default=0), max(found, default=0)


def checks(verdict: Verdict) -> RenderableType:
    """The seven checks, one line each."""
    lines = [
        Text.assemble(
            ("✓ ", "green") if check.passed else ("✗ ", "yellow"), check.name, (f"  {check.detail}", "dim")
        )
        for check in verdict.checks
    ]
    return Padding(Group(*lines), (1, 0, 0, 2))


def distances(verdict: Verdict) -> RenderableType:
    """Each goal beside what the certificate proves of all plans, or else the best plan for the same state."""
    entries = verdict.from_optimum or ()
    bounds = {level.goal: level.bound for level in verdict.certificate if level.bound is not None}
    proved = all(entry["optimum"] <= bounds.get(entry["goal"], -1) for entry in entries)
    table = plain_table("goal", "here", "at best" if proved else "best plan", "difference")
    for entry in entries:
        figures = words.number(entry["value"]), words.number(entry["optimum"])
        table.add_row(words.goal_title(entry["goal"]), *figures, f"{entry['distance']:+,}")
    return Padding(table, (1, 0, 0, 2))
