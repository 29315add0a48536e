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
from typing import Any

import numpy as np

from equipoise.cluster import measures
from equipoise.cluster.brokers import IntArray
from equipoise.planning import goals as measure
from equipoise.planning.problem import Problem
from equipoise.planning.program import Program

Int64 = measure.Int64
MOST_UNITS = 6
"""Farthest distance that is counted unit by unit, for its bounds; farther ones would be many variables."""


class Model(Program):
    """The program, and each goal as a sum of its variables."""

    def __init__(self, problem: Problem, goals: tuple[str, ...]) -> None:
        super().__init__(problem, goals)
        self.reach = 0
        """How far a count may be from its band in the goal that is being written."""
        self.rows_of: dict[int | None, list[int]] = {None: self.rows}
        for row in self.rows:
            self.rows_of.setdefault(int(problem.cluster.topic_idx[row]), []).append(row)

    def measured(self, lists: IntArray, goal: str) -> int:
        """What a goal measures on lists."""
        return measure.evaluate(self.problem, lists, goal)

    def hold(self, goal: str, most: int) -> Any:
        """Keep a goal at a value or below; returns the goal, as it counts within that value."""
        self.reach = isqrt(most)
        value = getattr(self, "value_of_" + goal.replace("-", "_"))()
        self.add(value <= most)
        return value

    # counts

    def holding(self, b: int, topic: int | None = None) -> list[Any]:
        """A variable for each partition (of a topic) that may stand on a broker."""
        rows = self.rows_of.get(topic, [])
        return [self.held[row, b] for row in rows if (row, b) in self.held]

    def placed(self, b: int, k: int, topic: int | None = None) -> list[Any]:
        """A variable for each partition (of a topic) that may have a broker at position ``k``."""
        rows = self.rows_of.get(topic, [])
        return [self.at[row, b, k] for row in rows if (row, b, k) in self.at]

    def number(self, counted: Sequence[Any]) -> Any:
        """How many of the variables are 1, as a variable that the solver can branch on."""
        number = self.cp.new_int_var(0, len(counted), "")
        self.add(number == sum(counted))
        return number

    def squared(self, counted: Sequence[Any], base: int, low: int, high: int) -> Any:
        """Squared distance from a band of ``base`` and as many as there are 1 among the variables."""
        return self.outside(base + sum(counted), base, base + len(counted), low, high)

    def outside(self, count: Any, least: int, most: int, low: int, high: int) -> Any:
        """Squared distance of a count, ``least`` to ``most``, from its band."""
        below, above = min(low - least, self.reach), min(most - high, self.reach)
        if max(below, above) > MOST_UNITS:
            return self.by_tangents(count, max(below, above), low, high)
        units = self.units(below), self.units(above)
        self.keep(count + sum(units[0]) - sum(units[1]), low, high)
        return sum((2 * j + 1) * unit for side in units for j, unit in enumerate(side))

    def units(self, most: int) -> list[Any]:
        """Variables of which the first d are 1 for a distance of d."""
        units = [self.cp.new_bool_var("") for _ in range(most)]
        for one, next_ in pairwise(units):
            self.add(one >= next_)
        return units

    def by_tangents(self, count: Any, farthest: int, low: int, high: int) -> Any:
        """A variable that is at least the squared distance, by its tangents at whole numbers."""
        distance = self.cp.new_int_var(0, farthest, "")
        squared = self.cp.new_int_var(0, farthest**2, "")
        self.add(distance >= low - count)
        self.add(distance >= count - high)
        for k in range(farthest):
            self.add(squared >= (2 * k + 1) * distance - k * (k + 1))
        return squared

    def level(self, counted: Callable[[int], list[Any]], base: Int64, among: Any, total: int) -> Any:
        """Squared distances of the brokers' counts from their shares of a total."""
        low, high = measure.open_band(total, measure.weights(self.problem, among))
        return self.within(counted, base, among, low, high)

    def within(
        self, counted: Callable[[int], list[Any]], base: Int64, among: Any, low: Int64, high: Int64
    ) -> Any:
        """Squared distances of the counts of some brokers from their bands."""
        return sum(
            self.squared(counted(b), int(base[b]), int(low[b]), int(high[b]))
            for b in np.flatnonzero(among).tolist()
        )

    # what partitions that may not change add

    def fixed(self) -> IntArray:
        """The lists of partitions that may not change."""
        return self.problem.current[~self.problem.movable]

    def fixed_at(self, k: int | None) -> Int64:
        """``(n_brokers,)``: how many of them have a broker at position ``k``, None: anywhere."""
        lists = self.fixed()[:, slice(None) if k is None else slice(k, k + 1)]
        return np.bincount(lists[lists >= 0], minlength=self.problem.cluster.n_brokers)

    # the goals, as `goals.evaluate` counts them

    def value_of_racks(self) -> Any:
        return sum(self.excess(row, rack) for row in self.rows for rack in range(self.problem.n_racks))

    def excess(self, row: int, rack: int) -> Any:
        """Replicas of a partition above the limit of a rack."""
        inside, limit = self.inside(row, rack), int(self.problem.limit[row])
        over = [self.cp.new_bool_var("") for _ in inside[limit:]]
        if over:
            self.add(sum(inside) - sum(over) <= limit)
        return sum(over)

    def value_of_moves(self) -> Any:
        return sum(self.arrivals(row) for row in self.rows)

    def value_of_elections(self) -> Any:
        """One for each partition that had a leader and is no longer led by it."""
        return sum(1 - self.at.get((row, self.before[row][0], 0), 0) for row in self.rows if self.before[row])

    def value_of_replicas(self) -> Any:
        problem, base = self.problem, self.fixed_at(None)
        total = int(base[problem.eligible].sum() + problem.rf[self.rows].sum())
        weight = measure.weights(problem, problem.eligible)
        low, high = measure.open_band(total, weight, problem.request.tolerance or (0.0, 0.0))
        return self.within(self.holding, base, problem.eligible, low, high)

    def value_of_topics(self) -> Any:
        problem = self.problem
        row, position = np.nonzero((problem.current >= 0) & ~problem.movable[:, None])
        base = measure.table(problem, row, problem.current[row, position])
        return self.by_topic(self.holding, base, problem.eligible, problem.rf)

    def value_of_topic_leaders(self) -> Any:
        problem, fixed = self.problem, np.flatnonzero(~self.problem.movable)
        base = measure.table(problem, fixed, problem.current[fixed, 0])
        return self.by_topic(partial(self.placed, k=0), base, problem.leads, np.ones_like(problem.rf))

    def by_topic(self, counted: Callable[..., list[Any]], base: Int64, among: Any, size: IntArray) -> Any:
        """`level` topic by topic; ``size`` is what each partition adds to the total."""
        terms = []
        for topic in range(len(self.problem.cluster.topics)):
            total = int(base[topic][among].sum() + size[self.rows_of.get(topic, [])].sum())
            terms.append(self.level(partial(counted, topic=topic), base[topic], among, total))
        return sum(terms)

    def value_of_leaders(self) -> Any:
        base, leads = self.fixed_at(0), self.problem.leads
        return self.level(partial(self.placed, k=0), base, leads, int(base[leads].sum()) + len(self.rows))

    def value_of_rack_leaders(self) -> Any:
        problem, base = self.problem, self.fixed_at(0)
        weight = np.bincount(
            problem.rack_idx, weights=measure.weights(problem, problem.leads), minlength=problem.n_racks
        ).astype(np.int64)
        low, high = measure.open_band(int(base[problem.leads].sum()) + len(self.rows), weight)
        terms = []
        for rack in range(problem.n_racks):
            members = np.flatnonzero(problem.rack_idx == rack).tolist()
            counted = [var for b in members for var in self.placed(b, 0)]
            terms.append(self.squared(counted, int(base[members].sum()), int(low[rack]), int(high[rack])))
        return sum(terms)

    def value_of_failover(self) -> Any:
        problem, n = self.problem, self.problem.cluster.n_brokers
        base, after = self.fixed_at(0), measures.failover_leaders(self.fixed(), n)
        low, high = measure.failover_bands(problem, int(base[problem.leads].sum()) + len(self.rows))
        led = [self.number(self.placed(b, 0)) for b in range(n)]
        inherited = self.inherited()
        terms = []
        for lost in np.flatnonzero(problem.leads).tolist():
            for b in (b for b in range(n) if b != lost):
                least = int(after[lost, b])
                count = least + led[b] + inherited.get((lost, b), 0)
                most, band = least + len(self.rows), (int(low[lost, b]), int(high[lost, b]))
                terms.append(self.outside(count, least, most, *band))
        return sum(terms)

    def inherited(self) -> dict[tuple[int, int], Any]:
        """For each pair of brokers, how many partitions have this leader and this first follower."""
        heirs, brokers = self.heirs(), range(self.problem.cluster.n_brokers)
        number = {pair: self.number(some) for pair, some in heirs.items()}
        followed = [row for row in self.rows if self.problem.rf[row] > 1]
        for b in brokers:  # said for each partition already; said of the numbers, it bounds better
            led = sum(self.at.get((row, b, 0), 0) for row in followed)
            self.add(sum(number.get((b, other), 0) for other in brokers) == led)
            self.add(sum(number.get((other, b), 0) for other in brokers) == sum(self.placed(b, 1)))
        return number

    def heirs(self) -> dict[tuple[int, int], list[Any]]:
        """For each pair of brokers, variables for the partitions with this leader and this first follower."""
        heirs: dict[tuple[int, int], list[Any]] = {}
        for row in self.rows:
            first, second = (
                {b: self.at[row, b, k] for b in self.allowed[row] if (row, b, k) in self.at} for k in (0, 1)
            )
            pair = {(a, b): self.cp.new_bool_var("") for a in first for b in second if a != b}
            for side, ends in enumerate((first, second) if second else ()):
                for b, var in ends.items():
                    self.add(sum(pair[key] for key in pair if key[side] == b) == var)
            for key, var in pair.items():
                heirs.setdefault(key, []).append(var)
        return heirs

    def value_of_positions(self) -> Any:
        problem, terms = self.problem, []
        for k in range(1, max(self.depth, problem.current.shape[1])):
            base = self.fixed_at(k)
            total = int(base[problem.eligible].sum() + (problem.rf[self.rows] > k).sum())
            terms.append(self.level(partial(self.placed, k=k), base, problem.eligible, total))
        return sum(terms)

    def value_of_reorders(self) -> Any:
        return sum(self.reorder(row) for row in self.rows if len(self.before[row]) == self.problem.rf[row])

    def reorder(self, row: int) -> Any:
        """1 where every broker of a partition stays and one of the positions decided differs."""
        before, reorder = self.before[row], self.cp.new_bool_var("")
        stays = sum(self.held.get((row, b), 0) for b in before) - len(before)
        for k in range(min(self.depth, len(before))):
            self.add(reorder >= stays + 1 - self.at.get((row, before[k], k), 0))
        return reorder
