"""The value of any goal that a certificate may have."""

from __future__ import annotations

from equipoise.judge.goals.registry import GOALS
from equipoise.judge.loads import load_value
from equipoise.judge.violations import Case


def recount(goal: str, case: Case) -> int | None:
    """The value as counted here; None where lists and sources do not tell it."""
    value = GOALS[goal].value(case) if goal in GOALS else None
    return load_value(goal, case) if value is None else value
