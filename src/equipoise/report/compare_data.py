"""Everything the page of a comparison says: one row for each strategy, measured the same way."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from equipoise.report import words

OURS = "flow"

COSTS: tuple[dict[str, str], ...] = (
    {"key": "data_moves", "title": "Data moves", "unit": "count", "better": "low"},
    {"key": "bytes_moved", "title": "Bytes moved", "unit": "bytes", "better": "low"},
    {"key": "leadership_changes", "title": "Leadership changes", "unit": "count", "better": "low"},
    {"key": "moves_on_second_run", "title": "Moves on a second run", "unit": "count", "better": "low"},
    {"key": "distance_to_bound", "title": "Above the proved bound", "unit": "share", "better": "low"},
    {"key": "seconds", "title": "Seconds", "unit": "seconds", "better": "low"},
)
"""Columns that every comparison has, beside the criteria that it is asked for."""


def compare_data(
    rows: Sequence[Mapping[str, Any]], criteria: Sequence[Mapping[str, str]], cluster: str = ""
) -> dict[str, Any]:
    """The page data of a comparison; see :func:`equipoise.report.compare_page` for the arguments."""
    columns = [column for column in (*criteria, *COSTS) if any(value_of(row, column["key"]) is not None for row in rows)]
    columns = [{"unit": "count", "better": "low", "meaning": "", **column} for column in columns]
    charts = [cost_chart(rows, columns), *(bars_chart(rows, column) for column in columns)]
    return {
        "cluster": cluster, "columns": columns, "ours": OURS,
        "rows": [table_row(row, rows, columns) for row in rows],
        "charts": {chart["id"]: chart for chart in charts if chart is not None},
    }


def value_of(row: Mapping[str, Any], key: str) -> float | bool | str | None:
    """A row's value, None where there is none (NaN counts as none)."""
    value = row.get(key)
    return None if isinstance(value, float) and not math.isfinite(value) else value


def table_row(
    row: Mapping[str, Any], rows: Sequence[Mapping[str, Any]], columns: Sequence[Mapping[str, str]]
) -> dict[str, Any]:
    """One strategy: its cells, or the reason why it found no plan."""
    return {
        "strategy": row["strategy"], "source": row.get("source", ""), "reason": row.get("reason") or "",
        "cells": [] if row.get("reason") else [cell(row, rows, column) for column in columns],
    }


def cell(row: Mapping[str, Any], rows: Sequence[Mapping[str, Any]], column: Mapping[str, str]) -> dict[str, Any]:
    """Text, the value to sort by, and whether no other strategy does better."""
    value = value_of(row, column["key"])
    others = [v for r in rows if (v := value_of(r, column["key"])) is not None and not isinstance(v, str) and not r.get("reason")]
    best = value is not None and not isinstance(value, str) and value == (max if column["better"] == "high" else min)(others)
    return {"text": text(value, column["unit"]), "value": "" if value is None else value,
            "best": best and column["unit"] != "seconds" and len(set(others)) > 1}


def text(value: float | bool | str | None, unit: str) -> str:
    """A value of a cell in the unit of its column."""
    if value is None or isinstance(value, str):
        return value or "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if unit == "seconds":
        return f"{value:.2f}" if value < 10 else f"{value:,.0f}"
    return {"bytes": words.size, "share": words.percent}.get(unit, lambda v: words.number(v, 2))(value)


def bars_chart(rows: Sequence[Mapping[str, Any]], column: Mapping[str, str]) -> dict[str, Any] | None:
    """One column as lying bars; None where it is not made of numbers."""
    values = [None if row.get("reason") else value_of(row, column["key"]) for row in rows]
    if any(isinstance(value, bool | str) for value in values) or not any(values):
        return None
    unit = "percent" if column["unit"] == "share" else column["unit"]
    scaled = [v * 100 if unit == "percent" and v is not None else v for v in values]
    return {
        "id": column["key"], "kind": "bars", "title": column["title"], "unit": unit, "ours": OURS,
        "names": [row["strategy"] for row in rows], "values": scaled,
        "caption": column.get("meaning") or ("Lower is better." if column["better"] == "low" else "Higher is better."),
    }


def cost_chart(rows: Sequence[Mapping[str, Any]], columns: Sequence[Mapping[str, str]]) -> dict[str, Any] | None:
    """Data moves against the first criterion that is a number: what each strategy pays for what it reaches."""
    def numbers(key: str) -> bool:
        return all(not isinstance(value_of(row, key), bool | str) for row in rows)

    reached = next((c for c in columns if c["key"] not in {cost["key"] for cost in COSTS} and numbers(c["key"])), None)
    points = [
        [value_of(row, "data_moves"), value_of(row, reached["key"]), row["strategy"]]
        for row in rows if reached is not None and not row.get("reason")
    ]
    points = [point for point in points if point[0] is not None and point[1] is not None]
    if reached is None or len(points) < 2:
        return None
    return {
        "id": "cost", "kind": "points", "title": f"What is paid and what is reached: {reached['title'].lower()}",
        "name_x": "data moves", "unit_x": "count", "name_y": reached["title"].lower(), "unit_y": reached["unit"],
        "ours": OURS, "points": points, "caption": "Left is cheaper; "
        + ("lower is more level." if reached["better"] == "low" else "higher is better."),
    }
