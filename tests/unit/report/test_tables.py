"""What the terminal prints."""

from __future__ import annotations

from pathlib import Path

from rich.console import Console

from equipoise.cluster import Plan
from equipoise.report.tables import plan_table


def printed(plan: Plan, out: Path | None = None) -> list[str]:
    """The lines that a terminal of 100 columns shows."""
    console = Console(width=100, color_system=None)
    with console.capture() as capture:
        console.print(plan_table(plan, out))
    return [line.rstrip() for line in capture.get().splitlines()]


def test_one_headline(removal):
    """The first line says what it costs and that nothing better exists."""
    assert (
        printed(removal)[0] == "removal: 1 data move, 0 leadership changes, 1 of 10 partitions; proved best"
    )


def test_brokers_that_change_are_told(removal):
    """Few brokers stand one by one, with what they gain or lose."""
    lines = printed(removal)
    assert ["19", "−", "b", "1", "→", "0", "0"] in [line.split() for line in lines]
    assert ["1", "b", "1", "→", "2", "1"] in [line.split() for line in lines]


def test_proof_line_for_each_goal(growth):
    """Each goal on a line: reached, at best, and the gap where one is left."""
    lines = printed(growth)
    assert any(line.split() == ["moves", "2", "2", "proved"] for line in lines)
    assert any(line.split() == ["topic-leaders", "12", "11", "gap", "8.33", "%"] for line in lines)
    assert lines[0] == "a budget <binds>"


def test_many_brokers_take_one_line(emptied):
    """More than 30 brokers are summed up: the output does not grow with the cluster."""
    lines = printed(emptied)
    assert len(lines) < 15
    assert any(line.startswith("  40 brokers: ") and line.endswith("; 2 emptied") for line in lines)


def test_files_are_named(removal, nothing_to_do):
    """It ends with where the plan is and what to do next; an empty plan asks for nothing."""
    assert printed(removal, Path("out"))[-3:] == [
        "Written to out",
        "Report in out/report.html",
        "Next: equipoise apply out --bootstrap-server HOST:PORT --dry-run",
    ]
    assert printed(nothing_to_do, Path("out"))[-1] == "Report in out/report.html"
    assert printed(nothing_to_do)[0] == "level: nothing to do; no proof"
    assert not any(line.split()[:1] == ["broker"] for line in printed(nothing_to_do))
