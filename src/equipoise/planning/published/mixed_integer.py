"""The least weight moved so that every broker is between two factors of the mean.

everpeace, "kafka-reassign-optimizer" (README, section "Partition Replica Reassignment as Binary
Integer Programming"), described in Appier, "Kafka reassignment 方案" (2022), section
"everpeace/kafka-reassign-optimizer". Leaders stay where their broker stays, so nothing levels them;
on a large cluster the program is more than memory or time allow.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from math import ceil, floor

import numpy as np
import numpy.typing as npt

from equipoise.cluster import measures
from equipoise.cluster.brokers import IntArray
from equipoise.planning.problem.problem import Problem
from equipoise.planning.published.helpers import (
    broker_names,
    by_storage,
    lists_of,
    matrix_of,
    movable_rows,
    refuse_new_replication_factor,
    sizes,
)
from equipoise.planning.published.interface import NoPlan
from equipoise.planning.published.linear_program import ordered
from equipoise.planning.published.programs import Program
from equipoise.planning.published.settings import Settings

name = "mixed-integer"

MIB = 2**20


def run(problem: Problem, settings: Settings) -> IntArray:
    """The best assignment; where a leader has to leave, the next is drawn, as the tool shuffles that list."""
    refuse_new_replication_factor(problem)
    lists, rows = lists_of(problem), movable_rows(problem)
    chosen, _ = build(problem, settings).solve(settings.time_limit_s)
    draw = random.Random(settings.seed)
    for row, held in zip(rows, chosen.reshape(len(rows), -1), strict=True):
        brokers = np.flatnonzero(held).tolist()
        leader = [broker for broker in lists[row][:1] if broker in brokers] or [draw.choice(brokers)]
        lists[row] = ordered(lists[row], leader, [broker for broker in brokers if broker not in leader])
    return matrix_of(lists)


def build(problem: Problem, settings: Settings) -> Program:
    """Variables are broker by broker within partition by partition, over all brokers old and new."""
    rows, n_brokers = movable_rows(problem), problem.cluster.n_brokers
    if len(rows) * n_brokers > settings.max_variables:
        raise NoPlan(f"its program would have {len(rows) * n_brokers} variables")
    weight = partition_weights(problem, settings.placement)[rows]
    current = held_now(problem)[rows]
    partition, broker = np.indices(current.shape)
    variable = partition * n_brokers + broker
    # a kept replica saves its weight, so most weight kept is least weight moved
    program = Program(variable_names(problem, rows), (current * weight[:, None]).ravel())

    spread = np.repeat(weight, n_brokers)
    total = float((problem.rf[rows] * weight).sum())
    program.add("C1: the total weight of replicas stays what it is",
                np.zeros(variable.size), variable, total, total, spread)
    program.add("C2: the replication factor of every partition stays what it is",
                partition, variable, problem.rf[rows], problem.rf[rows])
    # The mean is over brokers to stay alone: of the others all is to be taken.
    least, most = (factor * total / int(problem.eligible.sum()) for factor in settings.balance_factors)
    program.add("C3: every broker is well balanced, and those to be emptied are empty",
                broker, variable, floor(least) * problem.eligible, ceil(most) * problem.eligible, spread,
                names=broker_names(problem), unit=" MiB" if by_storage(problem, settings.placement) else "")
    leader = problem.current[rows, 0].astype(np.int64)
    pinned = np.flatnonzero(problem.eligible[leader])
    program.add("C0: a leader stays where its broker stays",
                np.arange(len(pinned)), pinned * n_brokers + leader[pinned], 1, 1)
    return program


def partition_weights(problem: Problem, placement: str | None) -> npt.NDArray[np.float64]:
    """1 for each partition, or its size in whole MiB (at least 1) where storage is to be level."""
    if not by_storage(problem, placement):
        return np.ones(problem.cluster.n_partitions)
    return np.maximum(1, np.rint(sizes(problem) / MIB))


def held_now(problem: Problem) -> npt.NDArray[np.bool_]:
    """``(n_partitions, n_brokers)``: who holds what."""
    held = np.zeros((problem.cluster.n_partitions, problem.cluster.n_brokers), dtype=bool)
    row, place = np.nonzero(problem.current >= 0)
    held[row, problem.current[row, place]] = True
    return held


def variable_names(problem: Problem, rows: Sequence[int]) -> list[str]:
    """``t1_6_on_9``: the first topic's partition 6 on broker 9."""
    cluster = problem.cluster
    return [f"t{cluster.topic_idx[row] + 1}_{cluster.partition[row]}_on_{broker}"
            for row in rows for broker in cluster.brokers.ids]


def batches(problem: Problem, target: IntArray, settings: Settings) -> IntArray | None:
    """The batch of each changed row, in order, begun anew where the weight moved would pass the limit.

    A row that weighs more by itself is a batch of its own. None without a limit: all move at once.
    """
    if not settings.batch_weight:
        return None
    before = problem.cluster.replicas
    moved = measures.arrivals_by_row(before, target) * partition_weights(problem, settings.placement)
    batch = np.full(len(target), -1, dtype=np.int32)
    number, load = 0, 0.0
    for row in measures.changed_rows(before, target):
        if load and load + moved[row] > settings.batch_weight:
            number, load = number + 1, 0.0
        batch[row] = number
        load += moved[row]
    return batch
