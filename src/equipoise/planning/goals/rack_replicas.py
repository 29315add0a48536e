"""`rack-replicas`: every rack holds its share."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from equipoise.cluster import Cluster, measures
from equipoise.cluster.brokers import IntArray
from equipoise.planning.flow.network import Int64, Objective
from equipoise.planning.goals.interface import PlacementGoal
from equipoise.planning.problem.problem import Problem
from equipoise.planning.problem.shares import by_rack, open_band, rack_weights, squares

if TYPE_CHECKING:
    from equipoise.planning.networks.placement import PlacementNetwork
    from equipoise.planning.programs.model import Model
    from equipoise.planning.programs.rows import Sum


class RackReplicas(PlacementGoal):
    name = "rack-replicas"
    title = "Replicas of each rack"
    meaning = "squared distance of each rack's replicas from its band"
    of_racks = True

    def is_known(self, cluster: Cluster) -> bool:
        return cluster.brokers.has_racks

    def value(self, problem: Problem, lists: IntArray) -> int:
        held = measures.replicas_per_broker(lists, problem.cluster.n_brokers)
        return squares(by_rack(problem, held), *self.band(problem, int(held[problem.eligible].sum())))

    def band(self, problem: Problem, total: int) -> tuple[Int64, Int64]:
        """``(n_racks,)`` twice: each rack's share of what stands on eligible brokers."""
        return open_band(total, rack_weights(problem, problem.eligible))

    def on_placement(self, net: PlacementNetwork) -> Objective:
        data, problem = net.data, net.data.problem
        low, high = self.band(problem, data.n_replicas)
        # What stands for good counts too, and stands on brokers that hold nothing else among it.
        fixed = problem.current[~problem.movable]
        there = by_rack(problem, np.bincount(fixed[fixed >= 0], minlength=problem.cluster.n_brokers))
        n_arcs = len(net.network.tail)
        if not len(net.rack.unit):  # one rack has all there is, whatever moves
            apart = squares(there + data.n_replicas - int(data.base.sum()), low, high)
            return Objective.of_linear(np.zeros(n_arcs, dtype=np.int64), apart)
        return Objective.of_bands(n_arcs, net.rack.index, low - there, high - there)

    def rows(self, model: Model) -> Sum:
        problem, base = model.problem, model.fixed_at(None)
        total = int(base[problem.eligible].sum() + problem.rf[model.rows].sum())
        low, high = self.band(problem, total)
        terms = []
        for rack in range(problem.n_racks):
            members = np.flatnonzero(problem.rack_idx == rack).tolist()
            counted = [column for broker in members for column in model.holding(broker)]
            terms.append(model.squared(counted, int(base[members].sum()), int(low[rack]), int(high[rack])))
        return model.total(terms)
