"""What `failover` is at least, wherever replicas come to stand: a relaxation of brokers alone.

Broker b leads x[b] partitions that may change, and h[a, b] of those that a leads have b for their first
follower. The sum of h[a, .] is x[a], less partitions of one replica; h[a, b] is 0 where the rack rule
keeps a and b apart. Each survivor's count x[b] + h[a, b] costs its squared distance from the band. Where
`replicas` comes first, x[b] and the sum of h[., b] are together no more than the replicas that b may have.

The sums are relaxed with a price each (Lagrangian relaxation: R. K. Ahuja, T. L. Magnanti, J. B. Orlin,
"Network Flows", chapter 16). Then every broker is for itself: given x[b] the best h is known, and what
that costs is convex in x[b]. Any whole-number prices give a bound.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from math import isqrt

import numpy as np
import numpy.typing as npt

from equipoise.cluster.brokers import IntArray
from equipoise.cluster.measures import (
    failover_leaders,
    leaders_per_broker,
    replicas_per_broker,
    replicas_per_rack,
)
from equipoise.cluster.proofs import NetworkName
from equipoise.planning.basis.certificate import ProvedLevel
from equipoise.planning.flow.convex import solve
from equipoise.planning.flow.network import Infeasible, Int64, Network, Objective
from equipoise.planning.goals import value_of
from equipoise.planning.goals.elections import Elections
from equipoise.planning.goals.failover import Failover
from equipoise.planning.goals.leaders import Leaders
from equipoise.planning.goals.racks import Racks
from equipoise.planning.goals.replicas import Replicas
from equipoise.planning.problem.params import Params
from equipoise.planning.problem.problem import Problem
from equipoise.planning.problem.shares import failover_bands, open_band, weights
from equipoise.planning.rules.rack_rule import is_strict

BoolArray = npt.NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class SurvivorPrices:
    """One for each sum that is relaxed."""

    first_follower: Int64
    """``(n_brokers,)``: of what a broker leads having a first follower."""
    place: Int64
    """``(n_choices, n_brokers)``: of a place on a broker, below 0 where it is short of replicas; row j for
    j leaders more than the fewest, or one row for any number of them."""
    leader: int
    """Of a partition having a leader."""
    crowd: int
    """At least 0: of a first follower in the rack of its leader."""

    def stored(self) -> Int64:
        parts = [self.first_follower, np.array([self.leader, self.crowd]), self.place.ravel()]
        return np.concatenate(parts).astype(np.int64)


@dataclass(frozen=True, eq=False)
class Survivors:
    """The relaxation of a problem, for plans as good as one at the goals before."""

    counts: BoolArray
    """``(n_brokers, n_brokers)``, as the tables after it: lost broker, survivor; True where it counts."""
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
    fewest: Int64
    """``(n_brokers,)``: fewest and most that a broker leads or inherits of what may change."""
    places: Int64
    n_rows: int
    """Partitions that may change."""
    alone: int
    """Of these, those of one replica."""
    params: Params


def survivors(problem: Problem, reached: Mapping[str, int]) -> Survivors:
    """The relaxation; ``reached``: the goals in front of `failover` with the values of the plan."""
    n, movable = problem.cluster.n_brokers, problem.movable
    current, base = problem.current[movable], problem.cluster.replicas[~movable]
    rf = problem.rf[movable]
    led = leaders_per_broker(base, n)
    n_rows, alone = int(movable.sum()), int((rf == 1).sum())
    low, high = failover_bands(problem, int(led[problem.leads].sum()) + n_rows)
    counts = problem.leads[:, None] & ~np.eye(n, dtype=bool) & (problem.leads.sum() > 1)

    crowds = problem.limit[movable] > 1
    # What is above a limit today may stay so, unless the plan mends all of it and later goals keep to that.
    if reached.get(Racks.name) != 0 and not is_strict(problem.request):
        crowds |= replicas_per_rack(current, problem.rack_idx, problem.n_racks).max(axis=1, initial=0) > 1
    crowded = int((crowds & (rf > 1)).sum())
    together = problem.rack_idx[:, None] == problem.rack_idx[None, :]
    holds = np.bincount(current[current >= 0], minlength=n).astype(np.int64)
    # A broker that receives nothing can only follow in what it holds; one that is emptied in nothing.
    inherits = np.where(problem.receives, n_rows - alone, np.where(problem.eligible, holds, 0))
    room = np.broadcast_to(np.minimum(inherits, n_rows - alone)[None, :], (n, n))
    room = np.where(counts, np.where(together, np.minimum(room, crowded), room), 0)
    least, most = leaders_between(problem, reached, led)
    # The same of leading, which takes a replica, too.
    most = np.minimum(most, np.where(problem.receives, n_rows, holds))
    fewest, places = places_between(problem, reached)
    return Survivors(
        counts, failover_leaders(base, n), low, high, room, together, crowded,
        least, most, fewest, places, n_rows, alone, problem.params,
    )  # fmt: skip


def places_between(problem: Problem, reached: Mapping[str, int]) -> tuple[Int64, Int64]:
    """Fewest and most leaders and first followers, ``(n_brokers,)``, of plans as good at `replicas`.

    Of partitions that may change.
    """
    n, movable = problem.cluster.n_brokers, problem.movable
    least, most = np.zeros(n, dtype=np.int64), np.full(n, int(movable.sum()), dtype=np.int64)
    if Replicas.name in reached:
        fixed = replicas_per_broker(problem.cluster.replicas[~movable], n)
        total = int(fixed[problem.eligible].sum() + problem.rf[movable].sum())
        low, high = open_band(total, weights(problem, problem.eligible), problem.request.sides("count"))
        # Squares that add up to the goal's value leave no broker farther outside its band than the root of
        # it. Replicas behind the first follower take places as well, at most one of a partition on a broker.
        off, later = isqrt(reached[Replicas.name]), int((problem.rf[movable] > 2).sum())
        least = np.where(problem.eligible, np.maximum(least, low - off - fixed - later), 0)
        most = np.where(problem.eligible, np.minimum(most, high + off - fixed), most)
    return least, most


def leaders_between(problem: Problem, reached: Mapping[str, int], led: Int64) -> tuple[Int64, Int64]:
    """Fewest and most leaders, ``(n_brokers,)``, of plans as good at `leaders` and `elections`.

    Of partitions that may change; ``led`` are those of the others.
    """
    n_rows = int(problem.movable.sum())
    least, most = np.zeros_like(led), np.where(problem.leads, n_rows, 0)
    if Leaders.name in reached:
        total, sides = int(led[problem.leads].sum()) + n_rows, problem.request.sides("leaders")
        low, high = open_band(total, weights(problem, problem.leads), sides)
        # As with replicas: no broker is farther outside than the root of the value.
        off = isqrt(reached[Leaders.name])
        least, most = np.maximum(least, low - off - led), np.minimum(most, high + off - led)
    if Elections.name in reached:
        before = problem.cluster.replicas[problem.movable, 0]
        keeps = (before >= 0) & problem.leads[np.maximum(before, 0)]
        here = np.bincount(before[keeps], minlength=len(led)).astype(np.int64)
        # A broker loses no more leaders than change, and gains
        # no more than those and all that need a new one.
        changed = reached[Elections.name] - int(((before >= 0) & ~keeps).sum())
        least = np.maximum(least, here - changed)
        most = np.minimum(most, here + changed + n_rows - int(keeps.sum()))
    none = ~problem.leads
    return np.where(none, 0, least), np.where(none, 0, most)


def least_failover(problem: Problem, lists: IntArray, reached: Mapping[str, int]) -> ProvedLevel | None:
    """The best bound found for plans as good at ``reached``; prices start from the leaders of ``lists``.

    None for what the relaxation does not cover.
    """
    if problem.stays:
        return None
    of, value = survivors(problem, reached), value_of(problem, lists, Failover.name)
    movable = lists[problem.movable]
    led = leaders_per_broker(movable, problem.cluster.n_brokers)
    alone = leaders_per_broker(movable[(movable >= 0).sum(axis=1) == 1], problem.cluster.n_brokers)
    best: tuple[int, SurvivorPrices] | None = None
    for _ in range(problem.params.failover_tries):
        # Prices are best for some number of leaders on each broker: first for the plan's, then for those that
        # are best at the prices found. Any prices prove something, so the highest bound is kept.
        inherits = led - np.minimum(alone, led)
        try:
            prices = follower_prices(of, led, inherits, crowd_price(of, led, inherits))
        except Infeasible:  # those who would lead cannot have first followers
            break
        tried, led = leader_price(of, place_prices(of, prices))
        bound = dual_value(of, tried)
        best = (bound, tried) if best is None or bound > best[0] else best
        if best[0] >= value:
            break
    if best is None:
        return None
    return ProvedLevel(Failover.name, best[0], NetworkName.FAILOVER, best[1].stored())


def follower_prices(of: Survivors, led: Int64, inherits: Int64, crowd: int) -> SurvivorPrices:
    """Prices that prove the best for leaders as they are: potentials of a flow from leaders to followers.

    Nodes: 0 the sink; brokers as first followers; brokers as leaders. Raises `Infeasible`.
    """
    n = len(led)
    lost, survivor = np.nonzero(of.counts & (of.room > 0))
    # With leaders given first followers are a flow, and its potentials are the best prices: of a leader's
    # node what one more inheritance costs, of a follower's what a place there is worth.
    held = (of.held + led[None, :])[lost, survivor]
    supply = np.concatenate([[0], np.zeros(n), inherits]).astype(np.int64)
    supply[0] = -supply.sum()
    tail = np.concatenate([1 + np.arange(n), 1 + n + lost])
    head = np.concatenate([np.zeros(n, dtype=np.int64), 1 + survivor])
    lower = np.concatenate([np.maximum(of.fewest - led, 0), np.zeros(len(lost), dtype=np.int64)])
    upper = np.concatenate([of.places - led, np.minimum(of.room[lost, survivor], inherits[lost])])
    if np.any(lower > upper):
        raise Infeasible
    network = Network(supply, tail.astype(np.int32), head.astype(np.int32), lower, upper, of.params)
    arcs = np.arange(n, len(tail), dtype=np.int32)
    low, high = (band[lost, survivor] - held for band in (of.low, of.high))
    fall = Objective.of_bands(len(tail), arcs, low, high)
    linear = np.concatenate([np.zeros(n, dtype=np.int64), crowd * of.together[lost, survivor]])
    best = solve(network, replace(fall, linear=linear))
    price = best.potential - best.potential[0]
    first_follower = np.where(of.counts.any(axis=1), price[1 + n :], 0)
    return SurvivorPrices(first_follower, price[None, 1 : 1 + n], 0, crowd)


def ends(of: Survivors, led: Int64, pull: Int64, *, last: bool) -> Int64:
    """First or last of the best counts, ``(n_brokers, n_brokers)``, where inheriting earns ``pull``."""
    up, down = np.maximum(pull, 0), np.maximum(-pull, 0)
    start = of.held + led[None, :]
    # The n-th leader beyond the band costs 2 n - 1: one that earns just that is in the last of the best
    # counts and not in the first.
    over = of.high + (up + 1 if last else up) // 2
    under = of.low - (down if last else down + 1) // 2
    idle = of.high if last else of.low
    wanted = np.where(pull > 0, over, np.where(pull < 0, under, idle))
    return np.clip(wanted, start, start + of.room)


def pulls(of: Survivors, prices: SurvivorPrices, choice: int = 0) -> Int64:
    """``(n_brokers, n_brokers)``: what each inheritance earns."""
    return prices.first_follower[:, None] - prices.place[choice][None, :] - prices.crowd * of.together


def inherited(of: Survivors, led: Int64, pull: Int64, *, last: bool) -> Int64:
    return np.where(of.counts, ends(of, led, pull, last=last) - of.held - led[None, :], 0)


def survivor_costs(of: Survivors, led: Int64, pull: Int64) -> Int64:
    """What each broker costs as a survivor at best, ``(n_brokers,)``."""
    count = ends(of, led, pull, last=False)
    outside = np.maximum(np.maximum(of.low - count, count - of.high), 0)
    return np.where(of.counts, outside**2 - pull * (count - of.held - led[None, :]), 0).sum(axis=0)


def crowd_price(of: Survivors, led: Int64, inherits: Int64) -> int:
    """Least price at which no more first followers are in their leader's rack than can be."""
    # Where nobody who survives shares a rack, or every partition may have two replicas in one, the sum is no
    # condition, and its price is 0.
    if not np.any(of.together & of.counts & (of.room > 0)) or of.crowded == of.n_rows - of.alone:
        return 0
    low, high = 0, 2 * of.n_rows
    while low < high:
        middle = (low + high) // 2
        pull = pulls(of, simple_prices(of, led, inherits, middle))
        if int(inherited(of, led, pull, last=False)[of.together].sum()) <= of.crowded:
            high = middle
        else:
            low = middle + 1
    return low


def simple_prices(of: Survivors, led: Int64, inherits: Int64, crowd: int) -> SurvivorPrices:
    """Least prices at which the survivors would take all that each broker leads, places being free."""
    none = np.zeros(len(led), dtype=np.int64)
    # The last unit of a count costs no more than twice the count, so beyond that no price changes anything.
    # Places are free, so lost brokers do not touch each other and are halved at once.
    reach = 2 * (of.n_rows + int(np.abs(of.held).max(initial=0))) + crowd + 1
    low, high = none - reach, none + reach
    while np.any(low < high):
        middle = (low + high) // 2
        pull = pulls(of, SurvivorPrices(middle, none[None], 0, crowd))
        enough = inherited(of, led, pull, last=True).sum(axis=1) >= inherits
        low, high = np.where(enough, low, np.minimum(middle + 1, high)), np.where(enough, middle, high)
    return SurvivorPrices(low, none[None], 0, crowd)


def place_prices(of: Survivors, prices: SurvivorPrices) -> SurvivorPrices:
    """With the best price of places for each number of leaders, where there are few."""
    n_choices = int((of.most - of.least).max(initial=0)) + 1
    if n_choices > of.params.place_choices:
        return prices
    rows = []
    for choice in range(n_choices):
        led = np.minimum(of.least + choice, of.most)
        reach = 4 * (of.n_rows + int(np.abs(of.held).max(initial=0))) + prices.crowd + 1
        low, high = np.full(len(led), -reach, dtype=np.int64), np.full(len(led), reach, dtype=np.int64)
        while np.any(low < high):  # the least price at which no more is taken than there is
            middle = (low + high) // 2
            pull = pulls(of, replace(prices, place=middle[None]))
            taken = led + inherited(of, led, pull, last=False).sum(axis=0)
            # A price above 0 is paid for the most places, one below 0 for the fewest; where what is taken
            # lies between it is 0 (complementary slackness).
            fits = taken <= np.where(middle >= 0, of.places, of.fewest)
            low, high = np.where(fits, low, np.minimum(middle + 1, high)), np.where(fits, middle, high)
        rows.append(low)
    return replace(prices, place=np.array(rows))


def leader_price(of: Survivors, prices: SurvivorPrices) -> tuple[SurvivorPrices, Int64]:
    """With the price of leaders that goes best with the others, and the leaders per broker best then."""
    # one leader more changes what each survivor has: no price beyond that changes anything
    survivor = 4 * (of.n_rows + int(np.abs(of.held).max(initial=0))) + prices.crowd + 1
    others = int(np.abs(prices.first_follower).max(initial=0) + np.abs(prices.place).max(initial=0))
    high = len(prices.first_follower) * (survivor + others)
    low = -high
    while low < high:
        middle = (low + high) // 2
        if int(best_leaders(of, replace(prices, leader=middle), last=True)[0].sum()) >= of.n_rows:
            high = middle
        else:
            low = middle + 1
    prices = replace(prices, leader=low)
    # At the best price several numbers may be equally good: what is short of all partitions is shared out,
    # broker by broker, so that leaders add up.
    first, last = (best_leaders(of, prices, last=last)[0] for last in (False, True))
    more = np.clip(of.n_rows - int(first.sum()) - np.cumsum(last - first) + (last - first), 0, last - first)
    return prices, first + more


def best_leaders(of: Survivors, prices: SurvivorPrices, *, last: bool) -> tuple[Int64, Int64]:
    """Fewest or most leaders of each broker that are cheapest at these prices, and what that costs.

    Both ``(n_brokers,)``.
    """

    def priced(led: Int64, choice: int) -> Int64:
        place = prices.place[choice]
        each = prices.first_follower + place - prices.leader
        rest = each * led - place * np.where(place > 0, of.places, of.fewest)
        return survivor_costs(of, led, pulls(of, prices, choice)) + rest

    low, high = of.least.copy(), np.maximum(of.least, of.most)
    # With prices of its own each number of leaders is a question of its own, and no shape of the costs helps.
    if len(prices.place) > 1:
        best = priced(low, 0)
        for choice in range(1, len(prices.place)):
            tried = priced(of.least + choice, choice)
            found = (of.least + choice <= high) & ((tried <= best) if last else (tried < best))
            low, best = np.where(found, of.least + choice, low), np.where(found, tried, best)
        return low, best
    while np.any(low < high):  # convex in the number of leaders
        middle = (low + high) // 2
        slope = priced(middle + 1, 0) - priced(middle, 0)
        falls = slope <= 0 if last else slope < 0
        low, high = np.where(falls, np.minimum(middle + 1, high), low), np.where(falls, high, middle)
    return low, priced(low, 0)


def dual_value(of: Survivors, prices: SurvivorPrices) -> int:
    """The bound under any prices."""
    lost = of.counts.any(axis=1)
    # What has one replica is inherited by nobody. Who leads it is
    # open, so it is taken off where that costs the bound most.
    alone = of.alone * int(prices.first_follower[lost].max()) if lost.any() else 0
    each = int(best_leaders(of, prices, last=False)[1].sum())
    return each + prices.leader * of.n_rows - prices.crowd * of.crowded - alone
