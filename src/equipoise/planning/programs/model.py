"""What the goals measure, in the 0-1 program of a small cluster.

The solver's bounds rest on linear relaxations, so these are made tight: a small squared distance is a sum of
units of which the j-th costs 2j - 1, a partition's leader and its first follower are one pair, and no count
is farther from its band than the best plan known allows.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from itertools import pairwise
from math import isqrt

import numpy as np

from equipoise.cluster.brokers import IntArray
from equipoise.planning.goals import GOALS
from equipoise.planning.problem.problem import BoolArray, Problem
from equipoise.planning.problem.shares import Int64, open_band, weights
from equipoise.planning.programs.program import Program
from equipoise.planning.programs.rows import Sum, total

MOST_UNITS = 6
"""Farthest distance that is counted unit by unit, for its bounds; farther ones would be many variables.

No limit that could be another: the judge writes the same rows, and has the same number.
"""


class Model(Program):
    """The program, and each goal as a sum of its variables."""

    def __init__(self, problem: Problem, goals: tuple[str, ...]) -> None:
        super().__init__(problem, goals)
        self.reach = 0
        """How far a count may be from its band in the goal that is being written."""
        self.rows_of: dict[int | None, list[int]] = {None: self.rows}
        for row in self.rows:
            self.rows_of.setdefault(int(problem.cluster.topic_idx[row]), []).append(row)

    def hold(self, goal: str, most: int) -> Sum:
        """Keep a goal at a value or below; returns the goal, as it counts within that value."""
        # No distance in a sum of squares within `most` is above its root. With fewer units the relaxation is
        # tighter, and no lists are lost that are as good as the best known.
        self.reach = isqrt(most)
        counted = self.goal_rows(goal)
        self.at_most(counted, most)
        return counted

    def goal_rows(self, goal: str) -> Sum:
        """What a goal counts."""
        return GOALS[goal].rows(self)

    # counts

    def holding(self, b: int, topic: int | None = None) -> list[Sum]:
        """A variable for each partition (of a topic) that may stand on a broker."""
        rows = self.rows_of.get(topic, [])
        return [self.held[row, b] for row in rows if (row, b) in self.held]

    def placed(self, b: int, k: int, topic: int | None = None) -> list[Sum]:
        """A variable for each partition (of a topic) that may have a broker at position ``k``."""
        rows = self.rows_of.get(topic, [])
        return [self.at[row, b, k] for row in rows if (row, b, k) in self.at]

    def number(self, counted: Sequence[Sum]) -> Sum:
        """How many of the variables are 1, as a variable that the solver can branch on."""
        # It says nothing that its parts do not. But a tree that divides a count divides many plans at once,
        # where one that divides single partitions meets the same plans again with like partitions exchanged.
        number = self.column(0, len(counted))
        self.equal(number - total(counted), 0)
        return number

    def squared(self, counted: Sequence[Sum], base: int, low: int, high: int) -> Sum:
        """Squared distance from a band of ``base`` and as many as there are 1 among the variables."""
        return self.outside(base + total(counted), base, base + len(counted), low, high)

    def outside(self, count: Sum, least: int, most: int, low: int, high: int) -> Sum:
        """Squared distance of a count, ``least`` to ``most``, from its band."""
        below, above = min(low - least, self.reach), min(most - high, self.reach)
        # Tangents take two columns at any distance. But both sides share them, and neither side has a reach
        # of its own, so units are taken where they are few.
        if max(below, above) > MOST_UNITS:
            return self.by_tangents(count, max(below, above), low, high)
        units = self.units(below), self.units(above)
        # Units bring the count into its band; d of them cost
        # 1 + 3 + ... + (2d - 1), which is the square of d.
        self.keep(count + total(units[0]) - total(units[1]), low, high)
        return total((2 * j + 1) * unit for side in units for j, unit in enumerate(side))

    def units(self, most: int) -> list[Sum]:
        """Variables of which the first d are 1 for a distance of d."""
        units = [self.column() for _ in range(most)]
        # A least sum takes the cheap ones first by itself. Where the sum is only kept to its value, these
        # rows leave each distance one way to be told, so that a tree does not try it in several.
        for one, next_ in pairwise(units):
            self.at_least(one - next_, 0)
        return units

    def by_tangents(self, count: Sum, farthest: int, low: int, high: int) -> Sum:
        """A variable that is at least the squared distance, by its tangents at whole numbers."""
        distance = self.column(0, farthest)
        squared = self.column(0, farthest**2)
        self.at_least(distance + count, low)
        self.at_least(distance - count, -high)
        # The line through the squares of k and k + 1 has the
        # slope 2k + 1: at whole distances the highest is exact.
        for k in range(farthest):
            self.at_least(squared - (2 * k + 1) * distance, -k * (k + 1))
        return squared

    def level(self, counted: Callable[[int], list[Sum]], base: Int64, among: BoolArray, whole: int) -> Sum:
        """Squared distances of the brokers' counts from their shares of the ``whole``."""
        low, high = open_band(whole, weights(self.problem, among))
        return self.within(counted, base, among, low, high)

    def within(
        self, counted: Callable[[int], list[Sum]], base: Int64, among: BoolArray, low: Int64, high: Int64
    ) -> Sum:
        """Squared distances of the counts of some brokers from their bands."""
        return total(
            self.squared(counted(b), int(base[b]), int(low[b]), int(high[b]))
            for b in np.flatnonzero(among).tolist()
        )

    # what partitions that may not change add

    def fixed(self) -> IntArray:
        """The lists of partitions that may not change."""
        return self.problem.current[~self.problem.movable]

    def fixed_at(self, k: int | None) -> Int64:
        """``(n_brokers,)``: how many of them have a broker at position ``k``, None: anywhere."""
        # They fill bands like all others, though nothing here
        # moves them: shares are of all that a broker holds.
        lists = self.fixed()[:, slice(None) if k is None else slice(k, k + 1)]
        return np.bincount(lists[lists >= 0], minlength=self.problem.cluster.n_brokers)

    # what several goals ask for

    def by_topic(
        self, counted: Callable[..., list[Sum]], base: Int64, among: BoolArray, size: IntArray
    ) -> Sum:
        """`level` topic by topic; ``size`` is what each partition adds to the whole."""
        terms = []
        for topic in range(len(self.problem.cluster.topics)):
            whole = int(base[topic][among].sum() + size[self.rows_of.get(topic, [])].sum())
            terms.append(self.level(partial(counted, topic=topic), base[topic], among, whole))
        return total(terms)

    def inherited(self) -> dict[tuple[int, int], Sum]:
        """For each pair of brokers, how many partitions have this leader and this first follower."""
        pairs_of, brokers = self.pairs(), range(self.problem.cluster.n_brokers)
        number = {pair: self.number(some) for pair, some in pairs_of.items()}
        followed = [row for row in self.rows if self.problem.rf[row] > 1]
        for b in brokers:  # said for each partition already; said of the numbers, it bounds better
            led = total(self.at.get((row, b, 0), 0) for row in followed)
            self.equal(total(number.get((b, other), 0) for other in brokers) - led, 0)
            follows = total(self.placed(b, 1))
            self.equal(total(number.get((other, b), 0) for other in brokers) - follows, 0)
        return number

    def pairs(self) -> dict[tuple[int, int], list[Sum]]:
        """For each pair of brokers, variables for the partitions with this leader and this first follower."""
        pairs_of: dict[tuple[int, int], list[Sum]] = {}
        for row in self.rows:
            first, second = (
                {b: self.at[row, b, k] for b in self.allowed[row] if (row, b, k) in self.at} for k in (0, 1)
            )
            pair = {(a, b): self.column() for a in first for b in second if a != b}
            # Each end is the sum of its pairs. Were a pair only asked to be at
            # least first + second - 1, halves of both would need no pair at
            # all, and the relaxation would say nothing of what is inherited.
            for side, ends in enumerate((first, second) if second else ()):
                for b, var in ends.items():
                    self.equal(total(pair[key] for key in pair if key[side] == b) - var, 0)
            for key, var in pair.items():
                pairs_of.setdefault(key, []).append(var)
        return pairs_of
