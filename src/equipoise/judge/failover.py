"""The least that `failover` can be, wherever replicas stand: from prices, broker by broker.

Broker b leads x[b] of the partitions that may change, and inherits h[a, b] of what a leads. In any plan

- the x add up to these partitions, and lie within what `leaders` and `elections` allow,
- h[a, .] adds up to x[a], less partitions of one replica,
- leader and first follower share a rack in no more partitions than can have two replicas there,
- x[b] and h[., b] take no more places on b than `replicas` leaves, and hardly fewer.

Each of these sums has a price. For any prices the least of what is left is a bound (weak duality), and
that is a question for each broker by itself: how many partitions it leads and, given that, how many of
each other broker's it inherits. With one price of places the answer is convex in the number it leads.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from equipoise.cluster import measures
from equipoise.judge.bands import failover_shares
from equipoise.judge.duality import SAFE
from equipoise.judge.goals.interface import Reached
from equipoise.judge.rules import rack_limits
from equipoise.judge.views import SumsView
from equipoise.judge.violations import Case

Int64 = npt.NDArray[np.int64]
BoolArray = npt.NDArray[np.bool_]
MAX_CHOICES = 64
"""Rows of prices of places that are looked at, one for each number of leaders."""


@dataclass(frozen=True, eq=False)
class Losses:
    """What the loss of any broker is about: columns are survivors, rows of tables the brokers lost."""

    counts: BoolArray
    """``(n_brokers, n_brokers)``, as the tables after it: the pair has a band."""
    there: Int64
    """What the survivor leads and inherits of partitions that may not change."""
    low: Int64
    high: Int64
    room: Int64
    """The most that the survivor can inherit besides."""
    one_rack: BoolArray
    n_in_one_rack: int
    """Partitions that can have two replicas in one rack."""
    fewest: Int64
    """``(n_brokers,)``, as the columns after it: leaders of partitions that may change."""
    most: Int64
    least_places: Int64
    """Leaders and first followers of partitions that may change."""
    places: Int64
    n_rows: int
    """Partitions that may change."""
    n_single: int
    """Of these, with one replica."""


@dataclass(frozen=True, eq=False)
class Prices:
    """What the certificate stores, column by column."""

    follower: Int64
    leader: int
    crowd: int
    place: Int64
    """``(n_choices, n_brokers)``."""


def failover_bound(case: Case, before: Sequence[Reached], stored: Int64) -> int:
    """The bound on `failover` for plans as good at the goals ``before`` it.

    Raises ``ValueError`` for unusable prices.
    """
    if case.rules.leaders_only:
        raise ValueError("it is of plans that may move replicas")
    losses = losses_of(case, sums_of(case, before))
    prices = prices_of(losses, stored)
    least = sum(cheapest(losses, prices).tolist())
    lost = losses.counts.any(axis=1)
    # What has one replica is inherited by nobody. Who leads it is open, so the dearest price is taken off.
    single = losses.n_single * int(prices.follower[lost].max()) if lost.any() else 0
    return least + prices.leader * losses.n_rows - prices.crowd * losses.n_in_one_rack - single


def prices_of(losses: Losses, stored: Int64) -> Prices:
    """The stored prices; raises ``ValueError`` where they do not fit or would not fit 64 bits."""
    n = len(losses.counts)
    n_choices, rest = divmod(len(stored) - n - 2, max(1, n))
    if stored.ndim != 1 or rest or not 1 <= n_choices <= MAX_CHOICES:
        raise ValueError(f"prices of shape {stored.shape}")
    follower, (leader, crowd), place = np.split(stored, [n, n + 2])
    largest = max(abs(int(stored.min())), abs(int(stored.max())))
    count = losses.n_rows + max(int(losses.there.max(initial=0)), int(losses.high.max(initial=0)))
    if (4 * largest + 4 * (count + largest)) * (count + 1) * (n + 1) + (count + largest) ** 2 * n > SAFE:
        raise ValueError("prices too large")
    # Sums that may stay below a limit have prices of one sign, or breaking it would be paid for. Those of
    # places may have both: there are a most and a fewest, and each sign pays for its own.
    if crowd < 0:
        raise ValueError("a price below 0 for a sum that may stay below its limit")
    if n_choices > 1 and np.any(losses.most - losses.fewest >= n_choices):
        raise ValueError("no price of places for some numbers of leaders")
    # Who leads nothing leaves nothing to inherit.
    follower = np.where(losses.counts.any(axis=1), follower, 0)
    return Prices(follower, int(leader), int(crowd), place.reshape(n_choices, n))


def cheapest(losses: Losses, prices: Prices) -> Int64:
    """The least that each broker costs, ``(n_brokers,)``."""
    low, high = losses.fewest.copy(), np.maximum(losses.fewest, losses.most)
    if len(prices.place) > 1:
        tried = [
            np.where(low + j <= high, cost_of(losses, prices, low + j, j), SAFE)
            for j in range(len(prices.place))
        ]
        return np.asarray(np.min(tried, axis=0))
    # Convex in the number of leaders, so the slope says on which side the least is.
    while np.any(low < high):
        middle = (low + high) // 2
        falls = cost_of(losses, prices, middle + 1, 0) < cost_of(losses, prices, middle, 0)
        low, high = np.where(falls & (low < high), middle + 1, low), np.where(falls, high, middle)
    return cost_of(losses, prices, low, 0)


def cost_of(losses: Losses, prices: Prices, led: Int64, choice: int) -> Int64:
    """What each broker costs with ``led`` leaders, inheriting what is best for it, ``(n_brokers,)``."""
    place = prices.place[choice]
    gain = prices.follower[:, None] - prices.crowd * losses.one_rack - place[None, :]
    start = losses.there + led[None, :]
    # one by one beyond the band they cost 1, 3, 5, ...: taken while that is less than the gain
    aim = np.where(gain > 0, losses.high + gain // 2, losses.low - (-gain) // 2)
    aim = np.where(gain == 0, np.clip(start, losses.low, losses.high), aim)
    count = np.clip(aim, start, start + losses.room)
    off = np.maximum(np.maximum(losses.low - count, count - losses.high), 0)
    each = np.where(losses.counts, off * off - gain * (count - start), 0).sum(axis=0)
    # A price above 0 is one for the most places there are, one below 0 for the fewest.
    limit = np.where(place > 0, losses.places, losses.least_places)
    return np.asarray(each + (prices.follower - prices.leader + place) * led - place * limit)


def sums_of(case: Case, before: Sequence[Reached]) -> SumsView:
    """What every plan as good at the goals ``before`` has of leaders and of places, broker by broker."""
    n, n_rows = case.cluster.n_brokers, int(case.rules.movable.sum())
    none, everything = np.zeros(n, dtype=np.int64), np.full(n, n_rows, dtype=np.int64)
    sums = SumsView(case, none, everything, none, everything)
    for goal, value in before:
        sums = goal.tighten(sums, value)
    return sums


def losses_of(case: Case, sums: SumsView) -> Losses:
    """What holds of all plans with such sums."""
    cluster, rules, n = case.cluster, case.rules, case.cluster.n_brokers
    movable, leads = rules.movable, rules.leads
    fixed, base, rf = case.before[~movable], rules.base[movable], rules.rf[movable]
    n_rows, n_single = len(rf), int((rf == 1).sum())
    led = measures.leaders_per_broker(fixed, n)
    there = measures.failover_leaders(fixed, n)  # its diagonal is not counted
    counts, low, high = failover_shares(case, int(led[leads].sum()) + n_rows)
    rack = cluster.brokers.rack_idx
    # A leader and its first follower can only share a rack where the partition may have two replicas there:
    # by its limit, or since what it has above that today may stay.
    shared = rack_limits(cluster.brokers, rules.eligible, rf, strict=rules.strict_racks) > 1
    if not sums.mended and not rules.strict_racks:
        shared |= measures.most_in_one_rack(base, rack) > 1
    one_rack = rack[:, None] == rack[None, :]
    n_in_one_rack = int((shared & (rf > 1)).sum())
    holds = measures.replicas_per_broker(base, n)
    reach = np.where(rules.receives, n_rows, np.where(rules.eligible, holds, 0))
    # Inherited is only what has a second replica, and in one rack only what may have both there.
    room = np.minimum(np.broadcast_to(reach, (n, n)), n_rows - n_single)
    room = np.where(one_rack, np.minimum(room, n_in_one_rack), room)
    most = np.minimum(sums.most_leaders, np.where(rules.receives, n_rows, holds))
    return Losses(
        counts, there, low, high, np.where(counts, room, 0), one_rack, n_in_one_rack,
        np.where(leads, sums.fewest_leaders, 0), np.where(leads, most, 0),
        sums.fewest_places, sums.most_places, n_rows, n_single,
    )  # fmt: skip
