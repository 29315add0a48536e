"""What the published algorithms share: replica lists, shares, and refusals."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from equipoise.cluster.brokers import IntArray
from equipoise.cluster.cluster import pad_lists
from equipoise.planning.problem.problem import Problem
from equipoise.planning.published.interface import NoPlan

Lists = list[list[int]]
"""Replica lists of every partition as broker positions, in preference order."""


def lists_of(problem: Problem) -> Lists:
    """The current replica lists, to be changed freely."""
    width = (problem.current >= 0).sum(axis=1)
    return [row[:n] for row, n in zip(problem.current.tolist(), width.tolist(), strict=True)]


def matrix_of(lists: Sequence[Sequence[int]]) -> IntArray:
    """The lists as a plan's target, ``(n_partitions, max_rf)`` int32."""
    return pad_lists(lists)


def movable_rows(problem: Problem) -> list[int]:
    """Rows that may change, in (topic, partition) order."""
    return [int(row) for row in np.flatnonzero(problem.movable)]


def eligible_brokers(problem: Problem) -> list[int]:
    """Positions of the brokers that may hold replicas afterwards, ascending."""
    return [int(b) for b in np.flatnonzero(problem.eligible)]


def broker_names(problem: Problem) -> list[str]:
    """``broker 7``, for every broker of the cluster."""
    return [f"broker {broker}" for broker in problem.cluster.brokers.ids]


def topics_of(problem: Problem) -> Iterator[tuple[str, list[int]]]:
    """Each topic that may change, and its rows that may."""
    starts = problem.cluster.topic_start
    for topic, start, end in zip(problem.cluster.topics, starts, starts[1:], strict=False):
        rows = [row for row in range(start, end) if problem.movable[row]]
        if rows:
            yield topic, rows


def counts(brokers: Iterable[int], n_brokers: int) -> list[int]:
    """How often each broker position occurs."""
    held: list[int] = np.bincount(np.fromiter(brokers, dtype=np.int64), minlength=n_brokers).tolist()
    return held


def mean(values: Sequence[int]) -> Fraction:
    """The exact mean; 0 of nothing."""
    return Fraction(sum(values), len(values)) if values else Fraction(0)


def is_level(values: Sequence[int]) -> bool:
    """True where no two values are more than one apart."""
    return max(values, default=0) - min(values, default=0) <= 1


def racks(problem: Problem) -> list[int]:
    """Rack of each broker; without any declared rack every broker is one of its own."""
    brokers = problem.cluster.brokers
    return brokers.rack_idx.tolist() if brokers.has_racks else list(range(len(brokers)))


def sizes(problem: Problem) -> npt.NDArray[np.float64]:
    """Bytes of one replica of each partition; raises `NoPlan` where a partition's is unknown."""
    known = problem.cluster.size_bytes
    unknown = int((np.isnan(known) & problem.movable).sum())
    if unknown:
        raise NoPlan(f"it needs partition sizes, and {unknown} are unknown")
    return np.nan_to_num(known)


def by_storage(problem: Problem, placement: str | None) -> bool:
    """Whether partitions weigh what they store (else one each)."""
    return placement == "storage" or (placement is None and "disk" in problem.request.mix)


def refuse_new_replication_factor(problem: Problem) -> None:
    """Raise `NoPlan` where a replication factor is to change."""
    if ((problem.current >= 0).sum(axis=1) != problem.rf).any():
        raise NoPlan("it does not change replication factors")


def refuse_emptying(problem: Problem, reason: str) -> None:
    """Raise `NoPlan` where brokers are to be emptied."""
    held = (problem.current >= 0) & problem.movable[:, None]
    if (held & ~problem.eligible[np.maximum(problem.current, 0)]).any() and not problem.stays:
        raise NoPlan(reason)


def topic_by_topic(problem: Problem, level: Callable[[Lists, Sequence[int]], None]) -> IntArray:
    """The target once ``level`` has reordered the lists of each topic's rows.

    Raises `NoPlan` where data has to move.
    """
    refuse_new_replication_factor(problem)
    refuse_emptying(problem, "it moves no data, so it empties no broker")
    lists = lists_of(problem)
    for _, rows in topics_of(problem):
        level(lists, rows)
    return matrix_of(lists)
