"""Sweeps over the brokers: every replica goes where that pays most, many at once, while prices last."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from equipoise.planning.loads.pull import Float64, Pull
from equipoise.planning.loads.standing import Standing
from equipoise.planning.loads.weights import Int64

NOTHING = 1e-12
"""Gains below it are rounding."""


def sweep(standing: Standing, pull: Pull, *, places: bool) -> int:
    """All brokers once, those with the most to give first; how many leaders changed, or replicas moved.

    ``places``: replicas may move.
    """
    worth = pull.prices().sum(axis=0)
    changed = 0
    # An order by prices as they were: what has changed since, each broker's own turn sees.
    for broker in np.argsort(-worth, kind="stable").tolist():
        if standing.of_leaders.any():
            changed += leads_from(standing, pull, broker)
        if places:
            changed += moves_from(standing, pull, broker)
    return changed


def moves_from(standing: Standing, pull: Pull, source: int) -> int:
    """Replicas that leave a broker, each to where that pays most."""
    targets = attractive(standing, pull, source)
    if not len(targets):
        return 0
    offer = Offer.of(standing, pull, source, targets)
    target = offer.reduced.argmin(axis=1)
    best = offer.reduced[np.arange(len(target)), target]
    good = np.flatnonzero(best < -NOTHING)
    total, moved = np.bincount(target[good], -best[good], len(targets)), 0
    for at in np.argsort(-total, kind="stable")[: int((total > 0).sum())].tolist():
        some, to = good[target[good] == at], int(targets[at])
        pay = offer.pay[some, at]
        # Most saved for the price first: each one that goes takes some of the pull away from those behind it.
        order = np.argsort((best[some] - pay) / np.maximum(pay, NOTHING), kind="stable")
        some, pay = some[order], pay[order]
        rows = offer.rows[some]
        more = standing.more(rows, source, targets[at : at + 1])[:, 0]
        few = prefix(standing.spending.allow_up_to(rows, more))
        # Prices told what one replica is worth. What several are worth together, the squares say.
        few = cheapest_prefix(pull, offer.weight[some[:few]], pay[:few], source, to)
        if few:
            standing.move(rows[:few], source, to)
            moved += few
    return moved


def attractive(standing: Standing, pull: Pull, source: int) -> Int64:
    """Brokers that some load is cheaper on, and those that something here came from."""
    prices = pull.prices()
    good = np.asarray((prices < prices[:, source : source + 1] - NOTHING).any(axis=0))
    rows = standing.on[source]
    homes = standing.before[rows[standing.touched[rows]]]
    good[homes[homes >= 0]] = True
    good[source] = False
    return np.flatnonzero(good)


@dataclass(frozen=True, eq=False)
class Offer:
    """What it is worth that replicas on one broker go to others."""

    rows: Int64
    weight: Int64
    """``(n_rows, n_loads)``."""
    pay: Float64
    """``(n_rows, n_targets)``: the price."""
    reduced: Float64
    """That less what it saves; inf where one may not go."""

    @classmethod
    def of(cls, standing: Standing, pull: Pull, source: int, targets: Int64) -> Offer:
        rows = standing.on[source]
        weight = standing.weights(rows, source)
        prices = pull.prices() / standing.share[:, None]
        pay = standing.pay(rows, source, targets)
        reduced = pay + weight @ prices[:, targets] - (weight @ prices[:, source])[:, None]
        reduced[~standing.may_go(rows, source, targets)] = np.inf
        if standing.spending.binds:
            more = standing.more(rows, source, targets)
            for k in range(len(targets)):
                reduced[~standing.spending.allow(rows, more[:, k]), k] = np.inf
        return cls(rows, weight, pay, reduced)

    def best(self, column: int, few: int) -> Offer:
        """The ``few`` that are nearest to being worth it for one target."""
        reduced = self.reduced[:, column]
        some = np.flatnonzero(np.isfinite(reduced))
        if len(some) > few:
            some = np.sort(some[np.argpartition(reduced[some], few)[:few]])
        return Offer(self.rows[some], self.weight[some], self.pay[some, column], reduced[some])


def cheapest_prefix(pull: Pull, weight: Int64, pay: Float64, source: int, target: int) -> int:
    """How many of some replicas, in their order, had best go together; 0 where none."""
    if not len(weight):
        return 0
    change = pull.change(np.cumsum(weight, axis=0), source, target) + np.cumsum(pay)
    at = int(change.argmin())
    return at + 1 if change[at] < -NOTHING else 0


def prefix(good: npt.NDArray[np.bool_]) -> int:
    """How many hold before the first that does not."""
    return len(good) if good.all() else int(np.argmin(good))


def leads_from(standing: Standing, pull: Pull, source: int) -> int:
    """Partitions that a broker hands the lead of to another of their brokers."""
    rows = standing.on[source]
    rows = rows[standing.leader[rows] == source]
    held = standing.lists[rows]
    weight = standing.weight[rows] * standing.of_leaders
    prices = pull.prices() / standing.share[:, None]
    at = np.maximum(held, 0)
    was = standing.before[rows, 0]
    changed = (was == source)[:, None].astype(np.int64) - (was[:, None] == held)
    pay = changed * (was >= 0)[:, None] * standing.election
    saved = (weight @ prices[:, source])[:, None] - np.take_along_axis(weight @ prices, at, axis=1)
    reduced = pay - saved
    reduced[(held < 0) | (held == source) | ~standing.problem.leads[at]] = np.inf
    place = reduced.argmin(axis=1)
    best = reduced[np.arange(len(rows)), place]
    good = np.flatnonzero(best < -NOTHING)
    target = held[good, place[good]]
    total, handed = np.bincount(target, -best[good], len(standing.on)), 0
    for to in np.argsort(-total, kind="stable")[: int((total > 0).sum())].tolist():
        some = good[target == to]
        some = some[np.argsort(best[some], kind="stable")]
        count = cheapest_prefix(pull, weight[some], pay[some, place[some]], source, to)
        if count:
            standing.hand_lead(rows[some[:count]], source, to)
            handed += count
    return handed


def exchange(standing: Standing, pull: Pull, broker: int) -> bool:
    """The exchange of two replicas, one of this broker's, that pays most; False where none does."""
    everyone, few = np.arange(len(standing.on)), standing.problem.params.load_candidates
    offer = Offer.of(standing, pull, broker, everyone)
    best, chosen = -NOTHING, None
    # Few of each side: a pair is tried for every two of them.
    for other in np.flatnonzero(np.isfinite(offer.reduced).any(axis=0)).tolist():
        there = offer.best(other, few)
        back = Offer.of(standing, pull, other, everyone[broker : broker + 1]).best(0, few)
        if not len(back.rows):
            continue
        change = pull.change(there.weight[:, None] - back.weight[None], broker, other)
        change += there.pay[:, None] + back.pay[None]
        k, j = np.unravel_index(int(change.argmin()), change.shape)
        pair = np.array([there.rows[k], back.rows[j]])
        if change[k, j] < best and affordable(standing, pair, broker, other):
            best, chosen = float(change[k, j]), (pair, other)
    if chosen is None:
        return False
    pair, other = chosen
    standing.move(pair[:1], broker, other)
    standing.move(pair[1:], other, broker)
    return True


def affordable(standing: Standing, pair: Int64, source: int, target: int) -> bool:
    """True where the budgets allow the exchange."""
    one, other = np.array([source]), np.array([target])
    more = np.r_[standing.more(pair[:1], source, other)[:, 0], standing.more(pair[1:], target, one)[:, 0]]
    return standing.spending.allow_together(pair, more)
