"""Everything the page of a frontier says: what each budget of data moved buys."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from equipoise.report import words

COLUMNS = ("Budget", "Data moves", "Bytes moved", "On a broker", "Outside the band", "At best")
APART = "Brokers are"
"""The fifth column where squares are levelled: they are told as how far brokers are apart."""
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
    title = APART if goal in words.SQUARED else COLUMNS[4]
    others_title = (OTHERS,) if any(len(levels_of(point)) > 1 for point in points) else ()
    return {
        "cluster": cluster,
        "warnings": list(warnings),
        "level": words.goal_title(goal),
        "meaning": meaning(reached, goal),
        "columns": (*COLUMNS[:4], title, COLUMNS[5], *others_title),
        "knee": f"The knee is at {knee_words(bend, unit)}." if bend else still_words(reached),
        "rows": [{"cells": cells(point, goal, unit), "reason": point["reason"]} for point in points],
        "charts": {"frontier": chart(reached, goal, unit, knee)} if reached else {},
    }


def meaning(reached: Sequence[Mapping[str, Any]], goal: str) -> str:
    """What the level counts."""
    if all_apart(reached):
        return "what the fullest broker holds more than the emptiest"
    return words.goal_meaning(goal)


def all_apart(reached: Sequence[Mapping[str, Any]]) -> bool:
    """True where each point tells how far brokers are apart."""
    return bool(reached) and all(point.get("apart") is not None for point in reached)


def cells(point: Mapping[str, Any], goal: str, unit: str) -> list[str]:
    """A row of the table, in units that people read; the budget alone where no plan keeps to it."""
    show_budget = words.size if unit == "bytes" else words.number
    budget = f"{point['percent']:g} % · {show_budget(point['budget'])}"
    if point["reason"]:
        return [budget]
    moved = [words.number(point["data_moves"]), words.size(point["bytes_moved"])]
    show = words.number if goal in words.SQUARED else partial(words.written, goal)
    spread = " to ".join(dict.fromkeys(show(point[end]) for end in ("least", "most")))
    level = words.written(goal, point["value"], point.get("apart"))
    more = others(point, goal)
    return [budget, *moved, spread, level, at_best(point, goal), *([more] if more else [])]


def at_best(point: Mapping[str, Any], goal: str) -> str:
    """What no plan within the budget is below."""
    if point["value"] == point["lower_bound"]:
        return "the same"
    return "may be more level" if goal in words.SQUARED else words.written(goal, point["lower_bound"])


def others(point: Mapping[str, Any], goal: str) -> str:
    """The levels of the other loads, in their order: ``leaders 0, network-in 3 GiB/s``."""
    counted = ("replicas", "leaders")
    return ", ".join(
        f"{load} {words.number(value) if load in counted else words.written(load, value)}"
        for load, (value, _) in levels_of(point).items()
        if load != goal
    )


def levels_of(point: Mapping[str, Any]) -> Mapping[str, Any]:
    """Value and bound of each load of the mix; of points that an earlier version wrote none."""
    return point.get("levels") or {}


def knee_words(point: Mapping[str, Any], unit: str) -> str:
    """Where more begins to buy less: ``50 % (225 moves); up to there a move levels more than ...``."""
    moved = words.size(point["bytes_moved"]) if unit == "bytes" else words.plural(point["data_moves"], "move")
    what = "a byte" if unit == "bytes" else "a move"
    buys = f"up to there {what} levels more than on average"
    return f"{point['percent']:g} % ({moved}); {buys}"


def still_words(reached: Sequence[Mapping[str, Any]]) -> str:
    """That there is nothing to budget, "" where there is."""
    moves = any(point["data_moves"] for point in reached)
    return "" if moves or len(reached) != 1 or reached[0]["percent"] < 100 else STILL


STILL = "Without a budget nothing is moved either, so every budget gives this."


def chart(
    points: Sequence[Mapping[str, Any]], goal: str, unit: str, knee: float | None = None
) -> dict[str, Any]:
    """What is reached against what is moved, with the point where more buys less.

    The bound is drawn too where it is the same kind of figure.
    """
    moved = "bytes_moved" if unit == "bytes" else "data_moves"
    apart = all_apart(points)
    level = "apart" if apart else "value"
    knee_mark = () if knee is None else ("The knee is a diamond.",)
    bound = {} if apart else {"lower_bound": [point["lower_bound"] for point in points]}
    return {
        "id": "frontier",
        "kind": "curve",
        "title": f"What is moved and what is reached: {words.goal_title(goal).lower()}",
        "name_x": "bytes moved" if unit == "bytes" else "data moves",
        "unit_x": "bytes" if unit == "bytes" else "count",
        "name_y": "replicas apart" if apart else "outside the band",
        "unit_y": "count" if goal in words.SQUARED else "bytes",
        "ours": f"{points[-1]['percent']:g} %",
        "points": [[point[moved], point[level], f"{point['percent']:g} %"] for point in points],
        **bound,
        "knee": "" if knee is None else f"{knee:g} %",
        "caption": " ".join(
            ["Left is cheaper, lower is better.", *knee_mark, bound_words(points, apart=apart)]
        ),
    }


def bound_words(points: Sequence[Mapping[str, Any]], *, apart: bool) -> str:
    """What is proved of the points."""
    if all(point["value"] == point["lower_bound"] for point in points):
        return "It is proved that no plan within a budget is more level."
    if apart:
        return "For some budgets a more level plan may exist."
    return "Dashed: no plan within a budget is below."
