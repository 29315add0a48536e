"""Who leads, as a board of the descent: outbound traffic goes with the leader, elections are the price."""

from __future__ import annotations

import numpy as np

from equipoise.cluster.brokers import IntArray
from equipoise.planning.loads.weights import BoolArray, Int64, Load
from equipoise.planning.networks.orders import to_front
from equipoise.planning.problem.problem import Problem


class Leading:
    """The leader of each partition, one of the brokers of its list."""

    def __init__(self, problem: Problem, loads: tuple[Load, ...], lists: IntArray) -> None:
        self.problem, self.lists = problem, lists
        self.loads = loads
        self.weight = np.stack([load.weight for load in loads])
        self.before = problem.cluster.replicas[:, 0]
        self.option = options(problem, lists)
        self.leader = first_leaders(problem, lists)
        self.borne = np.stack([load.held(self.leader[:, None]) for load in loads])
        self.scale = 1 / np.maximum(self.borne.sum(axis=1, keepdims=True), 1).astype(np.float64)
        self.unit = 1 / max(1, len(lists))
        self.takes = problem.leads

    def candidates(self, source: int, target: int) -> Int64:
        rows = np.flatnonzero((self.leader == source) & self.problem.movable)
        return rows[(self.option[rows] == target).any(axis=1)]

    def price(self, rows: Int64, source: int, target: int) -> np.ndarray:
        was = self.before[rows]
        # Giving the lead back to today's leader saves the election that taking it cost.
        return ((was == source).astype(np.int64) - (was == target)) * (was >= 0) * self.unit

    def affordable(self, rows: Int64, source: int, target: int) -> BoolArray:
        # Budgets are of copies, and another leader copies nothing.
        return np.ones(len(rows), dtype=bool)

    def affordable_swap(self, there: int, back: int, source: int, target: int) -> bool:
        return True

    def shift(self, rows: Int64, source: int, target: int) -> None:
        self.leader[rows] = target
        weight = self.weight[:, rows].sum(axis=1)
        self.borne[:, source] -= weight
        self.borne[:, target] += weight

    def undoable(self) -> list[tuple[int, int]]:
        could_stay = (self.option == self.before[:, None]).any(axis=1)
        changed = np.flatnonzero((self.leader != self.before) & could_stay)
        pairs = zip(self.leader[changed].tolist(), self.before[changed].tolist(), strict=True)
        return sorted({(new, old) for new, old in pairs if old >= 0})

    def ordered(self) -> IntArray:
        """The lists with their leaders in front."""
        return led_by(self.problem, self.lists, self.leader)


def options(problem: Problem, lists: IntArray) -> IntArray:
    """The lists, -1 for those who may not lead."""
    return np.where((lists >= 0) & problem.leads[np.maximum(lists, 0)], lists, -1)


def first_leaders(problem: Problem, lists: IntArray) -> IntArray:
    """``(n_partitions,)``: today's leader where it may stay, else the first of the list that may lead."""
    option = options(problem, lists)
    stays = (option == problem.cluster.replicas[:, :1]) & (option >= 0)
    column = np.where(stays.any(axis=1), stays.argmax(axis=1), (option >= 0).argmax(axis=1))
    return np.where(problem.movable, option[np.arange(len(lists)), column], lists[:, 0]).astype(np.int32)


def led_by(problem: Problem, lists: IntArray, leader: IntArray) -> IntArray:
    """The lists with these leaders in front."""
    lists, rows = np.array(lists, order="C"), np.flatnonzero(problem.movable)
    column = (lists[rows] == leader[rows, None]).argmax(axis=1)
    to_front(lists, rows, column, 0)
    return lists
