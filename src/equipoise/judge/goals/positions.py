"""``positions``: squared distance of each broker's replicas at each follower position."""

from __future__ import annotations

from functools import partial

import numpy as np

from equipoise.judge.bands import shares, squares, weights
from equipoise.judge.counting import Counting
from equipoise.judge.goals.interface import FollowerGoal
from equipoise.judge.sheet import Sum, Terms
from equipoise.judge.violations import Case


class Positions(FollowerGoal):
    """Each position has shares of its own, over the brokers that may hold replicas."""

    name = "positions"

    def value(self, case: Case) -> int:
        eligible, total = case.rules.eligible, 0
        for place in range(1, case.target.shape[1]):
            at = case.target[:, place]
            held = np.bincount(at[at >= 0], minlength=case.cluster.n_brokers).astype(np.int64)[eligible]
            total += squares(held, *shares(int(held.sum()), weights(case, eligible)))
        return total

    def positions(self, most_rf: int) -> int:
        return most_rf

    def counted(self, program: Counting) -> Sum:
        terms: Terms = []
        eligible, rf = program.rules.eligible, program.rules.rf[program.rows]
        for k in range(1, max(program.depth, program.rules.base.shape[1])):
            base = program.fixed_at(k)
            total = int(base[eligible].sum() + (rf > k).sum())
            bands = shares(total, weights(program.case, eligible))
            terms += program.level(partial(program.placed, k=k), base, eligible, bands)
        return Sum(terms)
