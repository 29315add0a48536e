"""`topic-leaders`: every broker leads its share of every topic."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from equipoise.cluster.apart import Spread
from equipoise.cluster.brokers import IntArray
from equipoise.planning.flow.network import Objective
from equipoise.planning.goals.interface import Counted, LeaderGoal
from equipoise.planning.problem.problem import Problem
from equipoise.planning.problem.shares import squares, table, topic_bands, topic_leader_bands

if TYPE_CHECKING:
    from equipoise.planning.bounds.leaders import FreeLeaders
    from equipoise.planning.programs.model import Model
    from equipoise.planning.programs.rows import Sum


class TopicLeaders(LeaderGoal):
    name = "topic-leaders"
    title = "Leaders of each topic"
    meaning = "squared distance of each topic's leaders on each broker from its band"
    tie_break = True
    default = True
    counted = Counted.CELLS

    def apart(self, spread: Spread) -> int:
        return spread.leaders_of_topics()

    def value(self, problem: Problem, lists: IntArray) -> int:
        count = table(problem, np.arange(len(lists)), lists[:, 0])
        return squares(count, *topic_bands(problem, count, problem.leads))

    def on_counts(self, free: FreeLeaders, n_counts: int) -> Objective:
        low, high = topic_leader_bands(free.problem)
        cells = np.arange(n_counts - low.size, n_counts, dtype=np.int32)
        return Objective.of_bands(n_counts, cells, low.ravel(), high.ravel())

    def rows(self, model: Model) -> Sum:
        problem, fixed = model.problem, np.flatnonzero(~model.problem.movable)
        base = table(problem, fixed, problem.current[fixed, 0])
        return model.by_topic(partial(model.placed, k=0), base, problem.leads, np.ones_like(problem.rf))
