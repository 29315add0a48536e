"""What no plan can beat, in closed form: what must leave brokers, what must reach them, what can cross racks.

A bound on bytes or moves is one on plans whose levels are no worse than those reached: what is left
outside the bands there is taken off what must be moved.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import ceil

import numpy as np

from equipoise.cluster.brokers import IntArray
from equipoise.cluster.measures import replicas_per_rack
from equipoise.planning.loads.heavy import heavy_outside
from equipoise.planning.loads.weights import Int64, Load, borne, stays
from equipoise.planning.problem.problem import Problem
from equipoise.planning.rules import BUDGETS, rack_span

ROUNDING = 1e-12
"""Relative error of sums of quotients."""


@dataclass(frozen=True)
class Unavoidable:
    """What stays outside the bands in any plan, ``(n_racks,)`` each; for leaders all racks are one."""

    above: Int64
    below: Int64

    @property
    def total(self) -> int:
        return int(self.above.sum() + self.below.sum())


class Bounds:
    """The bounds of one problem's loads; what does not depend on weights is worked out once."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem

    def level(self, load: Load) -> int:
        """Bytes (a second) that stay outside the bands in any plan within the budgets."""
        least, heavy = self.unavoidable(load), heavy_outside(self.problem, load)
        if load.of_leaders:
            return max(heavy, least.total)
        # What is above bands and what is below them are of different brokers, so their bounds add up.
        above, below = unaffordable(self.problem, load)
        return max(heavy, max(above, int(least.above.sum())) + max(below, int(least.below.sum())))

    def cost(self, load: Load, cost: Int64, left: int) -> int:
        """The least cost of bringing a load to within ``left`` of its bands: bytes, moves, or elections.

        ``cost`` is ``(n_partitions,)`` of one replica. In each rack what arrives is at least what is missing,
        and at least what must leave and cannot leave the rack. Replicas are taken as divisible.
        """
        problem = self.problem
        rack, least = racks_of(problem, load), self.unavoidable(load)
        price = cost * (problem.cluster.rf > 0)
        # What is outside in any plan is taken off below, rack by rack; only the rest may save
        # copies anywhere.
        extra = left - least.total
        leave, reach, dearest = self.needed(load, price, integral=extra == 0 and least.total == 0)
        # What leaves brokers of a rack is copied to others of it, as far as the rack does not shrink.
        # What stays above the bands in any plan need not leave, and would have cost the highest rate at most.
        gives = total_by_float(rack, leave) + self.crossing(load, price) - least.above * dearest
        takes = total_by_float(rack, reach) - least.below * dearest
        # Racks apart bound each what is copied within; all together bound what
        # changes racks too. Neither bound holds the other, so both are tried.
        in_all = leave.sum() + growth(problem, load, price) - least.above.sum() * dearest
        slack = extra * dearest
        bound = max(
            0.0, eased(gives, takes, slack), eased(np.array([in_all]), np.array([takes.sum()]), slack)
        )
        # Costs are whole, so the bound is rounded up, once what floating point may have added is off.
        return ceil(bound) if np.array_equal(cost, load.weight) else ceil(bound - ROUNDING * bound)

    def unavoidable(self, load: Load) -> Unavoidable:
        """From what each broker can bear, and from what each rack can hold."""
        lowest, highest = reachable(self.problem, load)
        banded = load.high < 2**61
        rack = racks_of(self.problem, load)
        above = total_by(rack, np.where(banded, np.maximum(lowest - load.high, 0), 0))
        below = total_by(rack, np.maximum(load.low - highest, 0))
        if load.of_leaders:
            return Unavoidable(above, below)
        least, most = self.rack_reach(load.weight)
        # What a rack holds beyond its brokers' bands is above some of them. It may be the same as what single
        # brokers must have above theirs, so the larger counts, not the sum.
        room, need = total_by(rack, np.where(banded, load.high, 0)), total_by(rack, load.low)
        return Unavoidable(np.maximum(above, least - room), np.maximum(below, need - most))

    def rack_reach(self, weight: Int64) -> tuple[Int64, Int64]:
        """``(n_racks,)`` twice: the least and the most that all replicas in a rack can weigh."""
        problem, (least, most) = self.problem, self.in_racks
        still = np.where(problem.eligible, borne(stays(problem), weight, problem.cluster.n_brokers), 0)
        fixed = total_by(problem.rack_idx.astype(np.int64), still)
        of_rows = weight[problem.movable]
        return fixed + of_rows @ least, fixed + of_rows @ most

    @cached_property
    def in_racks(self) -> tuple[Int64, Int64]:
        """``(n_movable, n_racks)`` twice: the fewest and the most replicas of each that a rack can hold."""
        problem = self.problem
        rows = np.flatnonzero(problem.movable)
        rf = problem.rf[rows][:, None]
        now = replicas_per_rack(problem.current[rows], problem.rack_idx, problem.n_racks).astype(np.int64)
        size = np.bincount(problem.rack_idx[problem.eligible], minlength=problem.n_racks)
        span = rack_span(problem, rows, now)
        most = np.minimum(np.minimum(span.most, size), rf)
        # What the other racks together have no place for stands here.
        least = np.maximum(rf - (most.sum(axis=1, keepdims=True) - most), np.minimum(span.least, most))
        return np.maximum(least, 0), most

    def needed(self, load: Load, price: Int64, *, integral: bool) -> tuple[np.ndarray, np.ndarray, float]:
        """``(n_brokers,)`` twice: the least cost of what must leave, and arrive; and the highest rate."""
        problem = self.problem
        over, short = above(problem, load), below(problem, load)
        leave, reach, dearest = np.zeros(len(over)), np.zeros(len(over)), 0.0
        of_all = Cheapest(load.weight[problem.movable], price[problem.movable])
        by_broker, end = self.led if load.of_leaders else self.held
        for broker in np.flatnonzero((over > 0) | (short > 0)):
            own = by_broker[end[broker - 1] if broker else 0 : end[broker]]
            here = Cheapest(load.weight[own], price[own]) if over[broker] else of_all
            spent, rate = here.of(int(max(over[broker], short[broker])))
            side = leave if over[broker] else reach
            side[broker] = ceil(spent - ROUNDING * spent) if integral else spent  # no part of a replica moves
            dearest = max(dearest, rate)
        return leave, reach, dearest

    @cached_property
    def held(self) -> tuple[Int64, Int64]:
        """The rows of all movable replicas, broker by broker; ``(n_brokers,)``: where each broker's end."""
        return by_brokers(self.problem, self.problem.cluster.replicas)

    @cached_property
    def led(self) -> tuple[Int64, Int64]:
        """`held`, of leaders alone."""
        return by_brokers(self.problem, self.problem.cluster.replicas[:, :1])

    def crossing(self, load: Load, price: Int64) -> np.ndarray:
        """``(n_racks,)``: arrivals beyond those that stand in for what leaves eligible brokers of the rack.

        The least by which a rack has to grow; negative where it may shrink.
        """
        problem = self.problem
        if load.of_leaders:
            return np.array([growth(problem, load, price)], dtype=np.float64)
        rack = problem.rack_idx.astype(np.int64)
        least, _ = self.rack_reach(price)
        here = borne(problem.cluster.replicas, price, problem.cluster.n_brokers)
        return (least - total_by(rack, np.where(problem.eligible, here, 0))).astype(np.float64)


def racks_of(problem: Problem, load: Load) -> Int64:
    """``(n_brokers,)``: leadership crosses racks as it likes, so for leaders there is one rack."""
    return np.zeros(len(load.low), dtype=np.int64) if load.of_leaders else problem.rack_idx.astype(np.int64)


def total_by(rack: Int64, values: Int64) -> Int64:
    """``(n_racks,)`` exact sums."""
    total = np.zeros(int(rack.max(initial=0)) + 1, dtype=np.int64)
    np.add.at(total, rack, values)
    return total


def reachable(problem: Problem, load: Load) -> tuple[Int64, Int64]:
    """``(n_brokers,)`` twice: the least and the most that each broker can bear."""
    n, lists = problem.cluster.n_brokers, problem.current
    still = borne(stays(problem)[:, : 1 if load.of_leaders else None], load.weight, n)
    everything = int(load.weight[problem.movable].sum())
    if load.of_leaders:
        return still, still + np.where(problem.leads, everything, 0)
    pinned = borne(np.where(problem.pinned, lists, -1), load.weight, n)
    here = borne(lists, load.weight, n)
    return still + pinned, np.where(problem.receives, still + everything, here)


def above(problem: Problem, load: Load) -> Int64:
    """``(n_brokers,)``: today's load above the bands, in the weights of the plan."""
    return np.maximum(load.held(problem.cluster.replicas) - load.high, 0)


def below(problem: Problem, load: Load) -> Int64:
    return np.maximum(load.low - load.held(problem.cluster.replicas), 0)


def unaffordable(problem: Problem, load: Load) -> tuple[int, int]:
    """What the budgets leave above the bands, and below them: a move serves one broker on each side."""
    rows = np.flatnonzero(problem.movable)
    weight, copies = load.weight[rows], problem.rf[rows].astype(np.int64)
    reach = [
        most_within(weight, np.floor(budget.cost(problem)[rows]).astype(np.int64), copies, allowed)
        for budget in BUDGETS
        if not budget.of_each and (allowed := budget.allowed(problem.request)) is not None
    ]
    if not reach:
        return 0, 0
    # Every budget holds, so the tightest says how much can move at most.
    moved = ceil(min(reach) * (1 + ROUNDING))
    shrink = np.maximum((problem.cluster.replicas[rows] >= 0).sum(axis=1) - copies, 0)
    # A replica that a lower factor takes away leaves a band without a move, and comes to none.
    gone = moved + int((shrink * weight).sum())
    return (
        max(0, int(above(problem, load).sum()) - gone),
        max(0, int(below(problem, load).sum()) - moved),
    )


def most_within(weight: Int64, cost: Int64, copies: Int64, budget: int) -> float:
    """The most weight that a budget can move, replicas divisible: an upper bound."""
    free = cost == 0
    total = float((weight * copies)[free].sum())
    weight, price, copies = weight[~free], cost[~free].astype(np.float64), copies[~free]
    # Most weight for the price first, and the last in part: no choice of whole replicas moves more.
    best = np.argsort(-weight / price, kind="stable")
    spent = np.cumsum(price[best] * copies[best])
    left = np.clip(budget - np.append(0, spent)[:-1], 0, price[best] * copies[best])
    return total + float((left * weight[best] / price[best]).sum())


def eased(gives: np.ndarray, takes: np.ndarray, slack: float) -> float:
    """The larger sides, summed, once ``slack`` is taken off where it eases most.

    Taken off the larger side it counts in full; once both are even, only half of it does.
    """
    apart = float(np.abs(gives - takes).sum())
    return float(np.maximum(gives, takes).sum()) - min(slack, apart) - max(0.0, slack - apart) / 2


def by_brokers(problem: Problem, lists: IntArray) -> tuple[Int64, Int64]:
    """The rows of movable replicas in lists ``(n_partitions, width)``, and where each broker's end."""
    rows, position = np.nonzero((lists >= 0) & problem.movable[:, None])
    at = lists[rows, position]
    end = np.cumsum(np.bincount(at, minlength=problem.cluster.n_brokers))
    # Numbers this small are sorted by their digits.
    small = at.astype(np.int16) if problem.cluster.n_brokers < 2**15 else at
    return rows[np.argsort(small, kind="stable")], end


def growth(problem: Problem, load: Load, price: Int64) -> int:
    """`crossing` over all brokers: what stands where it may not, and higher replication factors."""
    movable = np.where(problem.movable[:, None], problem.cluster.replicas, -1)
    if load.of_leaders:
        return int(np.where(problem.leads, 0, borne(movable[:, :1], price, len(load.low))).sum())
    here = np.where(problem.eligible, borne(movable, price, len(load.low)), 0)
    return int((problem.rf * price)[problem.movable].sum() - here.sum())


def total_by_float(rack: Int64, values: np.ndarray) -> np.ndarray:
    """``(n_racks,)`` sums; whole numbers stay exact below 2**53."""
    return np.bincount(rack, weights=values, minlength=int(rack.max(initial=0)) + 1)


class Cheapest:
    """Replicas by cost for their weight: the least cost of a weight, replicas divisible."""

    def __init__(self, weight: Int64, cost: Int64) -> None:
        some = weight > 0
        weight, cost = weight[some].astype(np.float64), cost[some].astype(np.float64)
        self.rate = cost / weight
        # Of bytes that cost what they weigh every order is as good.
        if len(weight) and self.rate.min() < self.rate.max():
            order = np.argsort(self.rate, kind="stable")
            weight, cost, self.rate = weight[order], cost[order], self.rate[order]
        self.weight = np.append(0, np.cumsum(weight))
        self.cost = np.append(0, np.cumsum(cost))

    def of(self, need: int) -> tuple[float, float]:
        """The cost of a weight (or of all there is), and the rate at its end."""
        if len(self.rate) == 0:
            return 0.0, 0.0
        at = min(int(np.searchsorted(self.weight, need, side="left")) - 1, len(self.rate) - 1)
        part = min(need, self.weight[-1]) - self.weight[at]
        return float(self.cost[at] + part * self.rate[at]), float(self.rate[at])
