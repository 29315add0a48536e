"""`failover`: what any lost broker leads is spread over the survivors."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from equipoise.cluster import measures
from equipoise.cluster.brokers import IntArray
from equipoise.planning.flow.network import Int64
from equipoise.planning.goals.interface import FollowerGoal
from equipoise.planning.problem.problem import Problem
from equipoise.planning.problem.shares import failover_bands, squares

if TYPE_CHECKING:
    from equipoise.planning.programs.model import Model
    from equipoise.planning.programs.rows import Sum


class Failover(FollowerGoal):
    """The first follower takes the lead: Appier, "Kafka reassignment", section on the first follower."""

    name = "failover"
    title = "Leaders after a failure"
    meaning = (
        "squared distance, for each lost broker and each survivor, of the survivor's leaders (its own and "
        "those it inherits as first follower) from its band of all leaders over the survivors"
    )
    of_pairs = True

    def value(self, problem: Problem, lists: IntArray) -> int:
        count = measures.failover_leaders(lists, problem.cluster.n_brokers)
        return squares(count, *self.bands_by_pair(problem, lists))

    def bands_by_pair(self, problem: Problem, lists: IntArray) -> tuple[Int64, Int64]:
        """``(n_brokers, n_brokers)`` low and high: lost broker by row, survivor by column."""
        led = measures.leaders_per_broker(lists, problem.cluster.n_brokers)
        return failover_bands(problem, int(led[problem.leads].sum()))

    def depth(self, most_rf: int) -> int:
        return min(2, most_rf)

    def positions(self, problem: Problem) -> range:
        return range(1, min(2, int(problem.rf.max(initial=1))))

    def base(self, problem: Problem, lists: IntArray, position: int) -> Int64:
        n = problem.cluster.n_brokers
        fixed = lists[~problem.movable & ((lists >= 0).sum(axis=1) > position)]
        pair = fixed[:, 0].astype(np.int64) * n + fixed[:, position] if len(fixed) else np.zeros(0, np.int64)
        led = measures.leaders_per_broker(lists, n)
        return np.bincount(pair, minlength=n * n).astype(np.int64) + np.tile(led, n)

    def bands(self, problem: Problem, lists: IntArray, position: int) -> tuple[Int64, Int64]:
        low, high = self.bands_by_pair(problem, lists)
        return low.ravel(), high.ravel()

    def rows(self, model: Model) -> Sum:
        problem, n = model.problem, model.problem.cluster.n_brokers
        base, after = model.fixed_at(0), measures.failover_leaders(model.fixed(), n)
        low, high = failover_bands(problem, int(base[problem.leads].sum()) + len(model.rows))
        led = [model.number(model.placed(b, 0)) for b in range(n)]
        inherited = model.inherited()
        terms = []
        for lost in np.flatnonzero(problem.leads).tolist():
            for b in (b for b in range(n) if b != lost):
                least = int(after[lost, b])
                count = least + led[b] + inherited.get((lost, b), 0)
                most, band = least + len(model.rows), (int(low[lost, b]), int(high[lost, b]))
                terms.append(model.outside(count, least, most, *band))
        return model.total(terms)
