"""`moves`: replicas that have to be copied."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from equipoise.cluster import measures
from equipoise.cluster.brokers import IntArray
from equipoise.planning.flow.network import Objective
from equipoise.planning.goals.interface import PlacementGoal
from equipoise.planning.problem.problem import Problem

if TYPE_CHECKING:
    from equipoise.planning.networks.placement import PlacementNetwork
    from equipoise.planning.programs.model import Model
    from equipoise.planning.programs.rows import Sum


class Moves(PlacementGoal):
    name = "moves"
    title = "Data moves"
    meaning = "data moves (a partition that is created moves nothing)"
    nouns = ("data move", "data moves")
    default = required = appended = True

    def value(self, problem: Problem, lists: IntArray) -> int:
        return measures.data_moves(problem.cluster.replicas, lists)

    def keeps_places(self, problem: Problem, lists: IntArray) -> bool:
        # Unless partitions are to gain or lose replicas.
        return self.value(problem, lists) == 0 and np.array_equal(problem.rf, problem.cluster.rf)

    def on_placement(self, net: PlacementNetwork) -> Objective:
        problem, rows = net.data.problem, net.data.rows
        linear = np.zeros(len(net.network.tail), dtype=np.int64)
        linear[net.arrive.index] = 1
        # A broker that replaces another copies what it takes over; a new partition copies nothing.
        taken_over = measures.data_moves(problem.cluster.replicas, problem.current)
        created = int(problem.rf[rows[problem.cluster.rf[rows] == 0]].sum())
        return Objective.of_linear(linear, taken_over - created)

    def rows(self, model: Model) -> Sum:
        return model.total(model.arrivals(row) for row in model.rows)
