"""``rack-replicas``: squared distance of each rack's replicas from its band."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from equipoise.cluster import measures
from equipoise.judge.arc_costs import Cost, banded
from equipoise.judge.bands import shares, squares, weights_of_all
from equipoise.judge.counting import Counting
from equipoise.judge.goals.interface import PlacementGoal
from equipoise.judge.goals.rack_leaders import ANYTHING, of_racks
from equipoise.judge.rows import ones
from equipoise.judge.sheet import Sum, Terms
from equipoise.judge.views import PlacementView
from equipoise.judge.violations import Case

Int64 = npt.NDArray[np.int64]


class RackReplicas(PlacementGoal):
    """Of the racks with a broker that may hold replicas, in proportion to the weights of those."""

    name = "rack-replicas"
    of_racks = True

    def is_known(self, case: Case) -> bool:
        return case.cluster.brokers.has_racks

    def value(self, case: Case) -> int:
        held = measures.replicas_per_broker(case.target, case.cluster.n_brokers)
        weight, low, high = bands(case, int(held[case.rules.eligible].sum()))
        some = weight > 0
        return squares(of_racks(case, held)[some], low[some], high[some])

    def on_placement(self, view: PlacementView) -> Cost:
        case, layout = view.layout.case, view.layout
        fixed = case.rules.base[~case.rules.movable]
        base = measures.replicas_per_broker(fixed, case.cluster.n_brokers)
        total = int(base[case.rules.eligible].sum()) + int(case.rules.rf[layout.rows].sum())
        weight, low, high = bands(case, total)
        there = of_racks(case, base)
        if not layout.n_sums:  # one rack has all there is
            none = np.zeros(view.arcs.n, dtype=np.int64)
            left = squares(there + int(case.rules.rf[layout.rows].sum()), low, high) if weight.any() else 0
            return Cost(none, np.zeros(0, dtype=np.int64), none[:0], none[:0], left)
        some = weight > 0
        arcs = view.arcs.kinds["rack"][some]
        return banded(view.arcs.n, arcs, (low - there)[some], (high - there)[some])

    def counted(self, program: Counting) -> Sum:
        case, base, eligible = program.case, program.fixed_at(None), program.rules.eligible
        total = int(base[eligible].sum() + program.rules.rf[program.rows].sum())
        weight, lows, highs = bands(case, total)
        terms: Terms = []
        for rack in range(program.n_racks):
            members = np.flatnonzero(case.cluster.brokers.rack_idx == rack).tolist()
            columns = [column for b in members for column in program.holding(b)]
            least = int(base[members].sum())
            high = int(highs[rack]) if weight[rack] else ANYTHING
            terms += program.outside(Sum(ones(columns), least), least + len(columns), int(lows[rack]), high)
        return Sum(terms)


def bands(case: Case, total: int) -> tuple[Int64, Int64, Int64]:
    """``(n_racks,)`` three times: weights of the racks, and the ends of their shares of a total."""
    weight = of_racks(case, weights_of_all(case, case.rules.eligible))
    return weight, *shares(total, weight)
