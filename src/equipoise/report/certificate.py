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
            "standing": standing(level),
            "told": told(level),
            "proof": level.proof,
            "proof_words": words.proof(level.proof, reached=level.gap == 0),
            "note": "; ".join(filter(None, [level.note, anywhere(level)])),
        }
        for level in levels
    ]


def standing(level: Level) -> str:
    """How sure the best is at one goal, after the goals before it.

    "proved": no plan does better; "placement": no order of the lists does better where the replicas
    stand; "gap": the bound is not reached; "none": there is no bound.
    """
    if level.proof == "none":
        return "none"
    if level.gap > 0:
        return "gap"
    return "placement" if level.proof == "given-placement" else "proved"


def anywhere(level: Level) -> str:
    """How near the plan is to the best of any placement, "" where that is not known."""
    if level.anywhere is None or level.distance is None:
        return ""
    best = words.number(level.anywhere, 2)
    return f"within {words.percent(level.distance)} of any placement's best ({best} or more)"


def told(level: Level) -> str:
    """The same in a word or two."""
    return {
        "proved": "proved",
        "placement": "best for this placement",
        "gap": f"gap {words.percent(level.gap)}",
        "none": "not proved",
    }[standing(level)]


def verdict(levels: Sequence[Level]) -> dict[str, str]:
    """The badge and its sentence; ``state`` is "best", "near" or "none"."""
    at = {
        name: [level for level in levels if standing(level) == name]
        for name in ("proved", "placement", "gap", "none")
    }
    if len(at["none"]) == len(levels):
        sentence = "This strategy proves nothing: how far its plan is from the best is not known."
        return {"state": "none", "badge": "no proof", "sentence": sentence}
    reached = f"{len(at['proved'])} of {len(levels)} goals are proved best"
    if at["none"]:
        return {"state": "near", "badge": "not all proved", "sentence": f"{reached}."}
    if at["gap"]:
        worst = max(at["gap"], key=lambda level: level.gap)
        distance = words.percent(worst.gap)
        sentence = f"{reached}; at “{worst.goal}” the plan is within {distance} of what any plan could reach."
        return {"state": "near", "badge": f"within {distance} of best", "sentence": sentence}
    if at["placement"]:
        goals = ", ".join(level.goal for level in at["placement"])
        sentence = f"{reached}; {goals}: best for where the replicas then stand."
        return {"state": "best", "badge": "best for its placement", "sentence": sentence}
    goals = f"any of the {len(levels)} goals, taken in this order" if len(levels) > 1 else "this goal"
    return {"state": "best", "badge": "proved best", "sentence": f"No plan does better at {goals}."}
