"""First fit decreasing: open places filled largest partition first, then the fullest relieved.

DataDog, "kafka-kit", topicmappr (README, `rebuild` and `rebalance`), described in Appier, "Kafka
reassignment 方案" (2022), section "datadog/kafka-kit/topicmappr". Placement "count" weighs every
partition alike, "storage" by its size. One replica a rack; what found its place is not taken up
again for another, and the relief of the fullest is tried under every tolerance from 1 to 99 %.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from equipoise.cluster.brokers import IntArray
from equipoise.planning.problem import Problem
from equipoise.planning.published.helpers import (
    Lists,
    by_storage,
    eligible_brokers,
    lists_of,
    matrix_of,
    movable_rows,
    racks,
    sizes,
)
from equipoise.planning.published.interface import NoPlan, Settings

name = "bin-packing"

Float = npt.NDArray[np.float64]

TOLERANCES = tuple(k / 100 for k in range(1, 100))


def run(problem: Problem, settings: Settings) -> IntArray:
    """Rebuild what has no place, rebalance, then spread leadership."""
    packing = Packing(problem, settings)
    packing.rebuild()
    best = packing.rebalanced()
    spread_leaders(best, packing.rows, problem.cluster.n_brokers)
    return matrix_of(best)


class Packing:
    """Replica lists and how full they make each broker."""

    def __init__(self, problem: Problem, settings: Settings) -> None:
        self.problem = problem
        self.rows = movable_rows(problem)
        self.brokers = eligible_brokers(problem)
        self.rack = racks(problem)
        storage = by_storage(problem, settings.placement)
        self.weight: Float = sizes(problem) if storage else np.ones(problem.cluster.n_partitions)
        self.lists = lists_of(problem)
        # first fit DEcreasing; equals in (topic, partition) order
        self.largest_first = sorted(self.rows, key=lambda row: -self.weight[row])

    def rebuild(self) -> None:
        """Keep replicas on the brokers to stay, most of them first in the list, and fill every open place."""
        allowed = set(self.brokers)
        for row in self.rows:
            stay = [broker for broker in self.lists[row] if broker in allowed]
            self.lists[row] = stay[: int(self.problem.rf[row])]
        used = self.used(self.lists)
        for row in self.largest_first:
            while len(self.lists[row]) < self.problem.rf[row]:
                broker = self.emptiest(row, used)
                self.lists[row].append(broker)
                used[broker] += self.weight[row]

    def emptiest(self, row: int, used: Float) -> int:
        """The first broker, in order of use, whose rack is free; raises `NoPlan` where there is none."""
        taken = {self.rack[other] for other in self.lists[row]}
        free = [b for b in self.brokers if self.rack[b] not in taken and self.problem.receives[b]]
        if not free:
            raise NoPlan(f"no broker in a free rack is left for {self.problem.cluster.label(row)}")
        return min(free, key=lambda broker: (used[broker], broker))

    def rebalanced(self) -> Lists:
        """The lists after relief under the tolerance that leaves brokers least apart, with fewest moves."""
        best, apart = self.lists, self.range_of(self.lists)
        for tolerance in TOLERANCES:
            lists = self.relieved(tolerance)
            if self.range_of(lists) < apart:
                best, apart = lists, self.range_of(lists)
        return best

    def relieved(self, tolerance: float) -> Lists:
        """Each broker above the mean hands over its largest partitions while both sides stay in tolerance."""
        lists = [list(replicas) for replicas in self.lists]
        used = self.used(lists)
        mean = used[self.brokers].mean()
        on: dict[int, list[int]] = {broker: [] for broker in self.brokers}
        for row in self.largest_first:
            for broker in lists[row]:
                on[broker].append(row)
        for source in sorted(self.brokers, key=lambda broker: (-used[broker], broker)):
            for row in on[source]:
                if used[source] - self.weight[row] < mean * (1 - tolerance):
                    continue
                target = self.receiver(lists[row], source, used)
                limit = min(mean * (1 + tolerance), used[source])
                if target is not None and used[target] + self.weight[row] <= limit:
                    lists[row][lists[row].index(source)] = target
                    used[source] -= self.weight[row]
                    used[target] += self.weight[row]
        return lists

    def receiver(self, replicas: Sequence[int], source: int, used: Float) -> int | None:
        """The emptiest broker that may stand in for ``source``."""
        taken = {self.rack[other] for other in replicas if other != source}
        free = [b for b in self.brokers if self.rack[b] not in taken and self.problem.receives[b]]
        return min((b for b in free if b != source), key=lambda broker: (used[broker], broker), default=None)

    def used(self, lists: Lists) -> Float:
        """What each broker holds, ``(n_brokers,)``."""
        used = np.zeros(self.problem.cluster.n_brokers)
        for row, replicas in enumerate(lists):
            used[replicas] += self.weight[row]
        return used

    def range_of(self, lists: Lists) -> float:
        """How far the fullest broker is from the emptiest."""
        used = self.used(lists)[self.brokers]
        return float(used.max() - used.min())


def spread_leaders(lists: Lists, rows: Sequence[int], n_brokers: int) -> None:
    """Partition by partition the replica that leads least takes the lead from one that leads two more."""
    led = np.bincount([replicas[0] for replicas in lists], minlength=n_brokers)
    for row in rows:
        replicas = lists[row]
        least = min(replicas, key=lambda broker: (led[broker], replicas.index(broker)))
        if led[replicas[0]] - led[least] > 1:
            led[replicas[0]] -= 1
            led[least] += 1
            place = replicas.index(least)
            replicas[0], replicas[place] = replicas[place], replicas[0]
