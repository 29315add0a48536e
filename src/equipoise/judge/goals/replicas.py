"""``replicas``: squared distance of each broker's replicas from its band."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import isqrt

import numpy as np
import numpy.typing as npt

from equipoise.cluster import measures
from equipoise.cluster.apart import Spread
from equipoise.cluster.proofs import NetworkName
from equipoise.judge.arc_costs import Cost, banded
from equipoise.judge.bands import squares, weights, within
from equipoise.judge.counting import Counting
from equipoise.judge.goals.interface import PlacementGoal, Reached
from equipoise.judge.moves_within import priced_bound
from equipoise.judge.sheet import Sum
from equipoise.judge.views import Networks, PlacementView, SumsView
from equipoise.judge.violations import Case

Int64 = npt.NDArray[np.int64]


class Replicas(PlacementGoal):
    """Of the brokers that may hold replicas, within ``--tolerance`` of their shares."""

    name = "replicas"
    spends_moves = True

    def apart(self, spread: Spread) -> int:
        return spread.replicas()

    def value(self, case: Case) -> int:
        held = measures.replicas_per_broker(case.target, case.cluster.n_brokers)[case.rules.eligible]
        return squares(held, *band(case, int(held.sum())))

    def on_placement(self, view: PlacementView) -> Cost:
        case, rows = view.layout.case, view.layout.rows
        fixed = case.rules.base[~case.rules.movable]
        base = measures.replicas_per_broker(fixed, case.cluster.n_brokers)[view.layout.brokers]
        low, high = band(case, int(base.sum()) + int(case.rules.rf[rows].sum()))
        return banded(view.arcs.n, view.arcs.kinds["sink"], low - base, high - base)

    def counted(self, program: Counting) -> Sum:
        base, eligible = program.fixed_at(None), program.rules.eligible
        total = int(base[eligible].sum() + program.rules.rf[program.rows].sum())
        return Sum(program.level(program.holding, base, eligible, band(program.case, total)))

    def tighten(self, sums: SumsView, value: int) -> SumsView:
        """No broker alone is farther from its band than the root of what all are together."""
        case = sums.case
        rules, eligible = case.rules, case.rules.eligible
        rf = rules.rf[rules.movable]
        fixed = measures.replicas_per_broker(case.before[~rules.movable], case.cluster.n_brokers)[eligible]
        low, high = band(case, int(fixed.sum() + rf.sum()))
        off, later = isqrt(max(0, value)), int((rf > 2).sum())
        fewest, most = sums.fewest_places.copy(), sums.most_places.copy()
        fewest[eligible] = np.maximum(fewest[eligible], low - off - fixed - later)
        most[eligible] = np.minimum(most[eligible], high + off - fixed)
        return replace(sums, fewest_places=fewest, most_places=most)

    def own_bound(
        self, network: NetworkName, stored: Int64, before: Sequence[Reached], networks: Networks
    ) -> int:
        if network is NetworkName.MERGED_BUDGET:
            return priced_bound(networks, self.name, stored)
        return super().own_bound(network, stored, before, networks)


def band(case: Case, total: int) -> tuple[Int64, Int64]:
    """The two ends of each eligible broker's band, ``(n_eligible,)``, when they hold ``total`` together."""
    return within(total, weights(case, case.rules.eligible), case.rules.tolerance)
