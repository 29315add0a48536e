"""The 0-1 program of a small cluster, written down from the rules and from what the goals measure.

The rules come first, then what every goal counts, goal by goal, each kept to its value for those after it.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import isqrt

import numpy as np

from equipoise.judge.counting import Counting
from equipoise.judge.goals.registry import goal_of
from equipoise.judge.loads import COUNTED, leads, load_of
from equipoise.judge.rows import ones
from equipoise.judge.sheet import Sum
from equipoise.judge.violations import Case


class Program(Counting):
    """The rules as rows, and goals as sums."""

    def __init__(self, case: Case, goals: Sequence[str]) -> None:
        """``goals``: all that it will be asked to hold; names of others raise ``ValueError``."""
        most_rf = int(case.rules.rf[case.rules.movable].max(initial=1))
        known = [goal_of(name) for name in goals if not weighs(case, name)]
        super().__init__(case, max((goal.positions(most_rf) for goal in known), default=1))

    def hold(self, goal: str, value: int) -> Sum:
        """What a goal counts, as far as it may within ``value``; from here on it has to."""
        self.reach = isqrt(value)
        counted = self.load(goal) if weighs(self.case, goal) else goal_of(goal).counted(self)
        self.sheet.row(counted.terms, most=value - counted.constant)
        return counted

    def load(self, name: str) -> Sum:
        """What lies outside the bands of a load: a column for each broker, as far as that is or more."""
        load, distances = load_of(self.case, name), list[int]()
        fixed = np.where(self.rules.movable[:, None], -1, self.rules.base)
        still = load.held(fixed).tolist()
        free = int(load.weight[self.rules.movable].sum())
        for b in np.flatnonzero(load.banded).tolist():
            low, high = int(load.low[b]), int(load.high[b])
            own = (self.at.get((row, b, 0)) if leads(name) else self.held.get((row, b)) for row in self.rows)
            weights = load.weight[self.rows].tolist()
            bears = [(column, w) for column, w in zip(own, weights, strict=True) if column is not None]
            # The two rows ask for no less than what is outside; the least of the goal asks for no more. So
            # any bound does that is no less than what a broker could be off.
            distances.append(self.sheet.column(still[b] + free + high))
            self.sheet.row([(distances[-1], 1), *((c, -w) for c, w in bears)], least=still[b] - high)
            self.sheet.row([(distances[-1], 1), *bears], least=low - still[b])
        return Sum(ones(distances))


def weighs(case: Case, goal: str) -> bool:
    """True for a goal that is a load, and not a count of squares."""
    return goal in case.rules.loads and goal not in COUNTED
