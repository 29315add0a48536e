"""Loads of ``--balance``: what brokers bear of each, and what prices on that prove of the cost of any plan.

For any prices the cheapest places of every partition by itself, less what the bands allow at these prices,
cost no more than any plan that is as near to the bands as the one judged. Floating point is given its error.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, isqrt

import numpy as np
import numpy.typing as npt

from equipoise.cluster import measures
from equipoise.cluster.brokers import SHARED_BY, FloatArray, IntArray
from equipoise.judge.bands import whole_weights, widened, within
from equipoise.judge.rates import LEADERS, allowed, borne
from equipoise.judge.rules import FILL, IN_RACK, rack_limits
from equipoise.judge.violations import Case

Int64 = npt.NDArray[np.int64]
ROUNDING = 1e-12
"""Relative error of a sum of products."""
EXACT = 2.0**53
MOST_EXPONENT = 200
ROWS = 50_000
"""Partitions that are looked at together."""
COUNTED = {"count": "replicas", "leaders": "leaders"}
"""The goals that count what these loads count, in squares."""


@dataclass(frozen=True, eq=False)
class Load:
    """What each partition weighs, and the band of each broker that may bear it, ``(n_brokers,)``."""

    name: str
    weight: Int64
    low: Int64
    high: Int64
    banded: npt.NDArray[np.bool_]

    def held(self, lists: IntArray) -> Int64:
        """``(n_brokers,)``: what each broker bears."""
        return held_of(lists[:, :1] if leads(self.name) else lists, self.weight, len(self.low))

    def distances(self, lists: IntArray) -> Int64:
        """``(n_brokers,)``: how far each is outside its band; 0 without one."""
        held = self.held(lists)
        return np.where(self.banded, np.maximum(np.maximum(self.low - held, held - self.high), 0), 0)

    def outside(self, lists: IntArray) -> int:
        """How far brokers are outside their bands together."""
        return int(self.distances(lists).sum())


def leads(name: str) -> bool:
    """True for what a leader alone bears."""
    return name.removeprefix(FILL) in ("leaders", *LEADERS)


def held_of(lists: IntArray, weight: Int64, n_brokers: int) -> Int64:
    """``(n_brokers,)``: exact sums of the weights of lists."""
    total = np.zeros(n_brokers, dtype=np.int64)
    for k in range(lists.shape[1]):
        there = lists[:, k] >= 0
        np.add.at(total, lists[there, k], weight[there])
    return total


def weight_of(case: Case, name: str) -> Int64:
    """``(n_partitions,)`` whole numbers. Raises ``ValueError`` where one is not known."""
    cluster = case.cluster
    if name in COUNTED:
        return np.ones(cluster.n_partitions, dtype=np.int64)
    weight = borne(cluster, name, case.rules.rf, case.rules.consumption)
    if (np.isnan(weight) & (cluster.rf > 0)).any():
        raise ValueError("a load is not known of every partition")
    return np.nan_to_num(weight).astype(np.int64)  # partitions to create weigh nothing


def load_of(case: Case, name: str) -> Load:
    """The load of that name, with the band that the request gives it."""
    if name == IN_RACK:
        return rack_part(case)
    if name.startswith(FILL):
        return fill_of(case, name)
    rules, weight = case.rules, weight_of(case, name)
    allowed = rules.leads if leads(name) else rules.eligible
    copies = np.ones_like(rules.rf) if leads(name) else rules.rf
    fixed = np.where(rules.movable[:, None], -1, rules.base)
    n = case.cluster.n_brokers
    # A share is of what brokers with a share bear: what stays on others is no one's.
    still = held_of(fixed[:, :1] if leads(name) else fixed, weight, n)
    total = int(still[allowed].sum()) + int((weight * copies)[rules.movable].sum())
    low, high = np.zeros(n, dtype=np.int64), np.zeros(n, dtype=np.int64)
    below, above = (round(side * 1000) for side in rules.mix[name])
    part = whole_weights(capacity_of(case, name)[allowed])
    low[allowed], high[allowed] = widened(total, part, below, above)
    if name in COUNTED:
        low[allowed], high[allowed] = within(total, part, rules.mix[name])
    return Load(name, weight, low, high, allowed)


def fill_of(case: Case, name: str) -> Load:
    """What may not fill brokers: from nothing up to so many percent of what each can hold."""
    load = name.removeprefix(FILL)
    room = np.nan_to_num(allowed(case.cluster.brokers, load, case.rules.fills[load]), posinf=0.0)
    high = np.minimum(room, 2.0**60).astype(np.int64)
    bears = case.rules.leads if leads(load) else case.rules.eligible
    return Load(name, weight_of(case, load), np.zeros_like(high), high, bears)


def rack_part(case: Case) -> Load:
    """What may not fill racks: of each broker its part, by weight, of what its rack may hold.

    What cannot leave brokers that are to hold nothing goes off that before.
    """
    rules, brokers, weight = case.rules, case.cluster.brokers, weight_of(case, "disk")
    still = held_of(np.where(rules.movable[:, None], -1, rules.base), weight, len(brokers))
    high, banded = np.zeros(len(brokers), dtype=np.int64), np.zeros(len(brokers), dtype=bool)
    for at, rack in enumerate(brokers.rack_names):
        if rack in rules.rack_capacity:
            inside = brokers.rack_idx == at
            mine = inside & rules.eligible
            left = rules.rack_capacity[rack] - int(still[inside & ~rules.eligible].sum())
            parts = whole_weights(np.asarray(brokers.weight)[mine])
            whole = max(1, int(parts.sum()))
            # Rounded down: parts must not add up to more than the rack may hold.
            high[mine], banded[mine] = [max(0, left) * part // whole for part in parts.tolist()], True
    return Load(IN_RACK, weight, np.zeros_like(high), high, banded)


def capacity_of(case: Case, name: str) -> FloatArray:
    """``(n_brokers,)``: capacities where all that may bear the load have one, else weights."""
    brokers, allowed = case.cluster.brokers, case.rules.leads if leads(name) else case.rules.eligible
    known = np.asarray(getattr(brokers, SHARED_BY[name])) if name in SHARED_BY else np.zeros(0)
    if len(known) and allowed.any() and (np.isfinite(known) & (known > 0))[allowed].all():
        return known
    return np.asarray(brokers.weight)


def load_value(goal: str, case: Case) -> int | None:
    """The value of a goal that is a load; None for others, and where it is not known."""
    try:
        if goal in case.rules.loads and goal not in COUNTED:
            return load_of(case, goal).outside(case.target)
    except ValueError:
        return None
    return None


def prices_bound(case: Case, cost: Int64 | None, reached: dict[str, int], stored: Int64) -> int:
    """The least of a goal, bytes or moves, over plans that are as good at the goals ``reached``.

    ``cost`` ``(n_partitions,)``: what each copy adds to it; None for a goal that is no sum of copies.
    ``stored`` ``(n_loads, n_brokers + 1)``: prices of the loads that every replica bears, in the order of the
    request, times 2 to the power in front. Raises ``ValueError`` for what cannot be used.
    """
    loads = [load_of(case, name) for name in case.rules.mix if not leads(name)]
    n = case.cluster.n_brokers
    if cost is None or stored.shape != (len(loads), n + 1):
        raise ValueError("its prices are not those of loads")
    if (np.abs(stored[:, 0]) > MOST_EXPONENT).any():
        raise ValueError("its prices have no such scale")
    prices = stored[:, 1:] * np.exp2(-stored[:, :1].astype(np.float64))
    terms: list[float] = []
    for load, price in zip(loads, prices, strict=True):
        price[~load.banded] = 0
        name = COUNTED.get(load.name, load.name)
        if name not in reached:
            raise ValueError(f"{name} comes after it")
        left = reached[name]
        # The value is a sum of squares. Distances of n brokers add up to
        # the root of n times that at most, and whole ones to that itself.
        left = min(left, isqrt(left * n)) if load.name in COUNTED else left
        fixed = held_of(np.where(case.rules.movable[:, None], -1, case.rules.base), load.weight, n)
        # In its band a broker's load times its price is at most what it is
        # at this end; beyond it by what is ``left``, at the highest price.
        edge = np.where(price > 0, load.high, load.low)
        terms += [*(price * fixed).tolist(), *(-price * edge).tolist(), -float(np.abs(price).max()) * left]
    weight = np.stack([load.weight for load in loads], axis=1).astype(np.float64)
    rows, size = np.flatnonzero(case.rules.movable), float(np.abs(terms).sum())
    for start in range(0, len(rows), ROWS):
        some = rows[start : start + ROWS]
        least = cheapest(case, some, weight[some] @ prices, cost[some])
        terms.append(float(least.sum()))
        size += float(np.abs(least).sum())
    # Whole numbers below 2^53 add up without rounding, in
    # any order; else as much as the sum may be off goes off.
    exact = size < EXACT and bool((prices == np.rint(prices)).all())
    return max(0, ceil(float(np.sum(terms)) - (0.0 if exact else ROUNDING * size)))


def cheapest(case: Case, rows: Int64, price: FloatArray, cost: Int64) -> FloatArray:
    """``(n_rows,)``: the least that the replicas of each partition cost, at ``(n_rows, n_brokers)`` prices.

    Brokers that receive, or hold one already; in no rack more than its limit and what the partition has above
    its racks' limits today.
    """
    rules, before, base = case.rules, case.before[rows], case.rules.base[rows]
    stays, there = np.zeros(price.shape, dtype=bool), np.zeros(price.shape, dtype=bool)
    # What ``--replace`` puts on a new broker may stay there, and is copied all the same.
    for mask, lists in ((there, before), (stays, before), (stays, base)):
        for k in range(lists.shape[1]):
            some = np.flatnonzero(lists[:, k] >= 0)
            mask[some, lists[some, k]] = True
    price = price + np.where(there | (before[:, :1] < 0), 0, cost[:, None])
    price[~(rules.eligible & (rules.receives | stays))] = np.inf
    brokers, rf = case.cluster.brokers, rules.rf[rows]
    rack, n_racks = brokers.rack_idx, len(brokers.rack_names)
    limit, excess = rack_room(case, rows)
    columns = [np.zeros((len(rows), 0))]
    for at in range(n_racks):
        inside = np.sort(price[:, rack == at], axis=1)[:, : int(rf.max(initial=0))]
        # Each rack may have all that is above limits. Together that is more
        # than may be, so what is least here is no higher than in any plan.
        inside[np.arange(inside.shape[1]) >= (limit + excess)[:, None]] = np.inf
        columns.append(inside)
    best = np.sort(np.concatenate(columns, axis=1), axis=1)
    return np.where(np.arange(best.shape[1]) < rf[:, None], best, 0).sum(axis=1)


def rack_room(case: Case, rows: Int64) -> tuple[Int64, Int64]:
    """``(n_rows,)`` twice: the limit of a partition's racks, and what it may have above that in all."""
    rules, brokers = case.rules, case.cluster.brokers
    among, base = rules.eligible & brokers.racked, rules.base[rows]
    limit = rack_limits(brokers, among, rules.rf[rows], strict=rules.strict_racks).astype(np.int64)
    if rules.strict_racks or not brokers.has_racks:
        return limit, np.zeros_like(limit)
    now = measures.replicas_per_rack(base, brokers.rack_idx, len(brokers.rack_names))
    today = rack_limits(brokers, among, measures.lengths(base), strict=False)
    return limit, np.maximum(now - today[:, None], 0).sum(axis=1)
