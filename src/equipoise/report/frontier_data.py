"""Everything the page of a frontier says: what each budget of data moved buys."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from equipoise.report import words

COLUMNS = ("Budget", "Data moves", "Bytes", "Spread", "Level", "At best")
OTHERS = "Other levels"
"""A column more where several loads are levelled."""


def frontier_data(
    points: Sequence[Mapping[str, Any]],
    goal: str,
    unit: str,
    cluster: str,
    warnings: Sequence[str] = (),
    knee: float | None = None,
) -> dict[str, Any]:
    """The page data; see :func:`equipoise.report.frontier_page` for the arguments."""
    reached = [point for point in points if not point["reason"]]
    bend = next((point for point in reached if point["percent"] == knee), None)
    return {
        "cluster": cluster,
        "warnings": list(warnings),
        "level": words.goal_title(goal),
        "meaning": words.goal_meaning(goal),
        "columns": (*COLUMNS, OTHERS) if any(len(levels_of(point)) > 1 for point in points) else COLUMNS,
        "knee": knee_words(bend, unit) if bend else "",
        "rows": [{"cells": cells(point, goal, unit), "reason": point["reason"]} for point in points],
        "charts": {"frontier": chart(reached, goal, unit, knee)} if reached else {},
    }


def cells(point: Mapping[str, Any], goal: str, unit: str) -> list[str]:
    """A row of the table, in units that people read; the budget alone where no plan keeps to it."""
    show_budget = words.size if unit == "bytes" else words.number
    budget = f"{point['percent']:g} % · {show_budget(point['budget'])}"
    if point["reason"]:
        return [budget]
    counts = goal == "replicas"
    show = words.number if counts else words.size
    spread = words.spread((point["least"], point["most"]), "count" if counts else "bytes")
    moved = [words.number(point["data_moves"]), words.size(point["bytes_moved"])]
    levels = [show(point["value"]), show(point["lower_bound"])]
    return [budget, *moved, spread, *levels, *([others(point, goal)] if others(point, goal) else [])]


def others(point: Mapping[str, Any], goal: str) -> str:
    """The levels of the other loads, in their order: ``leaders 0, network-in 3 GiB``."""
    counted = ("replicas", "leaders")
    return ", ".join(
        f"{load} {words.number(value) if load in counted else words.size(value)}"
        for load, (value, _) in levels_of(point).items()
        if load != goal
    )


def levels_of(point: Mapping[str, Any]) -> Mapping[str, Any]:
    """Value and bound of each load of the mix; of points that an earlier version wrote none."""
    return point.get("levels") or {}


def knee_words(point: Mapping[str, Any], unit: str) -> str:
    """Where more begins to buy less, in a sentence."""
    moved = words.size(point["bytes_moved"]) if unit == "bytes" else words.plural(point["data_moves"], "move")
    what = "a byte" if unit == "bytes" else "a move"
    buys = f"up to there {what} levels more than on average, beyond it less"
    return f"knee: {point['percent']:g} % ({moved}); {buys}"


def chart(
    points: Sequence[Mapping[str, Any]], goal: str, unit: str, knee: float | None = None
) -> dict[str, Any]:
    """What is reached against what is moved, what could be at best, and the point where more buys less."""
    moved = "bytes_moved" if unit == "bytes" else "data_moves"
    return {
        "id": "frontier",
        "kind": "points",
        "title": f"What is moved and what is reached: {words.goal_title(goal).lower()}",
        "name_x": "bytes moved" if unit == "bytes" else "data moves",
        "unit_x": "bytes" if unit == "bytes" else "count",
        "name_y": words.goal_title(goal).lower(),
        "unit_y": "count" if goal == "replicas" else "bytes",
        "ours": f"{points[-1]['percent']:g} %",
        "points": [[point[moved], point["value"], f"{point['percent']:g} %"] for point in points],
        "lower_bound": [[point[moved], point["lower_bound"]] for point in points],
        "knee": "" if knee is None else f"{knee:g} %",
        "caption": "Left is cheaper, lower is better.",
    }
