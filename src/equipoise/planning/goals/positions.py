"""`positions`: every broker stands at each follower position as often as its share says."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from equipoise.cluster.brokers import IntArray
from equipoise.planning.flow.network import Int64
from equipoise.planning.goals.interface import FollowerGoal
from equipoise.planning.problem.problem import Problem
from equipoise.planning.problem.shares import open_band, squares, weights

if TYPE_CHECKING:
    from equipoise.planning.programs.model import Model
    from equipoise.planning.programs.rows import Sum


class Positions(FollowerGoal):
    name = "positions"
    title = "Positions level"
    meaning = "squared distance of each broker's replicas at each follower position"

    def value(self, problem: Problem, lists: IntArray) -> int:
        return sum(self.value_at(problem, lists, position) for position in range(1, lists.shape[1]))

    def value_at(self, problem: Problem, lists: IntArray, position: int) -> int:
        """The value of one position."""
        at = lists[:, position]
        count = np.bincount(at[at >= 0], minlength=problem.cluster.n_brokers).astype(np.int64)
        total = int(count[problem.eligible].sum())
        return squares(count, *open_band(total, weights(problem, problem.eligible)))

    def depth(self, most_rf: int) -> int:
        return most_rf

    def positions(self, problem: Problem) -> range:
        return range(1, int(problem.rf.max(initial=1)))

    def base(self, problem: Problem, lists: IntArray, position: int) -> Int64:
        fixed = lists[~problem.movable, position] if position < lists.shape[1] else lists[:0, 0]
        return np.bincount(fixed[fixed >= 0], minlength=problem.cluster.n_brokers).astype(np.int64)

    def bands(self, problem: Problem, lists: IntArray, position: int) -> tuple[Int64, Int64]:
        base = self.base(problem, lists, position)
        n_rows = int((problem.movable & ((lists >= 0).sum(axis=1) > position)).sum())
        return open_band(int(base[problem.eligible].sum()) + n_rows, weights(problem, problem.eligible))

    def rows(self, model: Model) -> Sum:
        problem, terms = model.problem, []
        for k in range(1, max(model.depth, problem.current.shape[1])):
            base = model.fixed_at(k)
            total = int(base[problem.eligible].sum() + (problem.rf[model.rows] > k).sum())
            terms.append(model.level(partial(model.placed, k=k), base, problem.eligible, total))
        return model.total(terms)
