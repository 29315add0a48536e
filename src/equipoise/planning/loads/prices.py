"""What no plan can beat, by a price on each load of each broker: a bound that anyone can compute again.

Whatever the prices, a plan pays for each replica its cost and the prices of where it stands, and is paid
back what the bands allow; no plan pays less than if every partition stood where that is cheapest for it alone
(A. M. Geoffrion, "Lagrangean relaxation for integer programming", 1974). The prices come from what each load
alone forces.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import ceil

import numpy as np
import numpy.typing as npt

from equipoise.cluster.brokers import IntArray
from equipoise.cluster.measures import replicas_per_rack
from equipoise.planning.loads.bounds import Cheapest, above, below
from equipoise.planning.loads.weights import Int64, Load, borne, stays
from equipoise.planning.problem.problem import Problem
from equipoise.planning.rules import rack_span

Float64 = npt.NDArray[np.float64]
ROUNDING = 3e-12
"""Relative error of a bound's terms, as the planner allows for it; the judge allows for a third."""
BITS = 40
"""Of a price as it is stored."""
EXACT = 2.0**53
"""Whole numbers below it are sums without rounding."""
ROWS = 50_000
"""Partitions that are looked at together."""


@dataclass(frozen=True, eq=False)
class Priced:
    """A bound, and the prices that prove it."""

    bound: float
    prices: Float64
    """``(n_loads, n_brokers)``: cost of one unit of a load more, below 0 where it helps."""

    @property
    def integer_bound(self) -> int:
        """Costs are whole numbers, so what is above the bound is at least the next."""
        return max(0, ceil(self.bound))


class Pricing:
    """Plans that cost something by the replica moved, and are as near to the bands as one that is known."""

    def __init__(self, problem: Problem, loads: tuple[Load, ...], cost: Int64, left: dict[str, int]) -> None:
        """``loads``: those that every replica bears; ``cost`` ``(n_partitions,)``: of a data move.

        ``left``: what may lie outside the bands of each load.
        """
        self.problem, self.loads = problem, loads
        self.rows = np.flatnonzero(problem.movable)
        self.whole_cost = cost[self.rows]
        self.cost = self.whole_cost.astype(np.float64)
        self.weight = np.stack([load.weight[self.rows] for load in loads], axis=1).astype(np.float64)
        self.low = np.stack([load.low for load in loads]).astype(np.float64)
        self.banded = np.stack([load.high < 2**61 for load in loads])
        self.high = np.where(self.banded, np.stack([load.high for load in loads]), 0).astype(np.float64)
        self.left = np.array([left[load.goal] for load in loads], dtype=np.float64)
        n = problem.cluster.n_brokers
        self.fixed = np.stack([borne(stays(problem), load.weight, n) for load in loads])
        now = replicas_per_rack(problem.current[self.rows], problem.rack_idx, problem.n_racks)
        self.most = np.broadcast_to(rack_span(problem, self.rows, now.astype(np.int64)).most, now.shape)

    def at(self, prices: Float64) -> Priced:
        """The bound that prices prove."""
        prices = np.where(self.banded, prices, 0.0)
        terms = [
            (prices * self.fixed).sum(),
            # A broker within its band pays no more than the end where the price counts; that is paid back.
            -(np.maximum(prices, 0) * self.high).sum() - (np.minimum(prices, 0) * self.low).sum(),
            # What the plan may leave outside bands lies, at worst, where it is dearest.
            -(np.abs(prices).max(axis=1) * self.left).sum(),
        ]
        total, size = 0.0, float(np.abs(terms).sum())
        for start in range(0, len(self.rows), ROWS):
            part = slice(start, start + ROWS)
            least = self.cheapest(part, prices)
            total += float(least.sum())
            size += float(np.abs(least).sum())
        exact = size < EXACT and bool((prices == np.rint(prices)).all())
        return Priced(float(total + np.sum(terms)) - (0.0 if exact else ROUNDING * size), prices)

    def cheapest(self, part: slice, prices: Float64) -> Float64:
        """For each row the least that its replicas cost together."""
        problem, rows = self.problem, self.rows[part]
        reduced = self.weight[part] @ prices
        before = problem.cluster.replicas[rows]
        home = np.zeros(reduced.shape, dtype=bool)
        for places in (before, problem.current[rows]):
            for k in range(places.shape[1]):
                some = np.flatnonzero(places[:, k] >= 0)
                home[some, places[some, k]] = True
        reduced[~(problem.receives | home) | ~problem.eligible] = np.inf
        # Every place costs a copy but those of today; what is to be created is copied nowhere.
        copied = np.where(before[:, 0] >= 0, self.cost[part], 0.0)
        reduced += copied[:, None]
        for k in range(before.shape[1]):
            some = np.flatnonzero(before[:, k] >= 0)
            reduced[some, before[some, k]] -= copied[some]
        return self.few(reduced, self.most[part], problem.rf[rows])

    def few(self, reduced: Float64, most: Int64, rf: IntArray) -> Float64:
        """The cheapest ``rf`` of each row together, with at most so many in each rack."""
        value = []
        for rack in range(self.problem.n_racks):
            among = np.flatnonzero(self.problem.rack_idx == rack)
            deep = min(int(most[:, rack].max(initial=0)), len(among), int(rf.max(initial=0)))
            if deep <= 0:
                continue
            here = reduced[:, among]
            cost = here.min(axis=1)[:, None] if deep == 1 else np.sort(here, axis=1)[:, :deep]
            # The next in a rack that is full cannot stand there; it is taken from what other racks offer.
            cost[np.arange(deep) >= most[:, rack, None]] = np.inf
            value.append(cost)
        values = np.sort(np.concatenate(value, axis=1), axis=1)
        return np.where(np.arange(values.shape[1]) < rf[:, None], values, 0).sum(axis=1)

    # which prices

    def starts(self) -> Iterator[Float64]:
        """Of each load alone: what brokers must give away at the rate of the last that goes, or take."""
        for k, load in enumerate(self.loads):
            give, take = self.rates(load)
            # What leaves a broker arrives at another of its rack, so both sides of a rack count the same
            # copies, and one of them has prices. Copies into two racks are not the same, so each has its
            # dearer side; with one rack both are tried.
            for rates in ([give, take] if self.problem.n_racks == 1 else [self.dearer(k, give, take)]):
                prices = np.zeros_like(self.low)
                prices[k] = rates
                yield prices

    def rates(self, load: Load) -> tuple[Float64, Float64]:
        """``(n_brokers,)`` twice: prices above the bands, and below."""
        weight, cost = load.weight[self.rows], self.whole_cost
        problem, lists = self.problem, self.problem.cluster.replicas
        over, short = above(problem, load), below(problem, load)
        give, take = np.zeros(len(over)), np.zeros(len(over))
        for broker in np.flatnonzero(over).tolist():
            rows = np.flatnonzero((lists[self.rows] == broker).any(axis=1))
            # At the rate of the last that has to go, what is cheaper for its weight gains by going and what
            # is dearer does not: with this price a broker gives away just what is too much.
            give[broker] = Cheapest(weight[rows], cost[rows]).of(int(over[broker]))[1]
        for rack in range(problem.n_racks):
            mine = problem.rack_idx == rack
            if short[mine].any():
                rate = Cheapest(weight, cost).of(int(short[mine].sum()))[1]
                take[mine & (short > 0)] = -rate
        return give, take

    def dearer(self, k: int, give: Float64, take: Float64) -> Float64:
        """In each rack the side that is dearer."""
        held = np.stack([load.held(self.problem.cluster.replicas) for load in self.loads])[k]
        cost = give * np.maximum(held - self.high[k], 0), -take * np.maximum(self.low[k] - held, 0)
        rack, n = self.problem.rack_idx, self.problem.n_racks
        gives, takes = (np.bincount(rack, weights=part, minlength=n) for part in cost)
        return np.where((gives >= takes)[rack], give, take)

    def best(self) -> Priced:
        """The best prices of one load."""
        return max((self.at(rounded(prices)) for prices in self.starts()), key=lambda priced: priced.bound)


def rounded(prices: Float64) -> Float64:
    """Prices that `stored` keeps to the last bit."""
    # The bound has to be that of the numbers that are stored: the judge reads no others.
    exponent = exponents(prices)
    return np.rint(prices * np.exp2(exponent)) * np.exp2(-exponent)


def stored(prices: Float64) -> Int64:
    """``(n_loads, n_brokers + 1)``: prices times 2 to the power that stands in front of each row."""
    exponent = exponents(prices)
    return np.concatenate([exponent, np.rint(prices * np.exp2(exponent))], axis=1).astype(np.int64)


def exponents(prices: Float64) -> Float64:
    """``(n_loads, 1)``: with which the largest price of a load has `BITS` bits."""
    largest = np.abs(prices).max(axis=1, keepdims=True)
    return BITS - np.ceil(np.log2(np.where(largest > 0, largest, 1.0)))
