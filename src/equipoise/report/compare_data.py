"""Everything the page of a comparison says: one row for each strategy, measured the same way."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from equipoise.report import words
from equipoise.report.compare_verdict import verdict

Row = Mapping[str, Any]
Column = Mapping[str, str]

OURS = "flow"

COSTS: tuple[Column, ...] = (
    {"key": "data_moves", "title": "Data moves"},
    {"key": "bytes_moved", "title": "Bytes moved", "unit": "bytes"},
    {"key": "leadership_changes", "title": "Leadership changes"},
    {"key": "moves_on_second_run", "title": "Moves on a second run"},
    {"key": "distance_to_bound", "title": "Above the proved bound", "unit": "share"},
    {"key": "seconds", "title": "Seconds", "unit": "seconds"},
)
"""Columns that every comparison has, beside the criteria that it is asked for."""

DEFAULTS = {"unit": "count", "better": "low", "meaning": ""}


def compare_data(
    rows: Sequence[Row], criteria: Sequence[Column], cluster: str = "", warnings: Sequence[str] = ()
) -> dict[str, Any]:
    """The page data of a comparison; see :func:`equipoise.report.compare_page` for the arguments."""
    named = [DEFAULTS | dict(column) for column in (*criteria, *COSTS)]
    columns = [column for column in named if any(cell_value(row, column) is not None for row in rows)]
    wanted = [column for column in columns if column["key"] not in {cost["key"] for cost in COSTS}]
    charts = [cost_chart(rows, wanted), *(bars_chart(rows, column) for column in columns)]
    return {
        "cluster": cluster,
        "warnings": list(warnings),
        "verdict": verdict(rows, OURS),
        "columns": columns,
        "ours": OURS,
        "rows": [table_row(row, rows, columns) for row in rows],
        "charts": {chart["id"]: chart for chart in charts if chart is not None},
    }


def cell_value(row: Row, column: Column) -> Any:
    """A row's value; None where it found no plan, has no such value, or one that is no number (NaN)."""
    value = None if row.get("reason") else row.get(column["key"])
    return None if isinstance(value, float) and not math.isfinite(value) else value


def table_row(row: Row, rows: Sequence[Row], columns: Sequence[Column]) -> dict[str, Any]:
    """One strategy: its cells, or the reason why it found no plan."""
    return {
        "strategy": row["strategy"],
        "source": row.get("source", "") or ("Equipoise" if row["strategy"] == OURS else ""),
        "reason": row.get("reason") or "",
        "cells": [cell(row, rows, column) for column in columns],
    }


def cell(row: Row, rows: Sequence[Row], column: Column) -> dict[str, Any]:
    """Text, the value to sort by, and whether no other strategy does better."""
    value = cell_value(row, column)
    return {
        "text": text(value, column["unit"]),
        "value": "" if value is None else value,
        "best": value is not None and value == best(rows, column),
    }


def best(rows: Sequence[Row], column: Column) -> Any:
    """The best value of a column; None where all are the same, where it is text, or for the time taken."""
    values = [value for row in rows if (value := cell_value(row, column)) is not None]
    if len(set(values)) < 2 or isinstance(values[0], str) or column["unit"] == "seconds":
        return None
    return max(values) if column["better"] == "high" else min(values)


def text(value: Any, unit: str) -> str:
    """A value of a cell in the unit of its column."""
    if value is None or isinstance(value, str):
        return value or "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if unit == "seconds":
        return f"{value:.2f}" if value < 10 else f"{value:,.0f}"
    if unit == "share":
        return words.percent(value)
    return words.size(value) if unit == "bytes" else words.number(value, 2)


def is_drawn(rows: Sequence[Row], column: Column) -> bool:
    """True where a column is made of numbers, and not of nothing but zeros."""
    values = [cell_value(row, column) for row in rows]
    return any(values) and not any(isinstance(value, bool | str) for value in values)


def bars_chart(rows: Sequence[Row], column: Column) -> dict[str, Any] | None:
    """One column as lying bars, percentages where it is a share."""
    if not is_drawn(rows, column):
        return None
    share = column["unit"] == "share"
    drawn = [(row["strategy"], value) for row in rows if (value := cell_value(row, column)) is not None]
    return {
        "id": column["key"],
        "kind": "bars",
        "title": column["title"],
        "unit": "percent" if share else column["unit"],
        "ours": OURS,
        "names": [name for name, _ in drawn],
        "values": [value * 100 if share else value for _, value in drawn],
        "caption": column["meaning"] or f"{'Higher' if column['better'] == 'high' else 'Lower'} is better.",
    }


def cost_chart(rows: Sequence[Row], wanted: Sequence[Column]) -> dict[str, Any] | None:
    """Data moves against the first criterion that is a number: what each pays for what it reaches."""
    reached = next((column for column in wanted if is_drawn(rows, column)), None)
    if reached is None:
        return None
    places: dict[tuple[Any, Any], list[str]] = {}
    for row in rows:
        places.setdefault((cell_value(row, COSTS[0]), cell_value(row, reached)), []).append(row["strategy"])
    title = reached["title"].lower()
    return {
        "id": "cost",
        "kind": "points",
        "title": f"What is paid and what is reached: {title}",
        "name_x": "data moves",
        "unit_x": "count",
        "name_y": title,
        "unit_y": reached["unit"],
        "ours": next((together(names) for names in places.values() if OURS in names), OURS),
        "points": [
            [*place, together(names), ", ".join(names)]
            for place, names in places.items()
            if None not in place
        ],
        "caption": f"Left is cheaper, {'higher' if reached['better'] == 'high' else 'lower'} is better.",
    }


def together(names: Sequence[str]) -> str:
    """What a point of several strategies is called: ``pinterest + 2 others``."""
    rest = len(names) - 1
    return names[0] if not rest else f"{names[0]} + {words.plural(rest, 'other')}"
