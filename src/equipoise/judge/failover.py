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
from math import isqrt

import numpy as np
import numpy.typing as npt

from equipoise.cluster import Level, measures
from equipoise.judge.duality import SAFE
from equipoise.judge.goals import failover_shares, shares, weights, widened
from equipoise.judge.rules import rack_limits
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

    heir: Int64
    leader: int
    crowd: int
    place: Int64
    """``(n_choices, n_brokers)``."""


def failover_bound(case: Case, goals: Sequence[Level], stored: Int64) -> int:
    """The bound on the last of ``goals`` for plans as good at those before it.

    Raises ``ValueError`` for unusable prices.
    """
    if goals[-1].goal != "failover":
        raise ValueError(f"it is not of {goals[-1].goal}")
    if case.rules.leaders_only:
        raise ValueError("it is of plans that may move replicas")
    losses = losses_of(case, {level.goal: int(level.value) for level in goals[:-1]})
    prices = prices_of(losses, stored)
    least = sum(cheapest(losses, prices).tolist())
    lost = losses.counts.any(axis=1)
    single = losses.n_single * int(prices.heir[lost].max()) if lost.any() else 0
    return least + prices.leader * losses.n_rows - prices.crowd * losses.n_in_one_rack - single


def prices_of(losses: Losses, stored: Int64) -> Prices:
    """The stored prices; raises ``ValueError`` where they do not fit or would not fit 64 bits."""
    n = len(losses.counts)
    n_choices, rest = divmod(len(stored) - n - 2, max(1, n))
    if stored.ndim != 1 or rest or not 1 <= n_choices <= MAX_CHOICES:
        raise ValueError(f"prices of shape {stored.shape}")
    heir, (leader, crowd), place = np.split(stored, [n, n + 2])
    largest = max(abs(int(stored.min())), abs(int(stored.max())))
    count = losses.n_rows + max(int(losses.there.max(initial=0)), int(losses.high.max(initial=0)))
    if (4 * largest + 4 * (count + largest)) * (count + 1) * (n + 1) + (count + largest) ** 2 * n > SAFE:
        raise ValueError("prices too large")
    if crowd < 0:
        raise ValueError("a price below 0 for a sum that may stay below its limit")
    if n_choices > 1 and np.any(losses.most - losses.fewest >= n_choices):
        raise ValueError("no price of places for some numbers of leaders")
    heir = np.where(losses.counts.any(axis=1), heir, 0)
    return Prices(heir, int(leader), int(crowd), place.reshape(n_choices, n))


def cheapest(losses: Losses, prices: Prices) -> Int64:
    """The least that each broker costs, ``(n_brokers,)``."""
    low, high = losses.fewest.copy(), np.maximum(losses.fewest, losses.most)
    if len(prices.place) > 1:
        tried = [
            np.where(low + j <= high, cost_of(losses, prices, low + j, j), SAFE)
            for j in range(len(prices.place))
        ]
        return np.asarray(np.min(tried, axis=0))
    while np.any(low < high):
        middle = (low + high) // 2
        falls = cost_of(losses, prices, middle + 1, 0) < cost_of(losses, prices, middle, 0)
        low, high = np.where(falls & (low < high), middle + 1, low), np.where(falls, high, middle)
    return cost_of(losses, prices, low, 0)


def cost_of(losses: Losses, prices: Prices, led: Int64, choice: int) -> Int64:
    """What each broker costs with ``led`` leaders, inheriting what is best for it, ``(n_brokers,)``."""
    place = prices.place[choice]
    gain = prices.heir[:, None] - prices.crowd * losses.one_rack - place[None, :]
    start = losses.there + led[None, :]
    # one by one beyond the band they cost 1, 3, 5, ...: taken while that is less than the gain
    aim = np.where(gain > 0, losses.high + gain // 2, losses.low - (-gain) // 2)
    aim = np.where(gain == 0, np.clip(start, losses.low, losses.high), aim)
    count = np.clip(aim, start, start + losses.room)
    off = np.maximum(np.maximum(losses.low - count, count - losses.high), 0)
    each = np.where(losses.counts, off * off - gain * (count - start), 0).sum(axis=0)
    limit = np.where(place > 0, losses.places, losses.least_places)
    return np.asarray(each + (prices.heir - prices.leader + place) * led - place * limit)


def losses_of(case: Case, reached: dict[str, int]) -> Losses:
    """What holds of all plans that are as good as ``reached``."""
    cluster, rules, n = case.cluster, case.rules, case.cluster.n_brokers
    movable, leads = rules.movable, rules.leads
    fixed, base, rf = case.before[~movable], rules.base[movable], rules.rf[movable]
    n_rows, n_single = len(rf), int((rf == 1).sum())
    led = measures.leaders_per_broker(fixed, n)
    there = measures.failover_leaders(fixed, n)  # its diagonal is not counted
    counts, low, high = failover_shares(case, int(led[leads].sum()) + n_rows)
    rack = cluster.brokers.rack_idx
    shared = rack_limits(cluster.brokers, rules.eligible, rf, strict=rules.strict_racks) > 1
    if reached.get("racks") != 0 and not rules.strict_racks:
        shared |= measures.most_in_one_rack(base, rack) > 1
    one_rack = rack[:, None] == rack[None, :]
    n_in_one_rack = int((shared & (rf > 1)).sum())
    holds = measures.replicas_per_broker(base, n)
    reach = np.where(rules.receives, n_rows, np.where(rules.eligible, holds, 0))
    room = np.minimum(np.broadcast_to(reach, (n, n)), n_rows - n_single)
    room = np.where(one_rack, np.minimum(room, n_in_one_rack), room)
    fewest, most = leaders_of(case, reached, led, n_rows)
    most = np.minimum(most, np.where(rules.receives, n_rows, holds))
    places = places_of(case, reached, n_rows)
    return Losses(
        counts, there, low, high, np.where(counts, room, 0), one_rack, n_in_one_rack,
        np.where(leads, fewest, 0), np.where(leads, most, 0),
        *places, n_rows, n_single,
    )  # fmt: skip


def leaders_of(case: Case, reached: dict[str, int], led: Int64, n_rows: int) -> tuple[Int64, Int64]:
    """Fewest and most leaders of each broker among partitions that may change; ``led`` are the others."""
    leads = case.rules.leads
    fewest, most = np.zeros_like(led), np.full_like(led, n_rows)
    if "leaders" in reached:
        low, high = shares(int(led[leads].sum()) + n_rows, weights(case, leads))
        off = isqrt(max(0, reached["leaders"]))  # one broker alone is not further from its band
        fewest[leads] = np.maximum(0, low - off - led[leads])
        most[leads] = np.minimum(n_rows, high + off - led[leads])
    if "elections" in reached:
        first = case.before[case.rules.movable, 0]
        stays = (first >= 0) & leads[first]
        here = np.bincount(first[stays], minlength=len(led)).astype(np.int64)
        changes = reached["elections"] - int(((first >= 0) & ~stays).sum())
        fewest = np.maximum(fewest, here - changes)
        most = np.minimum(most, here + changes + int((~stays).sum()))
    return fewest, most


def places_of(case: Case, reached: dict[str, int], n_rows: int) -> tuple[Int64, Int64]:
    """Fewest and most leaders and first followers of each broker among partitions that may change."""
    rules, n = case.rules, case.cluster.n_brokers
    fewest, most = np.zeros(n, dtype=np.int64), np.full(n, n_rows, dtype=np.int64)
    if "replicas" in reached:
        eligible, rf = rules.eligible, rules.rf[rules.movable]
        fixed = measures.replicas_per_broker(case.before[~rules.movable], n)[eligible]
        total = int(fixed.sum() + rf.sum())
        below, above = (round(side * 1000) for side in rules.tolerance)
        low, high = shares(total, weights(case, eligible))
        if below or above:
            low, high = widened(total, weights(case, eligible), below, above)
        off, later = isqrt(max(0, reached["replicas"])), int((rf > 2).sum())
        fewest[eligible] = np.maximum(0, low - off - fixed - later)
        most[eligible] = np.minimum(n_rows, high + off - fixed)
    return fewest, most
