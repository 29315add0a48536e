"""`replicas`: every broker holds its share."""

from __future__ import annotations

from typing import TYPE_CHECKING

from equipoise.cluster import measures
from equipoise.cluster.apart import Spread
from equipoise.cluster.brokers import IntArray
from equipoise.planning.flow.network import Objective
from equipoise.planning.goals.interface import PlacementGoal
from equipoise.planning.problem.bands import band
from equipoise.planning.problem.problem import Problem
from equipoise.planning.problem.shares import open_band, replica_band, squares, weights

if TYPE_CHECKING:
    from equipoise.planning.networks.placement import PlacementNetwork
    from equipoise.planning.programs.model import Model
    from equipoise.planning.programs.rows import Sum


class Replicas(PlacementGoal):
    name = "replicas"
    title = "Replicas level"
    meaning = "squared distance of each broker's replicas from its band"
    default = True
    load = "count"

    def apart(self, spread: Spread) -> int:
        return spread.replicas()

    def value(self, problem: Problem, lists: IntArray) -> int:
        held = measures.replicas_per_broker(lists, problem.cluster.n_brokers)
        return squares(held, *replica_band(problem, lists))

    def on_placement(self, net: PlacementNetwork) -> Objective:
        data = net.data
        low, high = band(data.n_replicas, data.weight, data.problem.request.sides("count"))
        arcs = net.sink.index
        return Objective.of_bands(len(net.network.tail), arcs, low - data.base, high - data.base)

    def rows(self, model: Model) -> Sum:
        problem, base = model.problem, model.fixed_at(None)
        total = int(base[problem.eligible].sum() + problem.rf[model.rows].sum())
        weight = weights(problem, problem.eligible)
        low, high = open_band(total, weight, problem.request.sides("count"))
        return model.within(model.holding, base, problem.eligible, low, high)
