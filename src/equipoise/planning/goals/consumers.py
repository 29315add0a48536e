"""`consumers`: what consumers read in another rack than the leader's."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from equipoise.cluster import Cluster, zones
from equipoise.cluster.brokers import IntArray
from equipoise.cluster.rates import outbound
from equipoise.planning.flow.network import Int64
from equipoise.planning.goals.interface import Counted, LeaderGoal
from equipoise.planning.problem.problem import Problem

if TYPE_CHECKING:
    from equipoise.planning.programs.model import Model
    from equipoise.planning.programs.rows import Sum


class Consumers(LeaderGoal):
    name = "consumers"
    title = "Read across racks"
    meaning = "bytes a second that consumers in another rack than the preferred leader read"
    nouns = ("byte a second read across racks", "bytes a second read across racks")
    counted = Counted.LEADING

    def is_known(self, cluster: Cluster) -> bool:
        # How much of what comes in is read, the request says; without either nobody can know.
        return cluster.brokers.has_racks and bool(np.isfinite(outbound(cluster, 1)).any())

    def value(self, problem: Problem, lists: IntArray) -> int:
        return int(self.leading(problem, np.arange(len(lists)), lists[:, 0]).sum())

    def leading(self, problem: Problem, rows: Int64, brokers: IntArray | Int64) -> Int64:
        return consumers_of(problem).read_afar(rows, brokers)

    def rows(self, model: Model) -> Sum:
        problem, fixed = model.problem, np.flatnonzero(~model.problem.movable)
        pairs = [(row, b) for row in model.rows for b in model.allowed[row] if (row, b, 0) in model.at]
        rows, brokers = np.array(pairs, dtype=np.int64).reshape(-1, 2).T
        cost = self.leading(problem, rows, brokers).tolist()
        there = int(self.leading(problem, fixed, problem.current[fixed, 0]).sum())
        afar = ((pair, each) for pair, each in zip(pairs, cost, strict=True) if each)
        return model.total(each * model.at[row, b, 0] for (row, b), each in afar) + there


def consumers_of(problem: Problem) -> zones.Consumers:
    """Where a problem's consumers are, as far as its request says."""
    request = problem.request
    return zones.Consumers.of(problem.cluster, request.consumers_in, request.consumption)
