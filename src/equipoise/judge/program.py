"""The 0-1 program of a small cluster, written down from the rules and from what the goals measure.

The rules come first, then what every goal counts, goal by goal, each kept to its value for those after it.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import isqrt

from equipoise.judge.counting import Counting
from equipoise.judge.goals.registry import goal_of
from equipoise.judge.sheet import Sum
from equipoise.judge.violations import Case


class Program(Counting):
    """The rules as rows, and goals as sums."""

    def __init__(self, case: Case, goals: Sequence[str]) -> None:
        """``goals``: all that it will be asked to hold; names of others raise ``ValueError``."""
        most_rf = int(case.rules.rf[case.rules.movable].max(initial=1))
        super().__init__(case, max((goal_of(name).positions(most_rf) for name in goals), default=1))

    def hold(self, goal: str, value: int) -> Sum:
        """What a goal counts, as far as it may within ``value``; from here on it has to."""
        self.reach = isqrt(value)
        counted = goal_of(goal).counted(self)
        self.sheet.row(counted.terms, most=value - counted.constant)
        return counted
