"""What a comparison comes to, in sentences: ours first, then where the others fall behind."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from equipoise.planning.goals.racks import Racks
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
    name = f"Equipoise ({row['strategy']})"
    if row.get("reason"):
        return f"{name} found no plan: {row['reason']}."
    moves = words.plural(row["data_moves"], "data move")
    at = row.get("falls_behind_at")
    if at is None:
        return f"{name} takes {moves}; how good that is is not known."
    if at:
        return f"{name} takes {moves}; at {place(at)} it is above what is proved possible."
    return f"{name} takes {moves}, and at every goal no plan does better."


def of_others(rows: Sequence[Row]) -> list[str]:
    """How many fall behind, at which goal first, and who does as well."""
    behind = Counter(row["falls_behind_at"] for row in rows if row.get("falls_behind_at"))
    level = [row["strategy"] for row in rows if row.get("falls_behind_at") == ""]
    told = []
    if behind:
        places = ", ".join(f"{place(goal)} for {count}" for goal, count in behind.most_common())
        many = words.plural(len(rows), "other")
        all_of = f"All {many}" if behind.total() == len(rows) > 1 else f"{behind.total()} of {many}"
        told.append(f"{all_of} with a plan fall behind; the first goal at which they do is {places}.")
    if level:
        told.append(f"As good at every goal: {', '.join(level)}.")
    return told


def place(goal: str) -> str:
    """``replicas level``, or ``the rack rule``: a goal within a sentence."""
    title = words.goal_title(goal).lower()
    return f"the {title}" if goal == Racks.name else title


def without_plan(rows: Sequence[Row]) -> list[str]:
    """How many found none."""
    none = sum(bool(row.get("reason")) for row in rows)
    return [f"{words.plural(none, 'strategy finds', 'strategies find')} no plan."] if none else []
