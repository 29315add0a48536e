"""What of a load stays outside the bands whatever the plan: counted from the state and the request alone.

A broker bears what may not leave it, and at most what may come to it; a rack bears what the other racks have
no place for, and at most what its own limit allows; and what the budgets do not pay for stays where it is.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import ceil

import numpy as np

from equipoise.cluster import measures
from equipoise.cluster.brokers import FloatArray, IntArray
from equipoise.judge.loads import Int64, Load, held_of, leads, rack_room
from equipoise.judge.violations import Case

ROUNDING = 1e-9
"""More than the relative error of a budget's worth."""


def least_outside(case: Case, load: Load) -> int:
    """The least that lies outside the bands of a load, all brokers together."""
    above, below = (int(side.sum()) for side in beyond_bands(case, load))
    for moved, gone in () if leads(load.name) else worth_of_budgets(case, load):
        held = load.held(case.before)
        # A move helps one broker on each side, so each side is eased by what is moved at most; what lower
        # factors take away eases brokers above their bands alone.
        above = max(above, int(np.maximum(held - load.high, 0)[load.banded].sum()) - moved - gone)
        below = max(below, int(np.maximum(load.low - held, 0)[load.banded].sum()) - moved)
    return above + below


def beyond_bands(case: Case, load: Load) -> tuple[Int64, Int64]:
    """``(n_racks,)`` twice: what stays above the bands of a rack's brokers in any plan, and below them."""
    over, short = beyond_reach(case, load)
    rack, n_racks = racks_of(case, load)
    if leads(load.name):
        return per_rack(over, rack, n_racks), per_rack(short, rack, n_racks)
    least, most = in_racks(case, load.weight)
    high, low = (per_rack(np.where(load.banded, edge, 0), rack, n_racks) for edge in (load.high, load.low))
    above = np.maximum(per_rack(over, rack, n_racks), least - high)
    return above, np.maximum(per_rack(short, rack, n_racks), low - most)


def beyond_reach(case: Case, load: Load) -> tuple[Int64, Int64]:
    """``(n_brokers,)`` twice: by how much each must be above its band, and below it."""
    rules = case.rules
    fixed = np.where(rules.movable[:, None], -1, rules.base)
    everything = int(load.weight[rules.movable].sum())
    if leads(load.name):
        least = load.held(fixed)
        most = least + everything
    else:
        least = load.held(np.where(rules.movable[:, None] & ~rules.pinned, -1, rules.base))
        # A broker that receives nothing bears at most what it has, or what it has taken over.
        here = np.maximum(load.held(case.before), load.held(rules.base))
        # What may not change stands there for certain, and at
        # most one replica of each other partition beside it.
        most = np.where(rules.receives, load.held(fixed) + everything, here)
    over, short = np.maximum(least - load.high, 0), np.maximum(load.low - most, 0)
    return np.where(load.banded, over, 0), np.where(load.banded, short, 0)


def racks_of(case: Case, load: Load | None = None) -> tuple[IntArray, int]:
    """The rack of each broker, and how many there are; one where none is known, and for what leaders bear."""
    brokers = case.cluster.brokers
    if not brokers.has_racks or (load is not None and leads(load.name)):
        return np.zeros(len(brokers), dtype=np.int32), 1
    return brokers.rack_idx, len(brokers.rack_names)


def per_rack(values: Int64, rack: IntArray, n_racks: int) -> Int64:
    """``(n_racks,)`` exact sums."""
    total = np.zeros(n_racks, dtype=np.int64)
    np.add.at(total, rack, values)
    return total


def in_racks(case: Case, weight: Int64) -> tuple[Int64, Int64]:
    """``(n_racks,)`` twice: the least and the most that replicas on eligible brokers of a rack weigh."""
    rules = case.rules
    rack, n_racks = racks_of(case)
    rows = np.flatnonzero(rules.movable)
    rf = rules.rf[rows].astype(np.int64)[:, None]
    most = most_in_racks(case, rows)
    least = np.maximum(rf - (most.sum(axis=1, keepdims=True) - most), 0)
    still = held_of(np.where(rules.movable[:, None], -1, rules.base), weight, case.cluster.n_brokers)
    fixed = per_rack(np.where(rules.eligible, still, 0), rack, n_racks)
    return fixed + weight[rows] @ least, fixed + weight[rows] @ most


def most_in_racks(case: Case, rows: Int64) -> Int64:
    """``(n_rows, n_racks)``: the most replicas of each partition that a rack may hold."""
    rules, (rack, n_racks) = case.rules, racks_of(case)
    rf = rules.rf[rows].astype(np.int64)[:, None]
    most = np.minimum(per_rack(rules.eligible.astype(np.int64), rack, n_racks), rf)
    if case.cluster.brokers.has_racks:
        limit, excess = rack_room(case, rows)
        most = np.minimum(most, (limit + excess)[:, None])
        if rules.stay_in_rack:  # one replica for one, so that each rack keeps as many
            now = measures.replicas_per_rack(rules.base[rows], rack, n_racks)
            same = now.sum(axis=1, keepdims=True) == rf
            most = np.where(same, np.minimum(most, now), most)
    return most


def worth_of_budgets(case: Case, load: Load) -> Iterator[tuple[int, int]]:
    """Of each budget of the whole plan the most weight that it moves; and what lower factors take away."""
    rules = case.rules
    rows = np.flatnonzero(rules.movable)
    weight, copies = load.weight[rows].astype(np.float64), rules.rf[rows].astype(np.float64)
    fewer = np.maximum(measures.lengths(case.before[rows]) - rules.rf[rows], 0)
    gone = int((fewer * load.weight[rows]).sum())
    made = case.cluster.rf[rows] == 0  # what is created copies nothing
    sizes = np.floor(np.nan_to_num(case.cluster.size_bytes[rows]))  # more can be moved, never less
    for allowed, price in ((rules.max_moves, np.ones(len(rows))), (rules.max_bytes, sizes)):
        if allowed is not None:
            yield ceil(dearest(weight, np.where(made, 0, price), copies, allowed) * (1 + ROUNDING)), gone


def dearest(weight: FloatArray, price: FloatArray, copies: FloatArray, allowed: int) -> float:
    """The most weight that an amount buys, replicas divisible."""
    free = price <= 0
    total = float((weight * copies)[free].sum())
    # What costs nothing moves in full. Of the rest the most weight for its
    # price first, the last in part: no choice of whole replicas moves more.
    worth = weight[~free] / price[~free]
    best = np.argsort(-worth, kind="stable")
    cost = (price * copies)[~free][best]
    before = np.cumsum(cost) - cost
    return total + float((np.clip(allowed - before, 0, cost) * worth[best]).sum())
