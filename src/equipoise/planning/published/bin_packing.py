"""First fit decreasing: open places filled largest partition first, then the fullest relieved.

DataDog, "kafka-kit", topicmappr (README, `rebuild` and `rebalance`), described in Appier, "Kafka
reassignment 方案" (2022), section "datadog/kafka-kit/topicmappr". Placement "count" weighs every
partition alike, "storage" by its size. One replica a rack; what found its place is not taken up
again for another, and the relief of the fullest is tried under every tolerance from 1 to 99 %.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from equipoise.cluster.brokers import IntArray
from equipoise.planning.problem.problem import Problem
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
from equipoise.planning.published.interface import NoPlan
from equipoise.planning.published.settings import Settings

name = "bin-packing"

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
        weight = sizes(problem) if storage else np.ones(problem.cluster.n_partitions)
        self.weight: list[float] = weight.tolist()
        self.lists = lists_of(problem)
        self.on: dict[int, list[int]] = {}
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

    def emptiest(self, row: int, used: Sequence[float]) -> int:
        """The first broker, in order of use, whose rack is free; raises `NoPlan` where there is none."""
        taken = {self.rack[other] for other in self.lists[row]}
        free = [b for b in self.brokers if self.rack[b] not in taken and self.problem.receives[b]]
        if not free:
            raise NoPlan(f"no broker in a free rack is left for {self.problem.cluster.label(row)}")
        return min(free, key=lambda broker: (used[broker], broker))

    def rebalanced(self) -> Lists:
        """The lists after relief under the tolerance that leaves brokers least apart, with fewest moves."""
        best, apart = self.lists, self.range_of(self.lists)
        lightest = min((self.weight[row] for row in self.rows), default=0.0)
        for tolerance in TOLERANCES:
            if apart <= lightest:
                break  # no move brings brokers nearer
            lists = self.relieved(tolerance)
            if self.range_of(lists) < apart:
                best, apart = lists, self.range_of(lists)
        return best

    def relieved(self, tolerance: float) -> Lists:
        """Each broker above the mean hands over its largest partitions while both sides stay in tolerance."""
        lists = [list(replicas) for replicas in self.lists]
        used = self.used(lists)
        mean = sum(used[broker] for broker in self.brokers) / len(self.brokers)
        floor, ceiling = mean * (1 - tolerance), mean * (1 + tolerance)
        fuller = [broker for broker in self.brokers if used[broker] > mean]
        for source in sorted(fuller, key=lambda broker: (-used[broker], broker)):
            on = self.held_by(source)
            for row in on:
                weight = self.weight[row]
                if used[source] - self.weight[on[-1]] < floor:
                    break  # not even its smallest may go
                if used[source] - weight < floor:
                    continue
                target = self.receiver(lists[row], source, used)
                # Above what the giver has had, the two would only change places.
                if target is not None and used[target] + weight <= min(ceiling, used[source]):
                    lists[row][lists[row].index(source)] = target
                    used[source] -= weight
                    used[target] += weight
        return lists

    def held_by(self, broker: int) -> list[int]:
        """The partitions that a broker may hand over, largest first."""
        # Every tolerance begins with the same lists, so this is gathered once.
        if not self.on:
            for row in self.largest_first:
                for holder in self.lists[row]:
                    self.on.setdefault(holder, []).append(row)
        return self.on.get(broker, [])

    def receiver(self, replicas: Sequence[int], source: int, used: Sequence[float]) -> int | None:
        """The emptiest broker that may stand in for ``source``."""
        taken = {self.rack[other] for other in replicas if other != source}
        free = [b for b in self.brokers if self.rack[b] not in taken and self.problem.receives[b]]
        return min((b for b in free if b != source), key=lambda broker: (used[broker], broker), default=None)

    def used(self, lists: Lists) -> list[float]:
        """What each broker holds."""
        used = [0.0] * self.problem.cluster.n_brokers
        for row, replicas in enumerate(lists):
            for broker in replicas:
                used[broker] += self.weight[row]
        return used

    def range_of(self, lists: Lists) -> float:
        """How far the fullest broker is from the emptiest."""
        used = self.used(lists)
        return max(used[broker] for broker in self.brokers) - min(used[broker] for broker in self.brokers)


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
