"""The certificate in words: for each goal what was reached, what could be, and how that is known."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from equipoise.cluster import Level
from equipoise.report import words


def rows(levels: Sequence[Level]) -> list[dict[str, Any]]:
    """One row for each goal, in the order in which they were decided."""
    return [
        {
            "goal": level.goal, "title": words.goal_title(level.goal), "meaning": words.goal_meaning(level.goal),
            "value": level.value, "lower_bound": level.lower_bound, "gap": level.gap,
            "proved": is_proved(level), "proof": level.proof,
            "proof_words": words.proof(level.proof, reached=is_proved(level)), "note": level.note,
        }
        for level in levels
    ]


def is_proved(level: Level) -> bool:
    """True where no plan can do better at this goal, after the goals before it."""
    return level.gap == 0 and level.proof != "none"


def verdict(levels: Sequence[Level]) -> dict[str, Any]:
    """The badge: ``{"state": "best" | "near" | "none", "badge", "sentence"}``."""
    if not levels:
        return {"state": "none", "badge": "no proof",
                "sentence": "This strategy gives no lower bounds: how far the plan is from the best is not known."}
    open_goals = [level for level in levels if not is_proved(level)]
    if not open_goals:
        return {"state": "best", "badge": "proved best",
                "sentence": f"No plan does better at any of the {words.number(len(levels))} goals, taken in this order."
                if len(levels) > 1 else "No plan does better at this goal."}
    worst = max(open_goals, key=lambda level: level.gap)
    proved = len(levels) - len(open_goals)
    return {"state": "near", "badge": f"within {words.percent(worst.gap)} of best" if worst.gap else "not all proved",
            "sentence": f"{proved} of {len(levels)} goals are proved best; at “{worst.goal}” "
                        f"the plan is within {words.percent(worst.gap)} of what any plan could reach."}
