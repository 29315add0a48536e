"""`reorders`: partitions that keep their brokers in another order."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from equipoise.cluster import measures
from equipoise.cluster.brokers import IntArray
from equipoise.planning.goals.interface import Counted, OrderGoal
from equipoise.planning.problem.problem import Problem
from equipoise.planning.problem.shares import same_set

if TYPE_CHECKING:
    from equipoise.planning.programs.model import Model
    from equipoise.planning.programs.rows import Sum


class Reorders(OrderGoal):
    name = "reorders"
    title = "Reorders"
    meaning = "partitions with the same brokers in a new order"
    nouns = ("reorder", "reorders")
    tie_break = True
    required = True
    counted = Counted.REORDERS

    def value(self, problem: Problem, lists: IntArray) -> int:
        before = problem.cluster.replicas
        changed = np.zeros(len(lists), dtype=bool)
        changed[measures.changed_rows(before, lists)] = True
        return int((changed & same_set(before, lists)).sum())

    def rows(self, model: Model) -> Sum:
        may = (row for row in model.rows if len(model.before[row]) == model.problem.rf[row])
        return model.total(self.reorder(model, row) for row in may)

    def reorder(self, model: Model, row: int) -> Sum:
        """1 where every broker of a partition stays and one of the positions decided differs."""
        before, reorder = model.before[row], model.column()
        stays = model.total(model.held.get((row, b), 0) for b in before) - len(before)
        for k in range(min(model.depth, len(before))):
            model.at_least(reorder - stays + model.at.get((row, before[k], k), 0), 1)
        return reorder
