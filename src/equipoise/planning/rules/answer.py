"""Replica lists beside the problem that they answer: what every rule is asked about."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from equipoise.cluster import measures
from equipoise.cluster.brokers import IntArray
from equipoise.planning.problem.problem import Problem

Int64 = npt.NDArray[np.int64]
BoolArray = npt.NDArray[np.bool_]


def some(mask: BoolArray) -> BoolArray:
    """``(n_rows,)``: rows of a mask that have a True."""
    return np.asarray(mask.any(axis=1))


@dataclass(frozen=True, eq=False)
class Answer:
    """Lists for all partitions of a problem, or tried for some of them."""

    problem: Problem
    lists: IntArray
    """``(n_rows, max_rf)`` broker positions, -1 padded."""
    only: Int64 | None = None
    """``(n_rows,)``: the partition of each row, one perhaps in several; None: all in their order."""

    @cached_property
    def rows(self) -> Int64:
        return np.arange(len(self.problem.current)) if self.only is None else self.only

    @property
    def none(self) -> BoolArray:
        """``(n_rows,)``: no list breaks a rule that closes nothing."""
        return np.zeros(len(self.lists), dtype=bool)

    @property
    def before(self) -> IntArray:
        return self.problem.cluster.replicas[self.rows]

    @property
    def current(self) -> IntArray:
        """The lists before, with replaced brokers exchanged."""
        return self.problem.current[self.rows]

    @property
    def movable(self) -> BoolArray:
        return self.problem.movable[self.rows]

    @cached_property
    def changed(self) -> BoolArray:
        """``(n_rows,)``: lists that differ from the current ones in any way."""
        mask = np.zeros(len(self.lists), dtype=bool)
        mask[measures.changed_rows(self.current, self.lists)] = True
        return mask

    @property
    def held(self) -> BoolArray:
        """Mask over ``lists``."""
        return self.lists >= 0

    def on(self, allowed: BoolArray) -> BoolArray:
        """Mask over ``lists``: replicas on brokers that ``allowed`` ``(n_brokers,)`` names."""
        return self.held & allowed[np.maximum(self.lists, 0)]

    @cached_property
    def moves(self) -> Int64:
        """``(n_rows,)``: data moves of each list."""
        return measures.arrivals_by_row(self.before, self.lists)

    @cached_property
    def racks_before(self) -> IntArray:
        """``(n_rows, n_racks)``: replicas in each rack, with replaced brokers exchanged."""
        return measures.replicas_per_rack(self.current, self.problem.rack_idx, self.problem.n_racks)

    @cached_property
    def racks_after(self) -> IntArray:
        return measures.replicas_per_rack(self.lists, self.problem.rack_idx, self.problem.n_racks)
