"""Why each partition changes, in one sentence."""

from __future__ import annotations

import numpy as np

from equipoise.cluster import measures
from equipoise.cluster.brokers import IntArray
from equipoise.planning.distinct import distinct_rows
from equipoise.planning.problem import shares as measure
from equipoise.planning.problem.problem import Problem

WORDS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")

SPREAD = "first followers are spread, for when a broker fails"


def reasons(problem: Problem, lists: IntArray) -> dict[int, str]:
    """A sentence for each changed row: the rule, or else the level, that it serves."""
    return dict(Explainer(problem, lists).sentences())


class Explainer:
    """The state before, put next to the lists after."""

    def __init__(self, problem: Problem, lists: IntArray) -> None:
        self.problem, self.lists, self.before = problem, lists, problem.cluster.replicas
        self.ids = problem.cluster.brokers.ids
        n = problem.cluster.n_brokers
        held = measures.replicas_per_broker(self.before, n)
        low, high = measure.replica_band(problem, lists)
        self.above, self.below = np.maximum(held - high, 0), np.maximum(low - held, 0)
        led = measures.leaders_per_broker(self.before, n)
        low, high = measure.leader_band(problem, lists)
        self.leads_above, self.leads_below = np.maximum(led - high, 0), np.maximum(low - led, 0)
        goals = problem.goals
        self.spreads = "failover" in goals and "moves" not in goals[: goals.index("failover")]
        self.spreads &= not problem.weighs  # where loads are levelled no replica moves for it
        self.replaced = dict(problem.request.replace)
        self.changed = measures.changed_rows(self.before, lists)

    def sentences(self) -> list[tuple[int, str]]:
        """Row and sentence of every change, rows ascending."""
        before, after = self.before[self.changed], self.lists[self.changed]
        gone, come = missing_from(after, before), missing_from(before, after)
        held, kept = (
            measures.replicas_per_rack(lists, self.problem.rack_idx, self.problem.n_racks)
            for lists in (before, after)
        )
        eased = (held > self.problem.limit[self.changed][:, None]) & (kept < held)
        rack = np.where(eased.any(axis=1), eased.argmax(axis=1), -1)
        reorder = (come < 0).all(axis=1) | (before[:, 0] < 0)  # only then the sentence is about leaders
        facts = np.column_stack(
            [
                gone,
                come,
                np.where(reorder, before[:, 0], 0),
                np.where(reorder, after[:, 0], 0),
                rack,
                np.where(rack < 0, 0, held[np.arange(len(held)), rack]),
                (after >= 0).sum(axis=1) - (before >= 0).sum(axis=1),
                self.spreads & (measures.position(come, 1) >= 0),
            ]
        )
        # Rows that change alike have the same reason, and there are far fewer of those.
        kinds, kind_of = distinct_rows(facts)
        said = [self.sentence(kind, gone.shape[1]) for kind in kinds]
        return [(row, said[kind]) for row, kind in zip(self.changed.tolist(), kind_of.tolist(), strict=True)]

    def sentence(self, kind: np.ndarray, width: int) -> str:
        gone = [int(b) for b in kind[:width] if b >= 0]
        come = [int(b) for b in kind[width:-6] if b >= 0]
        old, new, rack, crowd, growth, inherits = (int(value) for value in kind[-6:])
        if old < 0:
            return "the partition is created"
        for b in gone:
            if int(self.ids[b]) in self.replaced:
                return f"broker {self.ids[b]} is replaced by {self.replaced[int(self.ids[b])]}"
        for b in gone:
            if not self.problem.eligible[b]:
                return f"broker {self.ids[b]} is drained"
        if growth:
            word = "raised" if growth > 0 else "lowered"
            return f"the replication factor is {word} by {abs(growth)}"
        if rack >= 0 and come:
            name = self.problem.cluster.brokers.rack_names[rack]
            return f"rack {name} held {spelled(crowd)} replicas"
        if come:
            if inherits and not self.above[gone].any():
                return SPREAD
            return self.levelling(gone, come)
        if old != new:
            return self.leading(old, new)
        return SPREAD

    def levelling(self, gone: list[int], come: list[int]) -> str:
        for b in gone:
            if self.above[b]:
                return f"broker {self.ids[b]} holds {self.above[b]:,} above its share"
        for b in come:
            if self.below[b]:
                return f"broker {self.ids[b]} holds {self.below[b]:,} below its share"
        if gone and not self.problem.leads[gone[0]]:
            return f"broker {self.ids[gone[0]]} may lead nothing"
        return f"levels the topic: broker {self.ids[come[0]]} takes what others have more of"

    def leading(self, old: int, new: int) -> str:
        if not self.problem.leads[old]:
            return f"broker {self.ids[old]} may lead nothing"
        if self.leads_above[old]:
            return f"broker {self.ids[old]} leads {self.leads_above[old]:,} above its share"
        if self.leads_below[new]:
            return f"broker {self.ids[new]} leads {self.leads_below[new]:,} below its share"
        return f"passes leadership on from broker {self.ids[old]}, to where it is missing"


def spelled(count: int) -> str:
    """``two``, as in a sentence; figures from ten on."""
    return WORDS[count] if count < len(WORDS) else str(count)


def missing_from(others: IntArray, lists: IntArray) -> IntArray:
    """Brokers of ``lists`` that ``others`` do not have, row by row; -1 elsewhere."""
    missing = lists.copy()
    for k in range(others.shape[1]):
        missing[lists == others[:, k : k + 1]] = -1
    return missing
