"""What a comparison comes to, in sentences: ours first, then where the others fall behind."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from equipoise.report import words

Row = Mapping[str, Any]


def verdict(rows: Sequence[Row], ours: str) -> list[str]:
    """Sentences from the rows of `compare_page`; none where no row tells at which goal it falls behind."""
    if all(row.get("falls_behind_at") is None for row in rows):
        return []
    others = [row for row in rows if row["strategy"] != ours]
    own = [of_ours(row) for row in rows if row["strategy"] == ours]
    return [*own, *of_others([row for row in others if not row.get("reason")]), *without_plan(others)]


def of_ours(row: Row) -> str:
    """How good ours is, and what it costs."""
    name = row["strategy"]
    if row.get("reason"):
        return f"{name} found no plan: {row['reason']}."
    moves = words.plural(row["data_moves"], "data move")
    at = row.get("falls_behind_at")
    if at is None:
        return f"{name} takes {moves}; how good that is is not known."
    if at:
        return f"{name} takes {moves}; at {at} it is above what is proved possible."
    return f"{name} takes {moves}, and at every goal no plan does better."


def of_others(rows: Sequence[Row]) -> list[str]:
    """How many fall behind, at which goal first, and who does as well."""
    behind = Counter(row["falls_behind_at"] for row in rows if row.get("falls_behind_at"))
    level = [row["strategy"] for row in rows if row.get("falls_behind_at") == ""]
    told = []
    if behind:
        places = ", ".join(f"{count} at {goal}" for goal, count in behind.most_common())
        many = words.plural(len(rows), "other")
        told.append(f"{behind.total()} of {many} with a plan fall behind: {places}.")
    if level:
        told.append(f"As good at every goal: {', '.join(level)}.")
    return told


def without_plan(rows: Sequence[Row]) -> list[str]:
    """How many found none."""
    none = sum(bool(row.get("reason")) for row in rows)
    return [f"{words.plural(none, 'strategy finds', 'strategies find')} no plan."] if none else []
