"""The 0-1 program of a small cluster, written down from the rules and from what the goals measure.

A column for each partition and broker that may hold it, and for each of the positions that goals ask
about; then what every goal counts, goal by goal, each kept to its value for those after it. Numbers of
rows and columns are those of the planner's program, to whose rows the prices of a certificate belong.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from math import isqrt

import numpy as np
import numpy.typing as npt

from equipoise.cluster import measures
from equipoise.cluster.brokers import IntArray
from equipoise.judge.goals import failover_shares, shares, weights, widened
from equipoise.judge.rules import rack_limits
from equipoise.judge.sheet import Sheet, Sum, Terms
from equipoise.judge.violations import Case

Int64 = npt.NDArray[np.int64]
BoolArray = npt.NDArray[np.bool_]
ANYTHING = 2**40
MOST_UNITS = 6
"""Farthest distance from a band that is counted unit by unit, each with a column."""


def ones(columns: Sequence[int], factor: int = 1) -> Terms:
    return [(column, factor) for column in columns]


class Program:
    """The rules as rows, and goals as sums."""

    def __init__(self, case: Case, goals: Sequence[str]) -> None:
        self.case, self.rules, self.sheet = case, case.rules, Sheet()
        self.rows: list[int] = np.flatnonzero(case.rules.movable).tolist()
        self.before = {row: [b for b in case.before[row].tolist() if b >= 0] for row in self.rows}
        self.current = {row: [b for b in case.rules.base[row].tolist() if b >= 0] for row in self.rows}
        self.allowed = {row: self.brokers_for(row) for row in self.rows}
        self.n_racks = len(case.cluster.brokers.rack_names)
        self.limit = rack_limits(
            case.cluster.brokers, case.rules.eligible, case.rules.rf, strict=case.rules.strict_racks
        )
        self.depth = 2 if "failover" in goals else 1
        if "positions" in goals:
            self.depth = int(case.rules.rf[self.rows].max(initial=1))
        self.rows_of: dict[int | None, list[int]] = {None: self.rows}
        for row in self.rows:
            self.rows_of.setdefault(int(case.cluster.topic_idx[row]), []).append(row)
        self.held: dict[tuple[int, int], int] = {}
        self.at: dict[tuple[int, int, int], int] = {}
        self.reach = 0
        """How far a count may be from its band in the goal that is being written."""
        for row in self.rows:
            self.partition(row)
        self.budgets()

    # the rules

    def brokers_for(self, row: int) -> list[int]:
        """Brokers that may hold a partition."""
        current, rules = self.current[row], self.rules
        if rules.leaders_only:
            return current
        may = rules.eligible & (rules.leads | (rules.rf[row] > 1))
        return [b for b in np.flatnonzero(may).tolist() if b in current or rules.receives[b]]

    def partition(self, row: int) -> None:
        """Who holds it and who stands where, as often as it has replicas."""
        sheet, rf, allowed = self.sheet, int(self.rules.rf[row]), self.allowed[row]
        for b in allowed:
            self.held[row, b] = sheet.column()
        sheet.row(ones([self.held[row, b] for b in allowed]), rf, rf)
        for k in range(min(self.depth, rf)):
            for b in allowed:
                if k > 0 or self.rules.leads[b]:
                    self.at[row, b, k] = sheet.column()
            sheet.row(ones(self.standing(row, allowed, [k])), 1, 1)
        for b in allowed:
            stands = self.standing(row, [b], range(min(self.depth, rf)))
            sheet.row([*ones(stands), (self.held[row, b], -1)], most=0)
        for b in self.rules.base[row][self.rules.pinned[row]].tolist():
            sheet.row(ones([self.held[row, b]] if (row, b) in self.held else []), 1, 1)
        self.racks_of(row)
        if self.rules.max_changes_per_partition is not None:
            sheet.row(ones(self.arrivals(row)), most=self.rules.max_changes_per_partition)

    def standing(self, row: int, brokers: Sequence[int], positions: Sequence[int]) -> list[int]:
        return [self.at[row, b, k] for b in brokers for k in positions if (row, b, k) in self.at]

    def racks_of(self, row: int) -> None:
        """The rack rule, which a partition that breaks it may keep breaking, and ``--stay-in-rack``."""
        if self.n_racks == 1:
            return
        rack_idx = self.case.cluster.brokers.rack_idx
        now = np.bincount(rack_idx[self.current[row]], minlength=self.n_racks).tolist()
        growth = int(self.rules.rf[row]) - sum(now)
        for rack, count in enumerate(now):
            inside = ones(self.inside(row, rack))
            kept = 0 if self.rules.strict_racks else count
            self.sheet.row(inside, most=max(int(self.limit[row]), kept))
            if self.rules.stay_in_rack and growth >= 0:
                self.sheet.row(inside, least=count)
            if self.rules.stay_in_rack and growth <= 0:
                self.sheet.row(inside, most=count)

    def inside(self, row: int, rack: int) -> list[int]:
        rack_idx = self.case.cluster.brokers.rack_idx
        return [self.held[row, b] for b in self.allowed[row] if rack_idx[b] == rack]

    def arrivals(self, row: int) -> list[int]:
        """Columns that are data moves: those of a partition that is created are none."""
        before = self.before[row]
        return [self.held[row, b] for b in self.allowed[row] if b not in before] if before else []

    def budgets(self) -> None:
        rules = self.rules
        if rules.max_moves is not None:
            self.sheet.row(self.moves().terms, most=rules.max_moves)
        if rules.max_bytes is not None:
            size = np.nan_to_num(self.case.cluster.size_bytes)
            carried = [(new, int(size[row])) for row in self.rows for new in self.arrivals(row)]
            self.sheet.row(carried, most=rules.max_bytes)

    # counts

    def hold(self, goal: str, value: int) -> Sum:
        """What a goal counts, as far as it may within ``value``; from here on it has to.

        Raises ``ValueError`` for a goal that is none.
        """
        if goal not in COUNTED:
            raise ValueError(f"{goal} is not counted")
        self.reach = isqrt(value)
        counted = COUNTED[goal](self)
        self.sheet.row(counted.terms, most=value - counted.constant)
        return counted

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

    # the goals

    def racks(self) -> Sum:
        terms: Terms = []
        for row in self.rows:
            for rack in range(self.n_racks):
                inside, limit = self.inside(row, rack), int(self.limit[row])
                over = [self.sheet.column() for _ in inside[limit:]]
                if over:
                    self.sheet.row([*ones(inside), *ones(over, -1)], most=limit)
                terms += ones(over)
        return Sum(terms)

    def moves(self) -> Sum:
        return Sum([new for row in self.rows for new in ones(self.arrivals(row))])

    def elections(self) -> Sum:
        led = [row for row in self.rows if self.before[row]]
        kept = [column for row in led for column in self.standing(row, self.before[row][:1], [0])]
        return Sum(ones(kept, -1), len(led))

    def replicas(self) -> Sum:
        base, eligible = self.fixed_at(None), self.rules.eligible
        total = int(base[eligible].sum() + self.rules.rf[self.rows].sum())
        weight = weights(self.case, eligible)
        below, above = (round(side * 1000) for side in self.rules.tolerance)
        bands = widened(total, weight, below, above) if below or above else shares(total, weight)
        return Sum(self.level(self.holding, base, eligible, bands))

    def topics(self) -> Sum:
        return self.by_topic(self.holding, self.fixed(), self.rules.eligible, self.rules.rf)

    def topic_leaders(self) -> Sum:
        one = np.ones_like(self.rules.rf)
        return self.by_topic(self.placed, self.fixed()[:, :1], self.rules.leads, one)

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

    def leaders(self) -> Sum:
        base, leads = self.fixed_at(0), self.rules.leads
        total = int(base[leads].sum()) + len(self.rows)
        return Sum(self.level(self.placed, base, leads, shares(total, weights(self.case, leads))))

    def rack_leaders(self) -> Sum:
        brokers, base, leads = self.case.cluster.brokers, self.fixed_at(0), self.rules.leads
        weight = np.zeros(self.n_racks, dtype=np.int64)
        np.add.at(weight, brokers.rack_idx[leads], weights(self.case, leads))
        lows, highs = shares(int(base[leads].sum()) + len(self.rows), weight)
        terms: Terms = []
        for rack in range(self.n_racks):
            members = np.flatnonzero(brokers.rack_idx == rack).tolist()
            columns = [column for b in members for column in self.placed(b)]
            least = int(base[members].sum())
            high = int(highs[rack]) if weight[rack] else ANYTHING
            terms += self.outside(Sum(ones(columns), least), least + len(columns), int(lows[rack]), high)
        return Sum(terms)

    def failover(self) -> Sum:
        n, leads = self.case.cluster.n_brokers, self.rules.leads
        after = measures.failover_leaders(self.fixed(), n)
        total = int(self.fixed_at(0)[leads].sum()) + len(self.rows)
        led = [self.number(self.placed(b)) for b in range(n)]
        inherited = self.inherited()
        terms: Terms = []
        counted, low, high = failover_shares(self.case, total)
        high = np.where(counted, high, ANYTHING)
        for lost in np.flatnonzero(leads).tolist():
            for b in (b for b in range(n) if b != lost):
                columns = [led[b], *([inherited[lost, b]] if (lost, b) in inherited else [])]
                count = Sum(ones(columns), int(after[lost, b]))
                band = int(low[lost, b]), int(high[lost, b])
                terms += self.outside(count, count.constant + len(self.rows), *band)
        return Sum(terms)

    def inherited(self) -> dict[tuple[int, int], int]:
        """For each pair of brokers, how many partitions have this leader and this first follower."""
        heirs, brokers = self.heirs(), range(self.case.cluster.n_brokers)
        number = {pair: self.number(some) for pair, some in heirs.items()}
        followed = [row for row in self.rows if self.rules.rf[row] > 1]
        for b in brokers:
            led = [self.at[row, b, 0] for row in followed if (row, b, 0) in self.at]
            gives = [number[b, other] for other in brokers if (b, other) in number]
            takes = [number[other, b] for other in brokers if (other, b) in number]
            self.sheet.row([*ones(gives), *ones(led, -1)], 0, 0)
            self.sheet.row([*ones(takes), *ones(self.placed(b, k=1), -1)], 0, 0)
        return number

    def heirs(self) -> dict[tuple[int, int], list[int]]:
        """For each pair of brokers, columns for the partitions with this leader and this first follower."""
        heirs: dict[tuple[int, int], list[int]] = {}
        for row in self.rows:
            first, second = (
                {b: self.at[row, b, k] for b in self.allowed[row] if (row, b, k) in self.at} for k in (0, 1)
            )
            pair = {(a, b): self.sheet.column() for a in first for b in second if a != b}
            for side, ends in enumerate((first, second) if second else ()):
                for b, column in ends.items():
                    some = [pair[key] for key in pair if key[side] == b]
                    self.sheet.row([*ones(some), (column, -1)], 0, 0)
            for key, column in pair.items():
                heirs.setdefault(key, []).append(column)
        return heirs

    def positions(self) -> Sum:
        terms: Terms = []
        eligible = self.rules.eligible
        for k in range(1, max(self.depth, self.rules.base.shape[1])):
            base = self.fixed_at(k)
            total = int(base[eligible].sum() + (self.rules.rf[self.rows] > k).sum())
            bands = shares(total, weights(self.case, eligible))
            terms += self.level(partial(self.placed, k=k), base, eligible, bands)
        return Sum(terms)

    def reorders(self) -> Sum:
        """1 where every broker of a partition stays and one of the positions decided differs."""
        terms: Terms = []
        for row in self.rows:
            before = self.before[row]
            if len(before) != self.rules.rf[row]:
                continue
            reorder = self.sheet.column()
            stay = [self.held[row, b] for b in before if (row, b) in self.held]
            for k in range(min(self.depth, len(before))):
                stands = self.standing(row, [before[k]], [k])
                self.sheet.row([(reorder, 1), *ones(stay, -1), *ones(stands)], least=1 - len(before))
            terms.append((reorder, 1))
        return Sum(terms)


COUNTED: dict[str, Callable[[Program], Sum]] = {
    "racks": Program.racks,
    "replicas": Program.replicas,
    "moves": Program.moves,
    "topics": Program.topics,
    "leaders": Program.leaders,
    "rack-leaders": Program.rack_leaders,
    "elections": Program.elections,
    "topic-leaders": Program.topic_leaders,
    "failover": Program.failover,
    "positions": Program.positions,
    "reorders": Program.reorders,
}
