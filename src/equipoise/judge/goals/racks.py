"""``racks``: replicas above the rack limit, summed over partitions and racks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from equipoise.cluster.proofs import NetworkName
from equipoise.judge.arc_costs import Cost, each
from equipoise.judge.counting import Counting
from equipoise.judge.goals.interface import PlacementGoal, Reached
from equipoise.judge.moves_within import priced_bound
from equipoise.judge.rows import ones
from equipoise.judge.sheet import Sum
from equipoise.judge.views import Networks, PlacementView, SumsView
from equipoise.judge.violations import Case, rack_excess

Int64 = npt.NDArray[np.int64]


class Racks(PlacementGoal):
    """Of the partitions that may change; what breaks the rule and may not change is no fault of a plan."""

    name = "racks"
    spends_moves = True

    def value(self, case: Case) -> int:
        if not case.cluster.brokers.has_racks:
            return 0
        return int(rack_excess(case, case.target)[1][case.rules.movable].sum())

    def is_known(self, case: Case) -> bool:
        return case.cluster.brokers.has_racks

    def on_placement(self, view: PlacementView) -> Cost:
        """What leaves a crowded rack, and crowds no other, is mended."""
        mended, eased = view.arcs.kinds["mended"], view.arcs.kinds["eased"]
        price = np.repeat([-1, 1], [len(mended), len(eased)])
        return each(view.arcs.n, np.concatenate([mended, eased]), price, offset=view.excess)

    def own_bound(
        self, network: NetworkName, stored: Int64, before: Sequence[Reached], networks: Networks
    ) -> int:
        if network is NetworkName.MERGED_BUDGET:
            return priced_bound(networks, self.name, stored)
        return super().own_bound(network, stored, before, networks)

    def counted(self, program: Counting) -> Sum:
        return Sum([excess for row in program.rows for excess in ones(program.excess.get(row, []))])

    def tighten(self, sums: SumsView, value: int) -> SumsView:
        return replace(sums, mended=value == 0)
