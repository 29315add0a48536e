"""What a plan does not need after all: moves that are taken back, smaller replicas in place of larger, and
elections of partitions whose leader could have stayed.
"""

from __future__ import annotations

import numpy as np

from equipoise.planning.loads.standing import Standing
from equipoise.planning.loads.sweeps import affordable
from equipoise.planning.loads.weights import BoolArray, Int64


def spare(standing: Standing) -> None:
    """Spare bytes and moves where no load gets farther from its band, until there are none to spare."""
    while sum(spared(standing, row, broker) for row, broker in arrived(standing)):
        pass


def arrived(standing: Standing) -> list[tuple[int, int]]:
    """Partitions and the brokers that they came to, the dearest first."""
    lists, before = standing.lists, standing.before
    new = (lists >= 0) & (before[:, :1] >= 0) & standing.problem.movable[:, None]
    for k in range(before.shape[1]):
        new &= lists != before[:, k : k + 1]
    row, place = np.nonzero(new)
    # The dearest first: going home uses up what the bands leave free, and it saves most for that.
    order = np.lexsort((place, row, -standing.price[row]))
    return [(int(row[k]), int(lists[row[k], place[k]])) for k in order]


def spared(standing: Standing, row: int, broker: int) -> bool:
    """True where the replica goes home, or a smaller one comes from there in its place."""
    if broker not in standing.lists[row]:  # it has gone in another's place
        return False
    one = np.array([row])
    left = [b for b in standing.before[row].tolist() if b >= 0 and b not in standing.lists[row]]
    for home in left:
        if not standing.may_go(one, broker, np.array([home]))[0, 0]:
            continue
        weight = standing.weights(one, broker)
        if keeps(standing, weight, broker, home)[0]:
            standing.move(one, broker, home)
            return True
        other = smaller(standing, one, weight, broker, home)
        if other is not None:
            standing.move(one, broker, home)
            standing.move(other, home, broker)
            return True
    return False


def smaller(standing: Standing, one: Int64, weight: Int64, broker: int, home: int) -> Int64 | None:
    """The cheapest replica that may come instead, None where none is cheaper."""
    rows = standing.on[home]
    # Only cheaper ones, so that each exchange saves something and this comes to an end.
    rows = rows[standing.price[rows] < standing.price[one[0]]]
    there, back = np.array([broker]), np.array([home])
    gain = standing.pay(one, broker, back)[0, 0]
    fits = keeps(standing, weight - standing.weights(rows, home), broker, home)
    rows = rows[fits]
    rows = rows[standing.may_go(rows, home, there)[:, 0]]
    pay = standing.pay(rows, home, there)[:, 0]
    if not len(rows) or pay.min() + gain >= 0:
        return None
    best = rows[int(pay.argmin())][None]
    more = np.r_[standing.more(one, broker, back)[:, 0], standing.more(best, home, there)[:, 0]]
    return best if standing.spending.allow_together(np.r_[one, best], more) else None


def leaders_back(standing: Standing) -> bool:
    """Leaders that left come home, where a follower of today's leaves in their place; True if any did.

    Nothing costs more moves or bytes, and no load gets farther from its band.
    """
    came = False
    while sum(came_home(standing, row) for row in leaderless(standing)):
        came = True
    return came


def leaderless(standing: Standing) -> list[int]:
    """Partitions whose leader of today left, though it could lead."""
    problem, leader = standing.problem, standing.before[:, 0]
    home = np.maximum(leader, 0)
    could = problem.movable & (leader >= 0) & problem.eligible[home] & problem.leads[home]
    left = ~(standing.lists == leader[:, None]).any(axis=1)
    return np.flatnonzero(could & left).tolist()


def came_home(standing: Standing, row: int) -> bool:
    """True where today's leader is back; where loads forbid it alone, another replica goes the other way."""
    one, home = np.array([row]), int(standing.before[row, 0])
    back = np.array([home])
    for broker in np.intersect1d(standing.lists[row], standing.before[row]).tolist():
        if broker < 0 or not standing.may_go(one, broker, back)[0, 0]:
            continue
        weight, there = standing.weights(one, broker), np.array([broker])
        if keeps(standing, weight, broker, home)[0]:
            standing.move(one, broker, home)
            return True
        rows = standing.on[home]
        rows = rows[standing.before[rows, 0] != home]
        # Who goes in exchange is no leader of today, and has left
        # its broker anyway or leaves this one for its own.
        rows = rows[standing.more(rows, home, there)[:, 0] <= 0]
        rows = rows[keeps(standing, weight - standing.weights(rows, home), broker, home)]
        rows = rows[standing.may_go(rows, home, there)[:, 0]]
        if len(rows) and affordable(standing, np.r_[one, rows[:1]], broker, home):
            standing.move(one, broker, home)
            standing.move(rows[:1], home, broker)
            return True
    return False


def keeps(standing: Standing, weight: Int64, source: int, target: int) -> BoolArray:
    """``(n,)``: with ``(n, n_loads)`` gone from one to the other neither is farther from a band."""
    good = np.ones(len(weight), dtype=bool)
    for broker, sign in ((source, -1), (target, 1)):
        low, high, held = (column[:, broker] for column in (standing.low, standing.high, standing.borne))
        now = np.maximum(np.maximum(low - held, held - high), 0)
        then = held + sign * weight
        good &= (np.maximum(np.maximum(low - then, then - high), 0) <= now).all(axis=1)
    return good
