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
            "goal": level.goal,
            "title": words.goal_title(level.goal),
            "meaning": words.goal_meaning(level.goal),
            "value": level.value,
            "lower_bound": level.lower_bound,
            "gap": level.gap,
            "proved": is_proved(level),
            "proof": level.proof,
            "proof_words": words.proof(level.proof, reached=is_proved(level)),
            "note": level.note,
        }
        for level in levels
    ]


def is_proved(level: Level) -> bool:
    """True where no plan can do better at this goal, after the goals before it."""
    return level.gap == 0 and level.proof not in ("none", "given-placement")


def verdict(levels: Sequence[Level]) -> dict[str, str]:
    """The badge and its sentence; ``state`` is "best", "near" or "none"."""
    if all(level.proof == "none" for level in levels):
        sentence = "This strategy proves nothing: how far its plan is from the best is not known."
        return {"state": "none", "badge": "no proof", "sentence": sentence}
    open_goals = [level for level in levels if not is_proved(level)]
    if open_goals and all(level.gap == 0 and level.proof == "given-placement" for level in open_goals):
        goals = ", ".join(level.goal for level in open_goals)
        sentence = (
            f"No plan does better at the goals before; {goals}: best for where the replicas then stand."
        )
        return {"state": "best", "badge": "proved best", "sentence": sentence}
    if not open_goals:
        goals = f"any of the {len(levels)} goals, taken in this order" if len(levels) > 1 else "this goal"
        return {"state": "best", "badge": "proved best", "sentence": f"No plan does better at {goals}."}
    worst = max(open_goals, key=lambda level: level.gap)
    told = f"{len(levels) - len(open_goals)} of {len(levels)} goals are proved best"
    if not worst.gap or any(level.proof == "none" for level in open_goals):
        return {"state": "near", "badge": "not all proved", "sentence": f"{told}."}
    distance = words.percent(worst.gap)
    return {
        "state": "near",
        "badge": f"within {distance} of best",
        "sentence": f"{told}; at “{worst.goal}” the plan is within {distance} of what any plan could reach.",
    }
