"""What each goal measures, as one number to be made as small as possible.

A band is the floor and the ceiling of a share (widened by the tolerance for ``replicas``); the
distance of a count from its band is squared and summed, so that the worst brokers weigh most and,
among brokers with equal shares, the most even counts win.

======================  ===================================================================
goal                    value
======================  ===================================================================
``racks``               replicas above the rack limit, summed over partitions and racks
``replicas``            squared distance of each broker's replicas from its band
``moves``               data moves (a partition that is created moves nothing)
``topics``              squared distance of each topic's replicas on each broker from its band
``leaders``             squared distance of each broker's preferred leaders from its band
``rack-leaders``        squared distance of each rack's preferred leaders from its band
``elections``           partitions whose preferred leader changes
``topic-leaders``       squared distance of each topic's leaders on each broker from its band
``failover``            squared distance, for each lost broker and each survivor, of the
                        survivor's leaders (its own and those it inherits as first follower)
                        from its band of all leaders over the survivors
``positions``           squared distance of each broker's replicas at each follower position
``reorders``            partitions with the same brokers in a new order
======================  ===================================================================
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from equipoise.cluster import measures
from equipoise.cluster.brokers import IntArray
from equipoise.planning.bands import band, whole_weights
from equipoise.planning.problem import Problem, rack_excess

Int64 = npt.NDArray[np.int64]
ANYTHING = np.int64(2**40)


def squares(count: Int64, low: Int64, high: Int64) -> int:
    """Sum of squared distances of counts from their bands."""
    return int((np.maximum(np.maximum(low - count, count - high), 0) ** 2).sum())


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
    return open_band(total, weights(problem, problem.eligible), problem.request.tolerance or (0.0, 0.0))


def leader_band(problem: Problem, lists: IntArray) -> tuple[Int64, Int64]:
    led = measures.leaders_per_broker(lists, problem.cluster.n_brokers)
    return open_band(int(led[problem.leads].sum()), weights(problem, problem.leads))


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

    def ordered(lists: IntArray) -> IntArray:
        wide = np.full((len(lists), width), -1, dtype=np.int32)
        wide[:, : lists.shape[1]] = lists
        return np.sort(wide, axis=1)

    return (ordered(before) == ordered(after)).all(axis=1)


def evaluate(problem: Problem, lists: IntArray, goal: str) -> int:
    """The value of a goal for replica lists ``(n_partitions, max_rf)``."""
    cluster, n = problem.cluster, problem.cluster.n_brokers
    if goal == "racks":
        return int(rack_excess(problem, lists)[problem.movable].sum())
    if goal == "replicas":
        return squares(measures.replicas_per_broker(lists, n), *replica_band(problem, lists))
    if goal == "moves":
        return measures.data_moves(cluster.replicas, lists)
    if goal == "topics":
        row, position = np.nonzero(lists >= 0)
        count = table(problem, row, lists[row, position])
        return squares(count, *topic_bands(problem, count, problem.eligible))
    if goal == "leaders":
        return squares(measures.leaders_per_broker(lists, n), *leader_band(problem, lists))
    if goal == "rack-leaders":
        led = measures.leaders_per_broker(lists, n)
        by_rack = np.bincount(
            problem.rack_idx, weights=weights(problem, problem.leads), minlength=problem.n_racks
        )
        count = np.bincount(problem.rack_idx, weights=led, minlength=problem.n_racks).astype(np.int64)
        return squares(count, *open_band(int(led[problem.leads].sum()), by_rack.astype(np.int64)))
    if goal == "elections":
        return int(measures.leadership_changed(cluster.replicas, lists).sum())
    if goal == "topic-leaders":
        count = table(problem, np.arange(len(lists)), lists[:, 0])
        return squares(count, *topic_bands(problem, count, problem.leads))
    if goal == "failover":
        led = measures.leaders_per_broker(lists, n)
        count = measures.failover_leaders(lists, n)
        return squares(count, *failover_bands(problem, int(led[problem.leads].sum())))
    if goal == "positions":
        return sum(position_squares(problem, lists, place) for place in range(1, lists.shape[1]))
    if goal == "reorders":
        changed = np.zeros(len(lists), dtype=bool)
        changed[measures.changed_rows(cluster.replicas, lists)] = True
        return int((changed & same_set(cluster.replicas, lists)).sum())
    raise ValueError(f"there is no goal {goal}")


def position_squares(problem: Problem, lists: IntArray, place: int) -> int:
    """Squared distances of the counts at one position."""
    at = lists[:, place]
    count = np.bincount(at[at >= 0], minlength=problem.cluster.n_brokers).astype(np.int64)
    total = int(count[problem.eligible].sum())
    return squares(count, *open_band(total, weights(problem, problem.eligible)))
