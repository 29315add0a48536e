"""Who leads, as a board of the descent: outbound traffic goes with the leader, elections are the price."""

from __future__ import annotations

import numpy as np

from equipoise.cluster.brokers import IntArray
from equipoise.planning.loads.weights import BoolArray, Int64, Load
from equipoise.planning.networks.orders import to_front
from equipoise.planning.problem.problem import Problem


class Leading:
    """The leader of each partition, one of the brokers of its list."""

    def __init__(self, problem: Problem, load: Load, lists: IntArray) -> None:
        self.problem, self.lists = problem, lists
        self.loads: tuple[Load, ...] = (load,)
        self.weight = load.weight[None, :]
        self.before = problem.cluster.replicas[:, 0]
        self.option = np.where(problem.leads[np.maximum(lists, 0)], lists, -1)
        self.leader = self.first_leaders()
        self.borne = load.held(self.leader[:, None])[None, :]
        self.scale = 1 / np.maximum(self.borne.sum(axis=1, keepdims=True), 1).astype(np.float64)
        self.unit = 1 / max(1, len(lists))
        self.takes = problem.leads

    def first_leaders(self) -> IntArray:
        """Today's leader where it may stay, else the first of the list that may lead."""
        stays = (self.option == self.before[:, None]) & (self.option >= 0)
        column = np.where(stays.any(axis=1), stays.argmax(axis=1), (self.option >= 0).argmax(axis=1))
        rows = np.arange(len(self.lists))
        return np.where(self.problem.movable, self.option[rows, column], self.lists[:, 0]).astype(np.int32)

    def candidates(self, source: int, target: int) -> Int64:
        rows = np.flatnonzero((self.leader == source) & self.problem.movable)
        return rows[(self.option[rows] == target).any(axis=1)]

    def price(self, rows: Int64, source: int, target: int) -> np.ndarray:
        was = self.before[rows]
        return ((was == source).astype(np.int64) - (was == target)) * (was >= 0) * self.unit

    def affordable(self, rows: Int64, source: int, target: int) -> BoolArray:
        return np.ones(len(rows), dtype=bool)

    def affordable_swap(self, there: int, back: int, source: int, target: int) -> bool:
        return True

    def shift(self, rows: Int64, source: int, target: int) -> None:
        self.leader[rows] = target
        weight = int(self.weight[0, rows].sum())
        self.borne[0, source] -= weight
        self.borne[0, target] += weight

    def undoable(self) -> list[tuple[int, int]]:
        could_stay = (self.option == self.before[:, None]).any(axis=1)
        changed = np.flatnonzero((self.leader != self.before) & could_stay)
        pairs = zip(self.leader[changed].tolist(), self.before[changed].tolist(), strict=True)
        return sorted({(new, old) for new, old in pairs if old >= 0})

    def ordered(self) -> IntArray:
        """The lists with their leaders in front."""
        lists, rows = self.lists.copy(), np.flatnonzero(self.problem.movable)
        column = (lists[rows] == self.leader[rows, None]).argmax(axis=1)
        to_front(lists, rows, column, 0)
        return lists
