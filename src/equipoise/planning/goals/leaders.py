"""`leaders`: every broker leads its share."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from equipoise.cluster import measures
from equipoise.cluster.apart import Spread
from equipoise.cluster.brokers import IntArray
from equipoise.planning.flow.network import Objective
from equipoise.planning.goals.interface import BrokerLeaderGoal, Counted
from equipoise.planning.problem.problem import Problem
from equipoise.planning.problem.shares import leader_band, open_band, squares, weights

if TYPE_CHECKING:
    from equipoise.planning.bounds.leaders import FreeLeaders
    from equipoise.planning.programs.model import Model
    from equipoise.planning.programs.rows import Sum


class Leaders(BrokerLeaderGoal):
    name = "leaders"
    title = "Leaders level"
    meaning = "squared distance of each broker's preferred leaders from its band"
    default = True
    load = "leaders"
    counted = Counted.NODES

    def apart(self, spread: Spread) -> int:
        return spread.leaders()

    def value(self, problem: Problem, lists: IntArray) -> int:
        led = measures.leaders_per_broker(lists, problem.cluster.n_brokers)
        return squares(led, *leader_band(problem, lists))

    def on_brokers(self, free: FreeLeaders) -> Objective:
        sides = free.problem.request.sides("leaders")
        low, high = open_band(free.total, weights(free.problem, free.problem.leads), sides)
        arcs = (free.n_racks + np.arange(free.n_brokers)).astype(np.int32)
        return Objective.of_bands(free.n_arcs, arcs, low - free.base, high - free.base)

    def rows(self, model: Model) -> Sum:
        base, leads = model.fixed_at(0), model.problem.leads
        total = int(base[leads].sum()) + len(model.rows)
        low, high = open_band(total, weights(model.problem, leads), model.problem.request.sides("leaders"))
        return model.within(partial(model.placed, k=0), base, leads, low, high)
