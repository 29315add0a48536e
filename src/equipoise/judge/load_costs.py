"""What bringing a load into its bands costs at least, whatever the plan: bytes, moves, or elections.

What a broker has above its band leaves it, the cheapest for their weight first, and what it lacks comes to
it. What leaves a broker is copied to another one of its rack, but for what the whole rack may lose or has to
gain: each rack copies the more of both sums, and so do all racks together. Leaders know no racks. Sums are
exact.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import ceil, isqrt

import numpy as np
import numpy.typing as npt

from equipoise.cluster import measures
from equipoise.cluster.brokers import IntArray
from equipoise.judge.goals.racks import Racks
from equipoise.judge.load_levels import beyond_bands, in_racks, per_rack, racks_of
from equipoise.judge.loads import COUNTED, Load, held_of, leads, load_of, rack_room
from equipoise.judge.violations import Case, rack_excess

Int64 = npt.NDArray[np.int64]
Sides = tuple[Fraction, Fraction]
NEARLY = Fraction(1, 10**12)
"""More than the relative error of the quotients that put replicas in order."""


def least_copies(case: Case, cost: Int64, before: Sequence[str]) -> int:
    """The least that copies cost in plans as good as this one at the goals ``before``.

    ``cost`` ``(n_partitions,)``: of one copy.
    """
    cost = np.where(case.cluster.rf > 0, cost, 0)
    # Only plans that are as good at `racks` count: where this
    # one leaves nothing above a limit, none of them may.
    mended = Racks.name in before and not rack_excess(case, case.target)[1][case.rules.movable].any()
    forced = sum((forced_copies(case, mended=mended) * cost).tolist())
    levelled = [name for name in levelled_before(case, before) if not leads(name)]
    return max([forced, *(cost_of_bands(case, load_of(case, name), cost) for name in levelled)])


def least_elections(case: Case, before: Sequence[str]) -> int | None:
    """The fewest elections in such plans; None where no load of leaders is among the goals ``before``."""
    each = (case.cluster.rf > 0).astype(np.int64)
    led = [name for name in levelled_before(case, before) if leads(name)]
    return max((cost_of_bands(case, load_of(case, name), each) for name in led), default=None)


def levelled_before(case: Case, before: Sequence[str]) -> list[str]:
    """The loads of the request whose goals are among those."""
    return [name for name in case.rules.loads if COUNTED.get(name, name) in before]


def cost_of_bands(case: Case, load: Load, cost: Int64) -> int:
    """The least cost in plans that leave no more outside the bands of a load than this one.

    ``cost`` ``(n_partitions,)``: of a copy; of an election where leaders bear the load.
    """
    rack = racks_of(case, load)[0].tolist()
    stays_above, stays_below = beyond_bands(case, load)
    left = allowed_outside(case, load)
    gives, takes, dearest = cost_of_brokers(case, load, cost, whole=left == 0)
    racks: list[Sides] = []
    for at, grown in enumerate(growth_of_racks(case, load, cost)):
        # What stays outside in any plan need not be copied, and could have saved the dearest unit at most.
        leaves, comes = grown - int(stays_above[at]) * dearest, -int(stays_below[at]) * dearest
        inside = [b for b, of in enumerate(rack) if of == at]
        racks.append((sum((gives[b] for b in inside), leaves), sum((takes[b] for b in inside), comes)))
    leaves = sum(gives, growth(case, load, cost) - int(stays_above.sum()) * dearest)
    everywhere = leaves, sum((comes for _, comes in racks), Fraction(0))
    # What this plan leaves outside beyond that, another may leave wherever it saves most.
    saved = max(0, left - int(stays_above.sum() + stays_below.sum())) * dearest
    best = max(eased(racks, saved), eased([everywhere], saved))
    # Sums are exact, but the quotients that put replicas in order are not. Where cost and weight are the
    # same, or one of them is of all, no rounding puts them in a wrong order.
    in_order = (cost == load.weight).all() or np.ptp(cost) == 0 or np.ptp(load.weight) == 0
    return max(0, ceil(best if in_order else best - abs(best) * NEARLY))


def growth_of_racks(case: Case, load: Load, cost: Int64) -> list[int]:
    """What comes to each rack beside what takes the place of what leaves; negative where it may shrink."""
    if leads(load.name):
        return [growth(case, load, cost)]
    rack, n_racks = racks_of(case, load)
    here = np.where(case.rules.eligible, held_of(case.before, cost, len(rack)), 0)
    grown: list[int] = (in_racks(case, cost)[0] - per_rack(here, rack, n_racks)).tolist()
    return grown


def growth(case: Case, load: Load, cost: Int64) -> int:
    """The same of all brokers together: what stands where it may not, and higher replication factors."""
    rules = case.rules
    free = np.where(rules.movable[:, None], case.before, -1)
    if leads(load.name):
        led = held_of(free[:, :1], cost, len(rules.leads))
        return int(led[~load.banded].sum())
    here = held_of(free, cost, len(rules.leads))
    return sum((rules.rf * cost)[rules.movable].tolist()) - int(here[rules.eligible].sum())


def allowed_outside(case: Case, load: Load) -> int:
    """What lies outside the bands at most in plans as good at the load as this one."""
    if load.name not in COUNTED:
        return load.outside(case.target)
    squares = int((load.distances(case.target) ** 2).sum())  # what this goal counts
    return min(squares, isqrt(squares * case.cluster.n_brokers))


def eased(racks: Sequence[Sides], saved: Fraction) -> Fraction:
    """The larger of both sides, summed, less what is ``saved`` where that helps most.

    Taken off the larger side it counts in full; where both are even, half of it on each side counts once.
    """
    apart = sum((abs(up - down) for up, down in racks), Fraction(0))
    return sum(map(max, racks), Fraction(0)) - min(saved, apart) - max(Fraction(0), saved - apart) / 2


def cost_of_brokers(
    case: Case, load: Load, cost: Int64, *, whole: bool
) -> tuple[list[Fraction], list[Fraction], Fraction]:
    """For each broker what leaves it costs at least, and what comes to it; and the dearest unit of the load.

    ``whole``: nothing may stay outside the bands, so each broker's cost is a whole number.
    """
    n, movable = case.cluster.n_brokers, case.rules.movable
    lists = case.before[:, :1] if leads(load.name) else case.before
    held = load.held(lists)
    gives, takes, dearest = [Fraction(0)] * n, [Fraction(0)] * n, Fraction(0)
    anywhere = Knapsack(load.weight[movable], cost[movable])
    for broker in np.flatnonzero(load.banded).tolist():
        over, short = int(held[broker] - load.high[broker]), int(load.low[broker] - held[broker])
        if max(over, short) <= 0:
            continue
        own = movable & (lists == broker).any(axis=1)
        choice = Knapsack(load.weight[own], cost[own]) if over > 0 else anywhere
        # Nothing says which replicas come to a broker, so those
        # are the cheapest of all; those that go are its own.
        least, rate = choice.least(max(over, short))
        (gives if over > 0 else takes)[broker] = Fraction(ceil(least)) if whole else least
        dearest = max(dearest, rate)
    return gives, takes, dearest


class Knapsack:
    """Replicas in the order of what a unit of their weight costs."""

    def __init__(self, weight: Int64, cost: Int64) -> None:
        order = np.flatnonzero(weight > 0)
        order = order[np.argsort(cost[order] / weight[order], kind="stable")]
        self.weight, self.cost = weight[order], cost[order]
        self.total = np.cumsum(self.weight), np.cumsum(self.cost)

    def least(self, need: int) -> tuple[Fraction, Fraction]:
        """What a weight costs, or all that there is, replicas divisible; and the last unit of it."""
        if not len(self.weight):
            return Fraction(0), Fraction(0)
        weights, costs = self.total
        at = min(int(np.searchsorted(weights, need)), len(weights) - 1)
        rate = Fraction(int(self.cost[at]), int(self.weight[at]))
        # Of the last replica only the part that is needed is paid: no whole choice costs less.
        return int(costs[at]) - max(0, int(weights[at]) - need) * rate, rate


def forced_copies(case: Case, *, mended: bool) -> Int64:
    """``(n_partitions,)``: copies that each partition needs for the rules alone, 0 for one to be created.

    Of what it has today those stay that stand on eligible brokers, as many as its racks may have; where none
    of them may lead, another comes. ``mended``: no partition ends with replicas above its racks' limit.
    """
    rules = case.rules
    rack, n_racks = racks_of(case)
    here = on_eligible(case, case.before)
    rf = rules.rf.astype(np.int64)
    taken = rules.pinned & (rules.base != case.before) & (rules.base >= 0)
    new = np.where(taken, rules.base, -1)
    limit, excess = rack_room(case, np.arange(len(rf)))
    limit, excess = limit[:, None], np.where(mended, 0, excess)
    # What is taken over is copied for certain, and has its place in its rack before all others.
    comes = measures.replicas_per_rack(new, rack, n_racks)
    there = measures.replicas_per_rack(here, rack, n_racks)
    room = np.maximum(limit - comes, 0)
    spare = np.maximum(excess - np.maximum(comes - limit, 0).sum(axis=1), 0)
    # As many as the limits leave room for, and above them
    # as many as the excess that is left, in whichever rack.
    kept = np.minimum(there, room).sum(axis=1) + np.minimum(np.maximum(there - room, 0).sum(axis=1), spare)
    kept = np.minimum(kept, rf - comes.sum(axis=1))
    homeless = ~np.any([((lists >= 0) & rules.leads[lists]).any(axis=1) for lists in (here, new)], axis=0)
    # Somebody has to lead: if nobody here may, one of all places is for one that comes.
    kept = np.where(homeless, np.minimum(kept, rf - comes.sum(axis=1) - 1), kept)
    return np.where(rules.movable & (case.cluster.rf > 0), np.maximum(rf - np.maximum(kept, 0), 0), 0)


def on_eligible(case: Case, lists: IntArray) -> IntArray:
    """The lists, -1 in place of brokers that may hold nothing."""
    return np.where((lists >= 0) & case.rules.eligible[lists], lists, -1)
