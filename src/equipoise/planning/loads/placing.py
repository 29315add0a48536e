"""Where replicas stand, as a board of the descent: rules say what may go where, bytes are the price."""

from __future__ import annotations

import numpy as np

from equipoise.cluster.brokers import IntArray
from equipoise.cluster.measures import arrivals_by_row, changed_rows, replicas_per_rack
from equipoise.planning.loads.spending import Spending
from equipoise.planning.loads.weights import BoolArray, Int64, Load
from equipoise.planning.problem.problem import Problem
from equipoise.planning.rules import rack_span


class Placing:
    """Replica lists, changed in place: an arrival stands in the place of what left."""

    def __init__(
        self, problem: Problem, loads: tuple[Load, ...], bytes_of: Int64 | None, lists: IntArray
    ) -> None:
        # Lists are compared place by place, so each column lies together in memory.
        self.problem, self.loads, self.lists = problem, loads, np.array(lists, order="F")
        self.weight = np.stack([load.weight for load in loads])
        self.borne = np.stack([load.held(lists) for load in loads])
        self.scale = 1 / np.maximum(self.borne.sum(axis=1, keepdims=True), 1).astype(np.float64)
        self.takes = problem.receives
        self.before, self.existing = np.array(problem.cluster.replicas, order="F"), problem.cluster.rf > 0
        self.cost = np.ones(len(lists), dtype=np.int64) if bytes_of is None else bytes_of
        # Prices are parts of all data and gains parts of all load, so that a rate has no unit.
        self.unit = 1 / max(1.0, float((self.cost * problem.rf).sum()))
        self.on = [rows_on(self.lists, problem.movable, b) for b in range(problem.cluster.n_brokers)]
        self.racks = replicas_per_rack(self.lists, problem.rack_idx, problem.n_racks)
        # A rack that holds fewer may be entered from another, one replica for one.
        none = np.zeros((len(lists), 1), dtype=np.int64)
        self.open_below = rack_span(problem, np.arange(len(lists)), none, growth=0).most[:, 0]
        new = arrivals_by_row(self.before, self.lists)
        self.touched = touched(self.before, self.lists)
        self.changes, self.spending = new, Spending(problem, new)

    def candidates(self, source: int, target: int) -> Int64:
        rows = self.on[source]
        good = ~on(self.lists, rows, target) & ~self.is_pinned(rows, source)
        if not self.problem.receives[target]:
            good &= (self.problem.current[rows] == target).any(axis=1) & self.problem.eligible[target]
        good &= self.keeps_racks(rows, source, target) & self.keeps_leader(rows, source, target)
        rows = rows[good]
        if not self.spending.binds:
            return rows
        return rows[self.spending.allow(rows, self.more(rows, source, target))]

    def is_pinned(self, rows: Int64, broker: int) -> BoolArray:
        if not self.problem.pinned.any():
            return np.zeros(len(rows), dtype=bool)
        return (self.problem.pinned[rows] & (self.problem.current[rows] == broker)).any(axis=1)

    def keeps_racks(self, rows: Int64, source: int, target: int) -> BoolArray:
        """The racks as they would be afterwards: none is entered that holds as many as it may."""
        left, entered = self.problem.rack_idx[source], self.problem.rack_idx[target]
        if left == entered:
            return np.ones(len(rows), dtype=bool)
        return self.racks[rows, entered] < self.open_below[rows]

    def keeps_leader(self, rows: Int64, source: int, target: int) -> BoolArray:
        """Someone in the list may still lead."""
        if not self.problem.leads[source] or self.problem.leads[target]:
            return np.ones(len(rows), dtype=bool)
        return (self.problem.leads[np.maximum(self.lists[rows], 0)] & (self.lists[rows] >= 0)).sum(axis=1) > 1

    def more(self, rows: Int64, source: int, target: int) -> Int64:
        """``(n_rows,)`` data moves more (1), as many (0) or fewer (-1); what is created moves none."""
        more = np.ones(len(rows), dtype=np.int64)
        some = np.flatnonzero(self.touched[rows])  # the others leave a broker of today for one that is none
        was = rows[some]
        more[some] = on(self.before, was, source).astype(np.int64) - on(self.before, was, target)
        return more * self.existing[rows]

    def price(self, rows: Int64, source: int, target: int) -> np.ndarray:
        return self.more(rows, source, target) * self.cost[rows] * self.unit

    def affordable(self, rows: Int64, source: int, target: int) -> BoolArray:
        if not self.spending.binds:
            return np.ones(len(rows), dtype=bool)
        return self.spending.allow_up_to(rows, self.more(rows, source, target))

    def affordable_swap(self, there: int, back: int, source: int, target: int) -> bool:
        one, other = np.array([there]), np.array([back])
        more = np.r_[self.more(one, source, target), self.more(other, target, source)]
        return self.spending.allow_together(np.r_[one, other], more)

    def shift(self, rows: Int64, source: int, target: int) -> None:
        more = self.more(rows, source, target)
        place = np.argmax(self.lists[rows] == source, axis=1)
        self.lists[rows, place] = target
        self.changes[rows] += more
        self.touched[rows] = True
        self.spending.spend(rows, more)
        self.racks[rows, self.problem.rack_idx[source]] -= 1
        self.racks[rows, self.problem.rack_idx[target]] += 1
        self.on[source] = self.on[source][~np.isin(self.on[source], rows)]
        self.on[target] = np.sort(np.concatenate([self.on[target], rows]))
        weight = self.weight[:, rows].sum(axis=1)
        self.borne[:, source] -= weight
        self.borne[:, target] += weight

    def undoable(self) -> list[tuple[int, int]]:
        """Pairs (where a replica came to, where it could be still), ascending."""
        rows = np.flatnonzero((self.changes > 0) & self.problem.movable)
        found: set[tuple[int, int]] = set()
        for new, old in zip(self.lists[rows].tolist(), self.before[rows].tolist(), strict=True):
            gone = [b for b in old if b >= 0 and b not in new and self.problem.eligible[b]]
            found.update((c, b) for c in new if c >= 0 and c not in old for b in gone)
        return sorted(found)


def on(lists: IntArray, rows: Int64, broker: int) -> BoolArray:
    """``(n_rows,)``: the broker is in the list; column by column, far faster than ``any(axis=1)``."""
    found = np.zeros(len(rows), dtype=bool)
    for k in range(lists.shape[1]):
        found |= lists[rows, k] == broker
    return found


def touched(before: IntArray, lists: IntArray) -> BoolArray:
    """``(n_partitions,)``: the lists differ."""
    different = np.zeros(len(lists), dtype=bool)
    different[changed_rows(before, lists)] = True
    return different


def rows_on(lists: IntArray, movable: BoolArray, broker: int) -> Int64:
    """Movable partitions that stand on a broker, ascending."""
    return np.flatnonzero(movable & on(lists, np.arange(len(lists)), broker))
