"""Shares and bands of a problem: what each broker, rack and topic should hold if the cluster were level.

A band is the floor and the ceiling of a share (widened by the tolerance for ``replicas``); the
distance of a count from its band is squared and summed, so that the worst brokers weigh most and,
among brokers with equal shares, the most even counts win.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from equipoise.cluster import measures
from equipoise.cluster.brokers import IntArray
from equipoise.planning.problem.bands import band, whole_weights
from equipoise.planning.problem.problem import Problem

Int64 = npt.NDArray[np.int64]
ANYTHING = np.int64(2**40)
"""The end of a band that has none: more than can be counted."""


def squared(count: Int64, low: Int64, high: Int64) -> Int64:
    """The squared distance of each count from its band."""
    away: Int64 = np.maximum(np.maximum(low - count, count - high), 0) ** 2
    return away


def squares(count: Int64, low: Int64, high: Int64) -> int:
    """The sum of those."""
    return int(squared(count, low, high).sum())


def weights(problem: Problem, allowed: npt.NDArray[np.bool_]) -> Int64:
    """``(n_brokers,)`` whole-number weights, 0 where not allowed."""
    result = np.zeros(problem.cluster.n_brokers, dtype=np.int64)
    some = np.flatnonzero(allowed)
    result[some] = whole_weights(problem.cluster.brokers.weight[some])
    return result


def open_band(
    total: npt.ArrayLike, weight: Int64, tolerance: tuple[float, float] = (0.0, 0.0)
) -> tuple[Int64, Int64]:
    """`band`, where nodes without weight may hold anything (only what cannot move is there)."""
    low, high = band(total, weight, tolerance)
    return np.where(weight > 0, low, 0), np.where(weight > 0, high, ANYTHING)


def replica_band(problem: Problem, lists: IntArray) -> tuple[Int64, Int64]:
    held = measures.replicas_per_broker(lists, problem.cluster.n_brokers)
    total = int(held[problem.eligible].sum())
    return open_band(total, weights(problem, problem.eligible), problem.request.sides("count"))


def leader_band(problem: Problem, lists: IntArray) -> tuple[Int64, Int64]:
    led = measures.leaders_per_broker(lists, problem.cluster.n_brokers)
    sides = problem.request.sides("leaders")
    return open_band(int(led[problem.leads].sum()), weights(problem, problem.leads), sides)


def rack_weights(problem: Problem, allowed: npt.NDArray[np.bool_]) -> Int64:
    """``(n_racks,)`` whole-number weights of the racks' allowed brokers together."""
    total = np.bincount(problem.rack_idx, weights=weights(problem, allowed), minlength=problem.n_racks)
    return total.astype(np.int64)


def by_rack(problem: Problem, count: Int64) -> Int64:
    """``(n_racks,)``: counts of brokers, ``(n_brokers,)``, added up by rack."""
    return np.bincount(problem.rack_idx, weights=count, minlength=problem.n_racks).astype(np.int64)


def table(problem: Problem, rows: Int64, broker: IntArray) -> Int64:
    """``(n_topics, n_brokers)`` counts of brokers by the topic of their row."""
    n = problem.cluster.n_brokers
    key = problem.cluster.topic_idx[rows].astype(np.int64) * n + broker
    return np.bincount(key, minlength=len(problem.cluster.topics) * n).reshape(-1, n).astype(np.int64)


def topic_bands(problem: Problem, count: Int64, allowed: npt.NDArray[np.bool_]) -> tuple[Int64, Int64]:
    """Low and high of each topic's counts ``(n_topics, n_brokers)`` as they lie on allowed brokers."""
    return topic_shares(problem, count[:, allowed].sum(axis=1), allowed)


def topic_shares(problem: Problem, total: Int64, allowed: npt.NDArray[np.bool_]) -> tuple[Int64, Int64]:
    """Low and high ``(n_topics, n_brokers)`` of what each topic has in ``total`` on allowed brokers."""
    weight = weights(problem, allowed)[None, :]
    whole = max(1, int(weight.sum()))
    parts = total[:, None] * weight
    return np.where(weight > 0, parts // whole, 0), np.where(weight > 0, -(-parts // whole), ANYTHING)


def topic_leader_bands(problem: Problem) -> tuple[Int64, Int64]:
    """Low and high of each topic's leaders ``(n_topics, n_brokers)``, beside those that may not change."""
    fixed = np.flatnonzero(~problem.movable)
    there = table(problem, fixed, problem.cluster.replicas[fixed, 0])
    movable = np.bincount(problem.cluster.topic_idx[problem.movable], minlength=len(there))
    low, high = topic_shares(problem, there[:, problem.leads].sum(axis=1) + movable, problem.leads)
    return low - there, high - there


def failover_bands(problem: Problem, n_led: int) -> tuple[Int64, Int64]:
    """``(n_brokers, n_brokers)`` low and high: lost broker by row, survivor by column."""
    weight = weights(problem, problem.leads)
    n = len(weight)
    low, high = np.zeros((n, n), dtype=np.int64), np.full((n, n), ANYTHING)
    for lost in np.flatnonzero(problem.leads):
        others = weight.copy()
        others[lost] = 0
        if others.any():
            low[lost], high[lost] = open_band(n_led, others)
            low[lost, ~problem.leads], high[lost, ~problem.leads] = 0, 0
            low[lost, lost], high[lost, lost] = 0, ANYTHING
    return low, high


def same_set(before: IntArray, after: IntArray) -> npt.NDArray[np.bool_]:
    """``(n_partitions,)``: the list has the brokers that it had."""
    width = max(before.shape[1], after.shape[1])
    was, is_ = (np.sort(measures.widened(lists, width), axis=1) for lists in (before, after))
    return np.asarray((was == is_).all(axis=1))
