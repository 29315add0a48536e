"""What `failover` is at least, wherever replicas come to stand: a relaxation of brokers alone.

Broker b leads x[b] partitions that may change, and h[a, b] of those that a leads have b for their first
follower. The sum of h[a, .] is x[a], less partitions of one replica; h[a, b] is 0 where the rack rule
keeps a and b apart. Each survivor's count x[b] + h[a, b] costs its squared distance from the band.

The sums are relaxed with a price each (Lagrangian relaxation: R. K. Ahuja, T. L. Magnanti, J. B. Orlin,
"Network Flows", chapter 16). Then every broker is for itself: given x[b] the best h is known, and what
that costs is convex in x[b]. Any whole-number prices give a bound.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import isqrt

import numpy as np
import numpy.typing as npt

from equipoise.cluster.brokers import IntArray
from equipoise.cluster.measures import leaders_per_broker, replicas_per_rack
from equipoise.planning.goals import failover_bands, open_band, weights
from equipoise.planning.networks.network import Int64
from equipoise.planning.networks.place import ProvedLevel
from equipoise.planning.problem import Problem

BoolArray = npt.NDArray[np.bool_]
TRIES = 4
"""Leaders per broker for which prices are made, the plan's first."""


@dataclass(frozen=True, eq=False)
class Prices:
    """One for each sum that is relaxed."""

    heir: Int64
    """``(n_brokers,)``: of what a broker leads having a first follower."""
    leader: int
    """Of a partition having a leader."""
    crowd: int
    """At least 0: of a first follower in the rack of its leader."""

    def stored(self) -> Int64:
        return np.concatenate([self.heir, [self.leader, self.crowd]]).astype(np.int64)


@dataclass(frozen=True, eq=False)
class Survivors:
    """The relaxation of a problem, for plans as good as one at the goals before."""

    counts: BoolArray
    """``(n_brokers, n_brokers)`` as `held`, `low`, `high` and `room`: lost broker, survivor; True where it counts."""
    held: Int64
    """What survivors lead and inherit of what may not change."""
    low: Int64
    high: Int64
    room: Int64
    """Most that a survivor can inherit of what may change."""
    together: BoolArray
    """Same shape: both are in one rack."""
    crowded: int
    """Partitions that can have two replicas in one rack."""
    least: Int64
    """``(n_brokers,)``: fewest and most partitions that may change for a broker to lead."""
    most: Int64
    n_rows: int
    """Partitions that may change."""
    alone: int
    """Of these, those of one replica."""


def survivors(problem: Problem, reached: Mapping[str, int]) -> Survivors:
    """The relaxation; ``reached``: the goals in front of `failover` with the values of the plan."""
    n, movable = problem.cluster.n_brokers, problem.movable
    current, base = problem.current[movable], problem.cluster.replicas[~movable]
    rf = problem.rf[movable]
    led = leaders_per_broker(base, n)
    fixed = base[base[:, 1] >= 0].astype(np.int64) if base.shape[1] > 1 else np.zeros((0, 2), dtype=np.int64)
    pair = np.bincount(fixed[:, 0] * n + fixed[:, 1], minlength=n * n).reshape(n, n).astype(np.int64)
    n_rows, alone = int(movable.sum()), int((rf == 1).sum())
    low, high = failover_bands(problem, int(led[problem.leads].sum()) + n_rows)
    counts = problem.leads[:, None] & ~np.eye(n, dtype=bool) & (problem.leads.sum() > 1)

    crowds = problem.limit[movable] > 1
    if reached.get("racks") != 0 and problem.request.rack_rule != "strict":
        crowds |= replicas_per_rack(current, problem.rack_idx, problem.n_racks).max(axis=1, initial=0) > 1
    crowded = int((crowds & (rf > 1)).sum())
    together = problem.rack_idx[:, None] == problem.rack_idx[None, :]
    holds = np.bincount(current[current >= 0], minlength=n).astype(np.int64)
    inherits = np.where(problem.receives, n_rows - alone, np.where(problem.eligible, holds, 0))
    room = np.broadcast_to(np.minimum(inherits, n_rows - alone)[None, :], (n, n))
    room = np.where(counts, np.where(together, np.minimum(room, crowded), room), 0)
    least, most = leaders_between(problem, reached, led)
    most = np.minimum(most, np.where(problem.receives, n_rows, holds))
    return Survivors(
        counts, led[None, :] + pair, low, high, room, together, crowded, least, most, n_rows, alone
    )


def leaders_between(problem: Problem, reached: Mapping[str, int], led: Int64) -> tuple[Int64, Int64]:
    """Fewest and most leaders, ``(n_brokers,)``, of plans as good at `leaders` and `elections`.

    Of partitions that may change; ``led`` are those of the others.
    """
    n_rows = int(problem.movable.sum())
    least, most = np.zeros_like(led), np.where(problem.leads, n_rows, 0)
    if "leaders" in reached:
        low, high = open_band(int(led[problem.leads].sum()) + n_rows, weights(problem, problem.leads))
        off = isqrt(reached["leaders"])
        least, most = np.maximum(least, low - off - led), np.minimum(most, high + off - led)
    if "elections" in reached:
        before = problem.cluster.replicas[problem.movable, 0]
        keeps = (before >= 0) & problem.leads[np.maximum(before, 0)]
        here = np.bincount(before[keeps], minlength=len(led)).astype(np.int64)
        changed = reached["elections"] - int(((before >= 0) & ~keeps).sum())
        least = np.maximum(least, here - changed)
        most = np.minimum(most, here + changed + n_rows - int(keeps.sum()))
    none = ~problem.leads
    return np.where(none, 0, least), np.where(none, 0, most)


def least_failover(problem: Problem, lists: IntArray, reached: Mapping[str, int]) -> ProvedLevel | None:
    """The best bound found for plans as good at ``reached``; prices start from the leaders of ``lists``.

    None for what the relaxation does not cover.
    """
    if problem.request.leaders_only:
        return None
    of = survivors(problem, reached)
    movable = lists[problem.movable]
    led = leaders_per_broker(movable, problem.cluster.n_brokers)
    alone = (movable >= 0).sum(axis=1) == 1
    without = leaders_per_broker(movable[alone], problem.cluster.n_brokers)
    best: tuple[int, Prices] | None = None
    for _ in range(TRIES):
        crowd = crowd_price(of, led, led - without)
        heir = heir_prices(of, led, led - without, crowd)
        prices, led = leader_price(of, heir, crowd)
        value = dual_value(of, prices)
        best = (value, prices) if best is None or value > best[0] else best
    assert best is not None
    return ProvedLevel("failover", best[0], "failover", best[1].stored())


def ends(of: Survivors, led: Int64, pull: Int64, *, last: bool) -> Int64:
    """First or last of the best counts, ``(n_brokers, n_brokers)``, where inheriting earns ``pull``."""
    up, down = np.maximum(pull, 0), np.maximum(-pull, 0)
    start = of.held + led[None, :]
    over = of.high + (up + 1 if last else up) // 2
    under = of.low - (down if last else down + 1) // 2
    idle = of.high if last else of.low
    wanted = np.where(pull > 0, over, np.where(pull < 0, under, idle))
    return np.clip(wanted, start, start + of.room)


def pulls(of: Survivors, heir: Int64, crowd: int) -> Int64:
    return heir[:, None] - crowd * of.together


def inherited(of: Survivors, led: Int64, pull: Int64, *, last: bool) -> Int64:
    return np.where(of.counts, ends(of, led, pull, last=last) - of.held - led[None, :], 0)


def costs(of: Survivors, led: Int64, pull: Int64) -> Int64:
    """What each broker costs as a survivor at best, ``(n_brokers,)``."""
    count = ends(of, led, pull, last=False)
    outside = np.maximum(np.maximum(of.low - count, count - of.high), 0)
    return np.where(of.counts, outside**2 - pull * (count - of.held - led[None, :]), 0).sum(axis=0)


def heir_prices(of: Survivors, led: Int64, inherits: Int64, crowd: int) -> Int64:
    """Least prices at which the survivors would take all that each broker leads, ``(n_brokers,)``."""
    reach = 2 * (of.n_rows + int(np.abs(of.held).max(initial=0))) + crowd + 1
    low, high = np.full(len(led), -reach, dtype=np.int64), np.full(len(led), reach, dtype=np.int64)
    while np.any(low < high):
        middle = (low + high) // 2
        enough = inherited(of, led, pulls(of, middle, crowd), last=True).sum(axis=1) >= inherits
        low, high = np.where(enough, low, np.minimum(middle + 1, high)), np.where(enough, middle, high)
    return np.where(of.counts.any(axis=1), low, 0)


def crowd_price(of: Survivors, led: Int64, inherits: Int64) -> int:
    """Least price at which no more first followers are in their leader's rack than can be."""
    if not np.any(of.together & of.counts & (of.room > 0)) or of.crowded == of.n_rows - of.alone:
        return 0
    low, high = 0, 2 * of.n_rows
    while low < high:
        middle = (low + high) // 2
        pull = pulls(of, heir_prices(of, led, inherits, middle), middle)
        if int(inherited(of, led, pull, last=False)[of.together].sum()) <= of.crowded:
            high = middle
        else:
            low = middle + 1
    return low


def leader_price(of: Survivors, heir: Int64, crowd: int) -> tuple[Prices, Int64]:
    """The price of leaders that goes best with those of heirs, and leaders per broker that are best then."""
    low = -(2**20) * (1 + int(np.abs(heir).max(initial=0)))
    high = -low
    while low < high:
        middle = (low + high) // 2
        if int(best_leaders(of, Prices(heir, middle, crowd), last=True).sum()) >= of.n_rows:
            high = middle
        else:
            low = middle + 1
    prices = Prices(heir, low, crowd)
    first, last = (best_leaders(of, prices, last=last) for last in (False, True))
    more = np.clip(of.n_rows - int(first.sum()) - np.cumsum(last - first) + (last - first), 0, last - first)
    return prices, first + more


def best_leaders(of: Survivors, prices: Prices, *, last: bool) -> Int64:
    """Fewest or most leaders of each broker that are cheapest at these prices, ``(n_brokers,)``."""
    pull = pulls(of, prices.heir, prices.crowd)
    low, high = of.least.copy(), np.maximum(of.least, of.most)
    while np.any(low < high):
        middle = (low + high) // 2
        slope = costs(of, middle + 1, pull) - costs(of, middle, pull) + prices.heir - prices.leader
        falls = slope <= 0 if last else slope < 0
        low, high = np.where(falls, np.minimum(middle + 1, high), low), np.where(falls, high, middle)
    return low


def dual_value(of: Survivors, prices: Prices) -> int:
    """The bound under any prices."""
    led = best_leaders(of, prices, last=False)
    each = costs(of, led, pulls(of, prices.heir, prices.crowd)) + (prices.heir - prices.leader) * led
    lost = of.counts.any(axis=1)
    alone = of.alone * int(prices.heir[lost].max()) if lost.any() else 0
    return int(each.sum()) + prices.leader * of.n_rows - prices.crowd * of.crowded - alone
