"""Lists taken in order from all permutations, then matched to the partitions that they change least.

Appier, "Kafka reassignment 方案" (2022), section "我過去的作法". The assignments come first, whatever
is there now; a minimum-weight perfect matching (Kuhn and Munkres) then says which partition takes
which. With many brokers the present lists are rarely among those taken, and most data moves.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from itertools import permutations as orders

import numpy as np

from equipoise.cluster.brokers import IntArray
from equipoise.planning.problem.problem import Problem
from equipoise.planning.published.helpers import Lists, eligible_brokers, lists_of, matrix_of, movable_rows
from equipoise.planning.published.interface import NoPlan
from equipoise.planning.published.settings import Settings
from equipoise.wording import plural

name = "permutations"


def run(problem: Problem, settings: Settings) -> IntArray:
    """Match the partitions of each replication factor to its own list of permutations."""
    lists, brokers = lists_of(problem), eligible_brokers(problem)
    for factor in sorted({int(problem.rf[row]) for row in movable_rows(problem)}):
        rows = [row for row in movable_rows(problem) if problem.rf[row] == factor]
        if factor > len(brokers):
            raise NoPlan(f"{plural(len(brokers), 'broker has', 'brokers have')} no lists of {factor}")
        if len(rows) ** 2 > 10 * settings.max_variables:
            raise NoPlan(f"it would have to match {len(rows)} lists with {len(rows)} partitions")
        wanted = list(islice(cycle_of(brokers, factor), len(rows)))
        for row, replicas in zip(rows, match(lists, rows, wanted, problem.cluster.n_brokers), strict=True):
            lists[row] = replicas
    return matrix_of(lists)


def rotated(brokers: Sequence[int], factor: int) -> Iterator[list[int]]:
    """All lists of ``factor`` brokers: each choice of offsets in order, turned through every leader."""
    n = len(brokers)
    for offsets in orders(range(1, n), factor - 1):
        for first in range(n):
            yield [brokers[first], *(brokers[(first + offset) % n] for offset in offsets)]


def cycle_of(brokers: Sequence[int], factor: int) -> Iterator[list[int]]:
    """The rotated lists, again and again, one at a time: there are far more than are ever taken."""
    while True:
        yield from rotated(brokers, factor)


def match(lists: Lists, rows: Sequence[int], wanted: Sequence[list[int]], n_brokers: int) -> list[list[int]]:
    """The wanted list that each row takes, so that the fewest replicas move in all."""
    from scipy.optimize import linear_sum_assignment

    # As rows of 0 and 1, the product of the two says for every pair how many replicas stay.
    now, then = np.zeros((2, len(rows), n_brokers), dtype=np.float32)
    for k, row in enumerate(rows):
        now[k, lists[row]] = 1
        then[k, wanted[k]] = 1
    _, taken = linear_sum_assignment(-(now @ then.T))  # what stays, rather than what moves
    return [wanted[k] for k in taken]
