"""What the brokers leave each partition to stand on: the facts behind conflicts that are seen at once."""

from __future__ import annotations

from functools import cached_property

import numpy as np
import numpy.typing as npt

from equipoise.cluster.brokers import IntArray
from equipoise.cluster.measures import replicas_per_rack
from equipoise.planning.problem.problem import Problem

Int64 = npt.NDArray[np.int64]
BoolArray = npt.NDArray[np.bool_]


class Room:
    """How many replicas of each movable partition stand in each rack, can stay and could stand there."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self.rows = np.flatnonzero(problem.movable)
        self.lists = problem.current[self.rows]
        self.rf = problem.rf[self.rows].astype(np.int64)
        self.now = self.in_racks(self.lists)
        """``(n_rows, n_racks)``, as ``kept`` and ``available``."""

    def in_racks(self, lists: IntArray) -> Int64:
        return replicas_per_rack(lists, self.problem.rack_idx, self.problem.n_racks).astype(np.int64)

    def only(self, lists: IntArray, allowed: BoolArray) -> IntArray:
        """The lists without what stands on other brokers."""
        return np.where((lists >= 0) & allowed[np.maximum(lists, 0)], lists, -1).astype(np.int32)

    @cached_property
    def kept(self) -> Int64:
        """Replicas on brokers that may hold some."""
        return self.in_racks(self.only(self.lists, self.problem.eligible))

    @cached_property
    def available(self) -> Int64:
        """Places: those of the replicas kept, and brokers that may receive one more."""
        problem = self.problem
        receiving = np.bincount(problem.rack_idx[problem.receives], minlength=problem.n_racks)
        return self.kept + receiving[None, :] - self.in_racks(self.only(self.lists, problem.receives))

    def first(self, bad: BoolArray) -> int | None:
        """Index into ``rows`` of the first bad partition, the one with the most replicas first."""
        some = np.flatnonzero(bad)
        return None if not len(some) else int(some[np.argmax(self.rf[some])])

    def label(self, at: int) -> str:
        """Topic and number of the partition at an index into ``rows``."""
        return self.problem.cluster.label(int(self.rows[at]))
