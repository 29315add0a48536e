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
    rows = case.rules.movable
    return per_topic(case, case.target[rows], np.flatnonzero(rows), case.rules.eligible)


def leaders(case: Case) -> int:
    """How far the leader counts of the brokers that may lead are from level."""
    led = measures.leaders_per_broker(case.target, case.cluster.n_brokers)[case.rules.leads]
    return squares(led, *shares(leaders_to_share(case), weights(case, case.rules.leads)))


def rack_leaders(case: Case) -> int:
    """How far the racks' leader counts are from level."""
    brokers = case.cluster.brokers
    n_racks = len(brokers.rack_names)
    weight = np.zeros(case.cluster.n_brokers, dtype=np.int64)
    weight[case.rules.leads] = weights(case, case.rules.leads)
    by_rack = np.bincount(brokers.rack_idx, weights=weight, minlength=n_racks).astype(np.int64)
    led = measures.leaders_per_broker(case.target, case.cluster.n_brokers)
    counts = np.bincount(brokers.rack_idx, weights=led, minlength=n_racks).astype(np.int64)
    low, high = shares(leaders_to_share(case), by_rack)
    some = by_rack > 0
    return squares(counts[some], low[some], high[some])


def elections(case: Case) -> int:
    """Preferred leaders that change."""
    return int(measures.leadership_changed(case.before, case.target).sum())


def topic_leaders(case: Case) -> int:
    """How far the leader counts of each topic are from level."""
    return per_topic(case, case.target[:, :1], np.arange(len(case.target)), case.rules.leads)


def reorders(case: Case) -> int:
    """Partitions that keep their brokers and change their order."""
    changed = measures.changed_rows(case.before, case.target)
    return int((changes_per_partition(case.before[changed], case.target[changed]) == 0).sum())


def weights(case: Case, brokers: npt.NDArray[np.bool_]) -> Int64:
    return whole_weights(np.asarray(case.cluster.brokers.weight)[brokers])


def leaders_to_share(case: Case) -> int:
    """Leaders of the partitions that may change, and of the others those on brokers that may lead."""
    first = case.target[~case.rules.movable, 0]
    return int(case.rules.movable.sum()) + int(case.rules.leads[first].sum())


def per_topic(case: Case, lists: IntArray, rows: Int64, brokers: npt.NDArray[np.bool_]) -> int:
    """Sum over topics of the squared distances of their counts on ``brokers`` from level.

    Only topics with a row that may change have a level of their own.
    """
    n_brokers, n_topics = case.cluster.n_brokers, len(case.cluster.topics)
    topic = np.broadcast_to(case.cluster.topic_idx[rows].astype(np.int64)[:, None], lists.shape)
    held = lists >= 0
    table = np.bincount(topic[held] * n_brokers + lists[held], minlength=n_topics * n_brokers)
    table = table.reshape(n_topics, n_brokers)[:, brokers]
    chosen = np.unique(case.cluster.topic_idx[case.rules.movable])
    table = table[chosen]
    return squares(table, *shares(table.sum(axis=1)[:, None], weights(case, brokers)[None, :]))


MEASURES: dict[str, Callable[[Case], int]] = {
    "racks": racks,
    "replicas": replicas,
    "moves": moves,
    "topics": topics,
    "leaders": leaders,
    "rack-leaders": rack_leaders,
    "elections": elections,
    "topic-leaders": topic_leaders,
    "reorders": reorders,
}
