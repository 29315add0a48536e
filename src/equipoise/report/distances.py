"""Goals of an assignment beside the best ones, in words for every face."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from equipoise.report import words


def distance_rows(entries: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """For each entry of ``from_optimum`` its goal, both values and how far they differ; ``worse`` or not."""
    return [
        {"goal": entry["goal"], "cells": cells(entry), "worse": entry["distance"] > 0} for entry in entries
    ]


def cells(entry: Mapping[str, Any]) -> list[str]:
    """Here, at best, and the difference; squares are told as how far brokers are apart."""
    goal, off = entry["goal"], entry["distance"]
    here, best = entry.get("apart", (None, None))
    told = words.written(goal, entry["value"], here)
    if off == 0:
        return [told, told, "0"]
    if goal not in words.SQUARED:
        sign = "+" if off > 0 else "−"
        return [told, words.written(goal, entry["optimum"]), sign + words.written(goal, abs(off))]
    level = "less level" if off > 0 else "more level"
    return [told, words.written(goal, entry["optimum"], best), level]
