"""`cross-zone`: copies that cross racks."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from equipoise.cluster import Cluster, zones
from equipoise.cluster.brokers import IntArray
from equipoise.planning.flow.network import Int64, Objective
from equipoise.planning.goals.interface import PlacementGoal
from equipoise.planning.problem.problem import Problem

if TYPE_CHECKING:
    from equipoise.planning.networks.placement import PlacementNetwork
    from equipoise.planning.programs.model import Model
    from equipoise.planning.programs.rows import Sum


class CrossZone(PlacementGoal):
    name = "cross-zone"
    title = "Copies across racks"
    meaning = "data moves to another rack than that of the leader they are copied from"
    nouns = ("copy across racks", "copies across racks")
    of_sources = True

    def is_known(self, cluster: Cluster) -> bool:
        return cluster.brokers.has_racks

    def value(self, problem: Problem, lists: IntArray) -> int:
        return int(zones.crossing(problem.cluster, lists).sum())

    def on_placement(self, net: PlacementNetwork) -> Objective:
        problem, data = net.data.problem, net.data
        linear = np.zeros(len(net.network.tail), dtype=np.int64)
        table = problem.cluster.brokers
        broker = data.brokers[net.arrive.broker]
        free = near(net)[net.arrive.unit, table.rack_idx[broker]]
        linear[net.arrive.index] = table.racked[broker] & ~free
        # A broker that replaces another copies what it takes over, from wherever the leader is.
        return Objective.of_linear(linear, int(zones.crossing(problem.cluster, problem.current).sum()))

    def rows(self, model: Model) -> Sum:
        problem = model.problem
        rack, table = zones.source_racks(problem.cluster), problem.cluster.brokers
        return model.total(
            model.held[row, b]
            for row in model.rows
            for b in model.allowed[row]
            if b not in model.before[row] and table.racked[b] and rack[row] not in (-1, table.rack_idx[b])
        )


def near(net: PlacementNetwork) -> Int64:
    """``(n_units, n_racks)``: True where a partition of the unit may be copied without crossing."""
    rack = zones.source_racks(net.data.problem.cluster)[net.data.rows]
    found = np.zeros((len(net.family_of), len(net.data.problem.cluster.brokers.rack_names)), dtype=bool)
    found[net.unit_of[rack >= 0], rack[rack >= 0]] = True
    found[net.unit_of[rack < 0]] = True
    return found
