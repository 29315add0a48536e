"""What an assignment is worth to each goal, measured on the lists alone.

The planner states a value for every goal of its certificate; here it is counted anew. Levels are sums
of squared distances from a band, floor to ceiling of each share, so 0 is as level as can be.
"""

from __future__ import annotations

from collections.abc import Callable
from math import gcd

import numpy as np
import numpy.typing as npt

from equipoise.cluster import measures
from equipoise.cluster.brokers import IntArray
from equipoise.judge.checks import changes_per_partition
from equipoise.judge.violations import Case, rack_excess

Int64 = npt.NDArray[np.int64]


def goal_value(goal: str, case: Case) -> int | None:
    """Value of a goal by its name, None for one that is not measured here."""
    measure = MEASURES.get(goal)
    return None if measure is None else measure(case)


def shares(total: npt.ArrayLike, weight: Int64) -> tuple[Int64, Int64]:
    """Floor and ceiling of what each broker should hold of ``total`` in proportion to its weight."""
    parts = np.asarray(total, dtype=np.int64) * weight
    whole = max(1, int(weight.sum()))
    return parts // whole, -(-parts // whole)


def whole_weights(weight: npt.NDArray[np.float64]) -> Int64:
    """Weights as whole numbers in the same proportion, to six digits."""
    if len(weight) == 0:
        return np.zeros(0, dtype=np.int64)
    millionths: Int64 = np.rint(weight / weight.min() * 1_000_000).astype(np.int64)
    return millionths // np.int64(gcd(*millionths.tolist()))


def squares(counts: Int64, low: Int64, high: Int64) -> int:
    """Sum of squared distances of counts from their bands."""
    outside = np.maximum(np.maximum(low - counts, counts - high), 0)
    return int((outside * outside).sum())


def racks(case: Case) -> int:
    """Replicas above the rack limit, of the partitions that may change."""
    if not case.cluster.brokers.has_racks:
        return 0
    return int(rack_excess(case, case.target)[1][case.rules.movable].sum())


def replicas(case: Case) -> int:
    """How far the brokers' replica counts are from level."""
    held = measures.replicas_per_broker(case.target, case.cluster.n_brokers)[case.rules.eligible]
    low, high = shares(int(held.sum()), weights(case, case.rules.eligible))
    below, above = (round(side * 1000) for side in case.rules.tolerance)
    if below or above:
        low, high = widened(int(held.sum()), weights(case, case.rules.eligible), below, above)
    return squares(held, low, high)


def widened(total: int, weight: Int64, below: int, above: int) -> tuple[Int64, Int64]:
    """The band of shares with a tolerance in thousandths of a percent on each side."""
    whole = max(1, int(weight.sum())) * 100_000
    low = [max(0, total * w * (100_000 - below) // whole) for w in weight.tolist()]
    high = [-(-total * w * (100_000 + above) // whole) for w in weight.tolist()]
    return np.array(low, dtype=np.int64), np.array(high, dtype=np.int64)


def moves(case: Case) -> int:
    return int(case.new.sum())


def topics(case: Case) -> int:
    """How far the replica counts of each topic are from level."""
    return per_topic(case, case.target, case.rules.eligible)


def leaders(case: Case) -> int:
    """How far the leader counts of the brokers that may lead are from level."""
    led = measures.leaders_per_broker(case.target, case.cluster.n_brokers)[case.rules.leads]
    return squares(led, *shares(int(led.sum()), weights(case, case.rules.leads)))


def rack_leaders(case: Case) -> int:
    """How far the racks' leader counts are from level."""
    brokers, leads = case.cluster.brokers, case.rules.leads
    n_racks = len(brokers.rack_names)
    led = measures.leaders_per_broker(case.target, case.cluster.n_brokers)
    weight = np.zeros(n_racks, dtype=np.int64)
    np.add.at(weight, brokers.rack_idx[leads], weights(case, leads))
    counts = np.zeros(n_racks, dtype=np.int64)
    np.add.at(counts, brokers.rack_idx, led)
    low, high = shares(int(led[leads].sum()), weight)
    some = weight > 0
    return squares(counts[some], low[some], high[some])


def elections(case: Case) -> int:
    """Preferred leaders that change."""
    return int(measures.leadership_changed(case.before, case.target).sum())


def topic_leaders(case: Case) -> int:
    """How far the leader counts of each topic are from level."""
    return per_topic(case, case.target[:, :1], case.rules.leads)


def failover(case: Case) -> int:
    """How far the survivors' leader counts are from level after the loss of each broker in turn.

    Each loss has shares of its own, over the brokers that may lead and are left; the others should
    inherit nothing.
    """
    n_brokers, leads = case.cluster.n_brokers, case.rules.leads
    led = int(measures.leaders_per_broker(case.target, n_brokers)[leads].sum())
    counted, low, high = failover_shares(case, led)
    table = measures.failover_leaders(case.target, n_brokers)
    return squares(table[counted], low[counted], high[counted])


def failover_shares(case: Case, total: int) -> tuple[npt.NDArray[np.bool_], Int64, Int64]:
    """Which pairs count, and the two ends of their bands when ``total`` leaders are shared.

    ``(n_brokers, n_brokers)`` each: lost brokers by row, survivors by column; 0 for who may not lead.
    """
    n, leads = case.cluster.n_brokers, case.rules.leads
    counted = np.zeros((n, n), dtype=bool)
    low, high = np.zeros((n, n), dtype=np.int64), np.zeros((n, n), dtype=np.int64)
    weight = np.zeros(n, dtype=np.int64)
    weight[leads] = weights(case, leads)
    for lost in np.flatnonzero(leads).tolist():
        others = np.arange(n) != lost
        left = leads & others
        if left.any():
            counted[lost] = others
            low[lost, left], high[lost, left] = shares(total, weight[left])
    return counted, low, high


def positions(case: Case) -> int:
    """How far the replica counts at each follower position are from level."""
    eligible, total = case.rules.eligible, 0
    for place in range(1, case.target.shape[1]):
        at = case.target[:, place]
        held = np.bincount(at[at >= 0], minlength=case.cluster.n_brokers).astype(np.int64)[eligible]
        total += squares(held, *shares(int(held.sum()), weights(case, eligible)))
    return total


def reorders(case: Case) -> int:
    """Partitions that keep their brokers and change their order."""
    changed = measures.changed_rows(case.before, case.target)
    changed = changed[case.cluster.rf[changed] > 0]
    return int((changes_per_partition(case.before[changed], case.target[changed]) == 0).sum())


def weights(case: Case, brokers: npt.NDArray[np.bool_]) -> Int64:
    return whole_weights(np.asarray(case.cluster.brokers.weight)[brokers])


def per_topic(case: Case, lists: IntArray, brokers: npt.NDArray[np.bool_]) -> int:
    """Sum over topics of the squared distances of their counts on ``brokers`` from level."""
    n_brokers, n_topics = case.cluster.n_brokers, len(case.cluster.topics)
    row, place = np.nonzero(lists >= 0)
    key = case.cluster.topic_idx[row].astype(np.int64) * n_brokers + lists[row, place]
    counts = np.bincount(key, minlength=n_topics * n_brokers).reshape(n_topics, n_brokers)[:, brokers]
    return squares(counts, *shares(counts.sum(axis=1)[:, None], weights(case, brokers)[None, :]))


MEASURES: dict[str, Callable[[Case], int]] = {
    "racks": racks,
    "replicas": replicas,
    "moves": moves,
    "topics": topics,
    "leaders": leaders,
    "rack-leaders": rack_leaders,
    "elections": elections,
    "topic-leaders": topic_leaders,
    "failover": failover,
    "positions": positions,
    "reorders": reorders,
}
