"""`topics`: every broker holds its share of every topic."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from equipoise.cluster.apart import Spread
from equipoise.cluster.brokers import IntArray
from equipoise.planning.flow.network import Objective
from equipoise.planning.goals.interface import PlacementGoal
from equipoise.planning.problem.problem import Problem
from equipoise.planning.problem.shares import squares, table, topic_bands

if TYPE_CHECKING:
    from equipoise.planning.networks.placement import PlacementNetwork
    from equipoise.planning.programs.model import Model
    from equipoise.planning.programs.rows import Sum


class Topics(PlacementGoal):
    name = "topics"
    title = "Topics level"
    meaning = "squared distance of each topic's replicas on each broker from its band"
    default = of_topics = True

    def apart(self, spread: Spread) -> int:
        return spread.replicas_of_topics()

    def value(self, problem: Problem, lists: IntArray) -> int:
        row, position = np.nonzero(lists >= 0)
        count = table(problem, row, lists[row, position])
        return squares(count, *topic_bands(problem, count, problem.eligible))

    def on_placement(self, net: PlacementNetwork) -> Objective:
        low, high, apart = net.topic_bands()
        return Objective.of_bands(len(net.network.tail), net.cell.index, low, high, apart)

    def rows(self, model: Model) -> Sum:
        problem = model.problem
        row, position = np.nonzero((problem.current >= 0) & ~problem.movable[:, None])
        base = table(problem, row, problem.current[row, position])
        return model.by_topic(model.holding, base, problem.eligible, problem.rf)
