"""`rack-leaders`: every rack leads its share."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from equipoise.cluster import Cluster, measures
from equipoise.cluster.brokers import IntArray
from equipoise.planning.flow.network import Objective
from equipoise.planning.goals.interface import BrokerLeaderGoal, Counted
from equipoise.planning.problem.problem import Problem
from equipoise.planning.problem.shares import by_rack, open_band, rack_weights, squares

if TYPE_CHECKING:
    from equipoise.planning.bounds.leaders import FreeLeaders
    from equipoise.planning.programs.model import Model
    from equipoise.planning.programs.rows import Sum


class RackLeaders(BrokerLeaderGoal):
    name = "rack-leaders"
    title = "Leaders of each rack"
    meaning = "squared distance of each rack's preferred leaders from its band"
    counted = Counted.GROUPS

    def is_known(self, cluster: Cluster) -> bool:
        return cluster.brokers.has_racks

    def value(self, problem: Problem, lists: IntArray) -> int:
        led = measures.leaders_per_broker(lists, problem.cluster.n_brokers)
        band = open_band(int(led[problem.leads].sum()), rack_weights(problem, problem.leads))
        return squares(by_rack(problem, led), *band)

    def on_brokers(self, free: FreeLeaders) -> Objective:
        low, high = open_band(free.total, rack_weights(free.problem, free.problem.leads))
        held = by_rack(free.problem, free.base)
        racks = np.arange(free.n_racks, dtype=np.int32)
        return Objective.of_bands(free.n_arcs, racks, low - held, high - held)

    def rows(self, model: Model) -> Sum:
        problem, base = model.problem, model.fixed_at(0)
        total = int(base[problem.leads].sum()) + len(model.rows)
        low, high = open_band(total, rack_weights(problem, problem.leads))
        terms = []
        for rack in range(problem.n_racks):
            members = np.flatnonzero(problem.rack_idx == rack).tolist()
            counted = [column for broker in members for column in model.placed(broker, 0)]
            terms.append(model.squared(counted, int(base[members].sum()), int(low[rack]), int(high[rack])))
        return model.total(terms)
