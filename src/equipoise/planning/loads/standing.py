"""Where replicas stand and who leads while both change: who bears what, what may go where, at what price."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from equipoise.cluster.brokers import IntArray
from equipoise.cluster.measures import arrivals_by_row, replicas_per_rack
from equipoise.planning.loads.leading import led_by
from equipoise.planning.loads.placing import rows_on, touched
from equipoise.planning.loads.spending import Spending
from equipoise.planning.loads.weights import BoolArray, Int64, Load
from equipoise.planning.problem.problem import Problem
from equipoise.planning.rules import rack_span

Float64 = npt.NDArray[np.float64]
MOVE = 0.01
"""What a data move costs beside its bytes, in parts of a mean replica: of plans as cheap the shorter."""
ELECTION = 0.0001
"""What another leader costs, likewise."""


class Standing:
    """Replica lists, changed in place: an arrival stands in the place of what left, and leads if that did."""

    def __init__(
        self, problem: Problem, loads: tuple[Load, ...], cost: Int64, lists: IntArray, leader: IntArray
    ) -> None:
        """``cost``: bytes of one replica, or 1; ``leader``: who leads; both ``(n_partitions,)``."""
        self.problem, self.loads = problem, loads
        self.lists, self.leader = np.array(lists, order="F"), leader.copy()
        self.before = np.array(problem.cluster.replicas, order="F")
        n = problem.cluster.n_brokers
        self.weight = np.stack([load.weight for load in loads], axis=1)
        """``(n_partitions, n_loads)``."""
        self.of_leaders = np.array([load.of_leaders for load in loads])
        self.low = np.stack([load.low for load in loads])
        self.high = np.stack([load.high for load in loads])
        """``(n_loads, n_brokers)``, as ``low`` and ``borne``."""
        led = self.leader[:, None]
        self.borne = np.stack([load.held(led if load.of_leaders else self.lists) for load in loads])
        # A mean broker's part is the unit of every load: bytes, bytes a second and counts weigh alike in it.
        self.share = np.maximum(self.borne.sum(axis=1) / max(1, n), 1.0)
        whole = max(1.0, float((cost * problem.rf).sum()))
        mean = whole / max(1, int(problem.rf.sum()))
        # A copy in the same unit: a mean broker's part of all bytes.
        self.price = (cost + MOVE * mean) * (n / whole)
        """``(n_partitions,)``: a data move in parts of what a broker holds."""
        self.election = ELECTION * mean * n / whole
        self.on = [rows_on(self.lists, problem.movable, b) for b in range(n)]
        self.existing = (problem.cluster.rf > 0).astype(np.int64)
        self.touched = touched(self.before, self.lists)
        self.racks = replicas_per_rack(self.lists, problem.rack_idx, problem.n_racks)
        none = np.zeros((len(lists), 1), dtype=np.int64)
        self.open_below = rack_span(problem, np.arange(len(lists)), none, growth=0).most[:, 0]
        self.spending = Spending(problem, arrivals_by_row(self.before, self.lists))

    # what brokers bear

    def outside(self) -> Int64:
        """``(n_loads, n_brokers)``: distance from the bands."""
        return np.maximum(np.maximum(self.low - self.borne, self.borne - self.high), 0)

    @property
    def is_level(self) -> bool:
        return not self.outside().any()

    def weights(self, rows: Int64, broker: int) -> Int64:
        """``(n_rows, n_loads)``: what the broker bears of partitions that it holds."""
        weight = self.weight[rows].copy()
        # A follower takes nothing along of what leaders bear.
        weight[np.ix_(self.leader[rows] != broker, self.of_leaders)] = 0
        return weight

    # what may go where

    def may_go(self, rows: Int64, source: int, targets: Int64) -> BoolArray:
        """``(n_rows, n_targets)``: brokers that the replicas on ``source`` may go to."""
        problem, rack = self.problem, self.problem.rack_idx
        held = self.lists[rows]
        room = self.racks[rows] < self.open_below[rows, None]
        # One for one in the same rack leaves its number as it is, even where that is above the limit.
        room[:, rack[source]] = True
        good = room[:, rack[targets]]
        if not problem.receives[targets].all():  # what left may come back, cordoned or not
            current = problem.current[rows]
            back = problem.receives[targets] & np.ones((len(rows), 1), dtype=bool)
            for k in range(current.shape[1]):
                back |= (current[:, k : k + 1] == targets) & problem.eligible[targets]
            good &= back
        column = np.full(len(self.on), -1)
        column[targets] = np.arange(len(targets))
        for k in range(held.shape[1]):
            there = np.flatnonzero((held[:, k] >= 0) & (column[held[:, k]] >= 0))
            good[there, column[held[there, k]]] = False
        if problem.pinned.any():
            good &= ~(problem.pinned[rows] & (problem.current[rows] == source)).any(axis=1)[:, None]
        if not problem.leads.all():
            good &= self.keeps_leader(rows, held, source, targets)
        return good

    def keeps_leader(self, rows: Int64, held: IntArray, source: int, targets: Int64) -> BoolArray:
        """Who leads may; where no load asks who, someone in the list may."""
        leads = self.problem.leads
        if self.of_leaders.any():
            return leads[targets] | (self.leader[rows] != source)[:, None]
        others = ((held >= 0) & (held != source) & leads[np.maximum(held, 0)]).any(axis=1)
        return leads[targets] | others[:, None]

    def more(self, rows: Int64, source: int, targets: Int64) -> Int64:
        """``(n_rows, n_targets)``: data moves more (1), as many (0) or fewer (-1) by going there.

        Where one may not go it can be 1 too many.
        """
        more = np.repeat(self.existing[rows, None], len(targets), axis=1)
        some = np.flatnonzero(self.touched[rows])  # the others leave a broker of today for one that is none
        before = self.before[rows[some]]
        homes = (before[:, :, None] == targets).any(axis=1)
        left = (before == source).any(axis=1)[:, None].astype(np.int64)
        more[some] = (left - homes) * (before[:, :1] >= 0)
        return more

    def pay(self, rows: Int64, source: int, targets: Int64) -> Float64:
        """``(n_rows, n_targets)``: the price of going there; negative where a move is undone."""
        pay = self.more(rows, source, targets) * self.price[rows, None]
        if self.of_leaders.any():
            was = self.before[rows, 0]
            leads = (self.leader[rows] == source) & (was >= 0)
            changed = (was == source)[:, None].astype(np.int64) - (was[:, None] == targets)
            pay += changed * (leads * self.election)[:, None]
        return pay

    # changes

    def move(self, rows: Int64, source: int, target: int) -> None:
        """Replicas go, each with the lead where it has it."""
        weight = self.weights(rows, source).sum(axis=0)
        more = self.more(rows, source, np.array([target]))[:, 0]
        self.lists[rows, np.argmax(self.lists[rows] == source, axis=1)] = target
        self.touched[rows] = True
        led = rows[self.leader[rows] == source]
        self.leader[led] = target
        self.spending.spend(rows, more)
        self.racks[rows, self.problem.rack_idx[source]] -= 1
        self.racks[rows, self.problem.rack_idx[target]] += 1
        self.on[source] = self.on[source][~np.isin(self.on[source], rows, assume_unique=True)]
        self.on[target] = np.sort(np.concatenate([self.on[target], rows]))
        self.borne[:, source] -= weight
        self.borne[:, target] += weight

    def hand_lead(self, rows: Int64, source: int, target: int) -> None:
        """Partitions that both hold are led by the other."""
        weight = (self.weight[rows] * self.of_leaders).sum(axis=0)
        self.leader[rows] = target
        self.borne[:, source] -= weight
        self.borne[:, target] += weight

    def ordered(self) -> IntArray:
        """The lists with their leaders in front, where a load asks who leads."""
        if not self.of_leaders.any():
            return np.ascontiguousarray(self.lists)
        return led_by(self.problem, self.lists, self.leader)
