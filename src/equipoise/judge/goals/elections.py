"""``elections``: partitions whose preferred leader changes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from equipoise.cluster import measures
from equipoise.cluster.proofs import NetworkName
from equipoise.judge.arc_costs import Cost, each
from equipoise.judge.counting import Counting
from equipoise.judge.goals.interface import OrderGoal, Reached
from equipoise.judge.leaving import leaving_bound
from equipoise.judge.load_costs import least_elections
from equipoise.judge.rows import ones
from equipoise.judge.sheet import Sum
from equipoise.judge.views import JointView, LeaderView, Networks, OrderView, PlacementView, SumsView
from equipoise.judge.violations import Case

Int64 = npt.NDArray[np.int64]


class Elections(OrderGoal):
    """A partition that is created has none."""

    name = "elections"

    def value(self, case: Case) -> int:
        return int(measures.leadership_changed(case.before, case.target).sum())

    def beside_loads(self, case: Case, before: Sequence[str]) -> int | None:
        return least_elections(case, before)

    def on_placement(self, view: PlacementView) -> Cost:
        """Leaders that leave their broker, of those that may lead on: the leader network has the others."""
        leaves, brokers = view.arcs.kinds["leave-leaders"], view.layout.brokers
        cells = np.concatenate(view.arcs.tail)[leaves] - 1 - len(brokers)
        leads = view.layout.case.rules.leads[brokers[cells % max(1, len(brokers))]]
        return each(view.arcs.n, leaves, leads)

    def on_leaders(self, view: LeaderView) -> Cost:
        return each(view.arcs.n, view.arcs.kinds["give"], offset=view.forced)

    def on_orders(self, view: OrderView) -> Cost:
        lost = view.choices.rows[view.choices.home < 0]
        offset = int((view.case.before[lost, 0] >= 0).sum())
        return each(view.arcs.n, view.arcs.kinds["change"], offset=offset)

    def jointly(self, view: JointView, price: int) -> None:
        view.change += price

    def counted(self, program: Counting) -> Sum:
        led = [row for row in program.rows if program.before[row]]
        kept = [column for row in led for column in program.standing(row, program.before[row][:1], [0])]
        return Sum(ones(kept, -1), len(led))

    def tighten(self, sums: SumsView, value: int) -> SumsView:
        """A broker gives up no more leaders than change in all, and gains no more than those and new ones."""
        rules = sums.case.rules
        first = sums.case.before[rules.movable, 0]
        stays = (first >= 0) & rules.leads[first]
        here = np.bincount(first[stays], minlength=len(rules.leads)).astype(np.int64)
        changes = value - int(((first >= 0) & ~stays).sum())
        fewest = np.maximum(sums.fewest_leaders, here - changes)
        most = np.minimum(sums.most_leaders, here + changes + int((~stays).sum()))
        return replace(sums, fewest_leaders=fewest, most_leaders=most)

    def own_bound(
        self, network: NetworkName, stored: Int64, before: Sequence[Reached], networks: Networks
    ) -> int:
        units = {
            NetworkName.LEAVING: NetworkName.TOPICS,
            NetworkName.LEAVING_PARTITIONS: NetworkName.PARTITIONS,
        }
        if network not in units:
            return super().own_bound(network, stored, before, networks)
        placement, leaders = (networks.on_face(name) for name in (units[network], NetworkName.LEADERS))
        return leaving_bound(networks.case, self.name, placement, leaders, stored)
