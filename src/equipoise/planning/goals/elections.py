"""`elections`: partitions that get another preferred leader."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from equipoise.cluster import measures
from equipoise.cluster.brokers import IntArray
from equipoise.planning.flow.network import Objective
from equipoise.planning.goals.interface import BrokerLeaderGoal, Counted
from equipoise.planning.problem.problem import Problem

if TYPE_CHECKING:
    from equipoise.planning.bounds.leaders import FreeLeaders
    from equipoise.planning.programs.model import Model
    from equipoise.planning.programs.rows import Sum


class Elections(BrokerLeaderGoal):
    name = "elections"
    title = "Leadership changes"
    meaning = "partitions whose preferred leader changes"
    nouns = ("leadership change", "leadership changes")
    default = required = appended = True
    counted = Counted.CHANGES
    changes = 1

    def value(self, problem: Problem, lists: IntArray) -> int:
        return int(measures.leadership_changed(problem.cluster.replicas, lists).sum())

    def on_brokers(self, free: FreeLeaders) -> Objective:
        linear = np.zeros(free.n_arcs, dtype=np.int64)
        linear[free.gives] = 1
        return Objective.of_linear(linear, free.forced)

    def rows(self, model: Model) -> Sum:
        """One for each partition that had a leader and is no longer led by it."""
        before = {row: model.before[row] for row in model.rows if model.before[row]}
        return model.total(1 - model.at.get((row, lists[0], 0), 0) for row, lists in before.items())
