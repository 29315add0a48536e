"""Values of the goals, written a second time.

What the planner reaches and what the 0-1 program of `exact.py` reaches are both measured here.
"""

from __future__ import annotations

from tests.reference.counting import Lists
from tests.reference.counting import as_lists as as_lists
from tests.reference.goals.registry import GOALS

from equipoise.planning import Problem


def value(problem: Problem, lists: Lists, goal: str) -> int:
    """The value of one goal for replica lists of broker positions."""
    return GOALS[goal].value(problem, lists)
