"""``moves``: data moves (a partition that is created moves nothing)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from equipoise.cluster.proofs import NetworkName
from equipoise.judge.arc_costs import Cost
from equipoise.judge.counting import Counting
from equipoise.judge.goals.interface import PlacementGoal, Reached
from equipoise.judge.load_costs import least_copies
from equipoise.judge.moves_within import data_moves, moves_bound
from equipoise.judge.rows import ones
from equipoise.judge.sheet import Sum
from equipoise.judge.views import Networks, PlacementView
from equipoise.judge.violations import Case

Int64 = npt.NDArray[np.int64]


class Moves(PlacementGoal):
    """Replicas that come to a broker which did not hold the partition."""

    name = "moves"

    def value(self, case: Case) -> int:
        return int(case.new.sum())

    def cost_of_copies(self, case: Case) -> Int64:
        return np.ones(case.cluster.n_partitions, dtype=np.int64)

    def keeps_places(self, case: Case, value: int) -> bool:
        """Without moves nothing changes place, unless partitions are to gain or lose replicas."""
        return value == 0 and bool(np.array_equal(case.rules.rf, case.cluster.rf))

    def beside_loads(self, case: Case, before: Sequence[str]) -> int | None:
        return least_copies(case, self.cost_of_copies(case), before)

    def on_placement(self, view: PlacementView) -> Cost:
        return data_moves(view)

    def counted(self, program: Counting) -> Sum:
        return Sum([new for row in program.rows for new in ones(program.arrivals(row))])

    def own_bound(
        self, network: NetworkName, stored: Int64, before: Sequence[Reached], networks: Networks
    ) -> int:
        if network is not NetworkName.MERGED_BUDGET:
            return super().own_bound(network, stored, before, networks)
        spent = [reached for reached in before if reached.goal.spends_moves]
        if not spent:
            raise ValueError(f"the price of a move tells nothing of {self.name} there")
        return max(moves_bound(networks, reached.goal.name, reached.value, stored) for reached in spent)
