"""What goals count, as sums of the columns of a 0-1 program."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import numpy as np
import numpy.typing as npt

from equipoise.cluster.brokers import IntArray
from equipoise.judge.bands import shares, weights
from equipoise.judge.rows import Rows, ones
from equipoise.judge.sheet import Sum, Terms
from equipoise.judge.violations import Case

Int64 = npt.NDArray[np.int64]
BoolArray = npt.NDArray[np.bool_]
MOST_UNITS = 6
"""Farthest distance from a band that is counted unit by unit, each with a column."""


class Counting(Rows):
    """Counts of brokers, and their squared distances from bands."""

    def __init__(self, case: Case, depth: int) -> None:
        super().__init__(case, depth)
        self.reach = 0
        """How far a count may be from its band in the goal that is being written."""
        self.rows_of: dict[int | None, list[int]] = {None: self.rows}
        """Rows of each topic, None: of all."""
        for row in self.rows:
            self.rows_of.setdefault(int(case.cluster.topic_idx[row]), []).append(row)

    def holding(self, b: int, topic: int | None = None) -> list[int]:
        return [self.held[row, b] for row in self.rows_of.get(topic, []) if (row, b) in self.held]

    def placed(self, b: int, topic: int | None = None, k: int = 0) -> list[int]:
        return [self.at[row, b, k] for row in self.rows_of.get(topic, []) if (row, b, k) in self.at]

    def number(self, counted: Sequence[int]) -> int:
        """A column for how many of some are 1."""
        number = self.sheet.column(len(counted))
        self.sheet.row([(number, 1), *ones(counted, -1)], 0, 0)
        return number

    def outside(self, count: Sum, most: int, low: int, high: int) -> Terms:
        """Squared distance from a band of a count, from its constant to ``most``."""
        below, above = min(low - count.constant, self.reach), min(most - high, self.reach)
        if max(below, above) > MOST_UNITS:
            return self.by_tangents(count, max(below, above), low, high)
        under, over = self.units(below), self.units(above)
        terms = [*count.terms, *ones(under), *ones(over, -1)]
        self.sheet.row(terms, low - count.constant, high - count.constant)
        return [(unit, 2 * j + 1) for side in (under, over) for j, unit in enumerate(side)]

    def units(self, most: int) -> list[int]:
        """Columns of which the first d are 1 for a distance of d: the j-th costs 2 j - 1."""
        units = [self.sheet.column() for _ in range(most)]
        for k in range(1, len(units)):
            self.sheet.row([(units[k - 1], 1), (units[k], -1)], least=0)
        return units

    def by_tangents(self, count: Sum, farthest: int, low: int, high: int) -> Terms:
        """A column that is at least the squared distance, by the tangents of the square at whole numbers."""
        distance, squared = self.sheet.column(farthest), self.sheet.column(farthest**2)
        self.sheet.row([(distance, 1), *count.terms], least=low - count.constant)
        self.sheet.row([(distance, 1), *((c, -f) for c, f in count.terms)], least=count.constant - high)
        for k in range(farthest):
            self.sheet.row([(squared, 1), (distance, -(2 * k + 1))], least=-k * (k + 1))
        return [(squared, 1)]

    def level(
        self, counted: Callable[[int], list[int]], base: Int64, among: BoolArray, bands: tuple[Int64, Int64]
    ) -> Terms:
        """Squared distances of the counts of brokers ``among`` all from their ``bands``."""
        terms: Terms = []
        for b, low, high in zip(np.flatnonzero(among).tolist(), *bands, strict=True):
            columns, least = counted(b), int(base[b])
            terms += self.outside(Sum(ones(columns), least), least + len(columns), int(low), int(high))
        return terms

    # what partitions that may not change add

    def fixed(self) -> IntArray:
        return self.case.before[~self.rules.movable]

    def fixed_at(self, k: int | None) -> Int64:
        """How many of them each broker has at a position, None: anywhere."""
        lists = self.fixed()[:, slice(None) if k is None else slice(k, k + 1)]
        return np.bincount(lists[lists >= 0], minlength=self.case.cluster.n_brokers).astype(np.int64)

    def by_topic(
        self, counted: Callable[..., list[int]], fixed: IntArray, among: BoolArray, size: IntArray
    ) -> Sum:
        """`level` topic by topic; ``size`` is what each partition adds to its topic."""
        cluster, terms = self.case.cluster, list[tuple[int, int]]()
        topic_idx, weight = cluster.topic_idx[~self.rules.movable], weights(self.case, among)
        for topic in range(len(cluster.topics)):
            lists = fixed[topic_idx == topic]
            base = np.bincount(lists[lists >= 0], minlength=cluster.n_brokers).astype(np.int64)
            total = int(base[among].sum() + size[self.rows_of.get(topic, [])].sum())
            terms += self.level(partial(counted, topic=topic), base, among, shares(total, weight))
        return Sum(terms)
