"""`racks`: the rack rule, where it was broken before and could not be mended."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from equipoise.cluster import Cluster
from equipoise.cluster.brokers import IntArray
from equipoise.planning.flow.network import Objective
from equipoise.planning.goals.interface import PlacementGoal
from equipoise.planning.problem.problem import Problem
from equipoise.planning.rules.rack_rule import rack_excess

if TYPE_CHECKING:
    from equipoise.planning.networks.placement import PlacementNetwork
    from equipoise.planning.programs.model import Model
    from equipoise.planning.programs.rows import Sum


class Racks(PlacementGoal):
    name = "racks"
    title = "Rack rule"
    meaning = "replicas above the rack limit, summed over partitions and racks"
    nouns = ("replica above the rack limit", "replicas above the rack limit")
    default = required = True

    def is_known(self, cluster: Cluster) -> bool:
        return cluster.brokers.has_racks

    def value(self, problem: Problem, lists: IntArray) -> int:
        return int(rack_excess(problem, lists)[problem.movable].sum())

    def on_placement(self, net: PlacementNetwork) -> Objective:
        # What leaves a rack that holds too much, and crowds no other, mends it: so much less than there was.
        linear = np.zeros(len(net.network.tail), dtype=np.int64)
        linear[net.mended.index], linear[net.eased.index] = -1, 1
        return Objective.of_linear(linear, net.total_excess)

    def rows(self, model: Model) -> Sum:
        return model.total(model.excess.values())
