"""Bands that counts should lie in, and how far they are outside.

A band is the floor and the ceiling of each share, so 0 is as level as can be; levels are sums of squared
distances from it.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import gcd

import numpy as np
import numpy.typing as npt

from equipoise.cluster.brokers import IntArray
from equipoise.judge.violations import Case

Int64 = npt.NDArray[np.int64]
BoolArray = npt.NDArray[np.bool_]


def shares(total: npt.ArrayLike, weight: Int64) -> tuple[Int64, Int64]:
    """Floor and ceiling of what each broker should hold of ``total`` in proportion to its weight."""
    parts = np.asarray(total, dtype=np.int64) * weight
    whole = max(1, int(weight.sum()))
    return parts // whole, -(-parts // whole)


def widened(total: int, weight: Int64, below: int, above: int) -> tuple[Int64, Int64]:
    """The band of shares with a tolerance in thousandths of a percent on each side."""
    whole = max(1, int(weight.sum())) * 100_000
    low = [max(0, total * w * (100_000 - below) // whole) for w in weight.tolist()]
    high = [-(-total * w * (100_000 + above) // whole) for w in weight.tolist()]
    return np.array(low, dtype=np.int64), np.array(high, dtype=np.int64)


def within(total: int, weight: Int64, sides: tuple[float, float]) -> tuple[Int64, Int64]:
    """The band of shares with a tolerance in percent below and above."""
    below, above = (round(side * 1000) for side in sides)
    return widened(total, weight, below, above) if below or above else shares(total, weight)


def whole_weights(weight: npt.NDArray[np.float64]) -> Int64:
    """Weights as whole numbers in the same proportion, to six digits."""
    if len(weight) == 0:
        return np.zeros(0, dtype=np.int64)
    millionths: Int64 = np.rint(weight / weight.min() * 1_000_000).astype(np.int64)
    return millionths // np.int64(gcd(*millionths.tolist()))


def weights(case: Case, brokers: BoolArray) -> Int64:
    """Whole weights of the brokers that a mask ``(n_brokers,)`` names, ``(n_named,)``."""
    return whole_weights(np.asarray(case.cluster.brokers.weight)[brokers])


def weights_of_all(case: Case, brokers: BoolArray) -> Int64:
    """The same with 0 for the others, ``(n_brokers,)``."""
    weight = np.zeros(case.cluster.n_brokers, dtype=np.int64)
    weight[brokers] = weights(case, brokers)
    return weight


def squares(counts: Int64, low: Int64, high: Int64) -> int:
    """Sum of squared distances of counts from their bands."""
    outside = np.maximum(np.maximum(low - counts, counts - high), 0)
    return int((outside * outside).sum())


def per_topic(case: Case, lists: IntArray, brokers: BoolArray) -> int:
    """Sum over topics of the squared distances of their counts on ``brokers`` from level."""
    n_brokers, n_topics = case.cluster.n_brokers, len(case.cluster.topics)
    row, place = np.nonzero(lists >= 0)
    key = case.cluster.topic_idx[row].astype(np.int64) * n_brokers + lists[row, place]
    counts = np.bincount(key, minlength=n_topics * n_brokers).reshape(n_topics, n_brokers)[:, brokers]
    return squares(counts, *shares(counts.sum(axis=1)[:, None], weights(case, brokers)[None, :]))


def topic_leader_bands(case: Case) -> tuple[Int64, Int64]:
    """Bands of each topic's leaders on each broker beside those that may not change.

    Cells topic by topic, ``(n_topics * n_brokers,)``; what those say of brokers that may not lead is nothing.
    """
    cluster, rules = case.cluster, case.rules
    n, n_topics = cluster.n_brokers, len(cluster.topics)
    fixed = np.flatnonzero(~rules.movable)
    key = cluster.topic_idx[fixed].astype(np.int64) * n + case.before[fixed, 0]
    held = np.bincount(key, minlength=n_topics * n).reshape(n_topics, n).astype(np.int64)
    movable = np.bincount(cluster.topic_idx[rules.movable], minlength=n_topics)
    weight = weights_of_all(case, rules.leads)
    low, high = shares((movable + held[:, rules.leads].sum(axis=1))[:, None], weight[None, :])
    return (low - held).ravel(), (high - held).ravel()


def failover_shares(case: Case, total: int) -> tuple[BoolArray, Int64, Int64]:
    """Which pairs count, and the two ends of their bands when ``total`` leaders are shared.

    ``(n_brokers, n_brokers)`` each: lost brokers by row, survivors by column; 0 for who may not lead.
    """
    n = case.cluster.n_brokers
    counted = np.zeros((n, n), dtype=bool)
    low, high = np.zeros((n, n), dtype=np.int64), np.zeros((n, n), dtype=np.int64)
    for lost, *row in shares_after_each_loss(case, total):
        counted[lost], low[lost], high[lost] = row
    return counted, low, high


def shares_after_each_loss(case: Case, total: int) -> Iterator[tuple[int, BoolArray, Int64, Int64]]:
    """A lost broker that others can take over from, and its row of :func:`failover_shares`, ``(n_brokers,)``.

    One row at a time: pairs of thousands of brokers are many.
    """
    n, leads = case.cluster.n_brokers, case.rules.leads
    weight = weights_of_all(case, leads)
    for lost in np.flatnonzero(leads).tolist():
        others = np.arange(n) != lost
        left = leads & others
        if left.any():
            low, high = np.zeros(n, dtype=np.int64), np.zeros(n, dtype=np.int64)
            low[left], high[left] = shares(total, weight[left])
            yield lost, others, low, high
