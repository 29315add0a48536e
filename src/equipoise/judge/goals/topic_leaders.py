"""``topic-leaders``: squared distance of each topic's leaders on each broker from its band."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from equipoise.cluster.apart import Spread
from equipoise.cluster.proofs import NetworkName
from equipoise.judge.arc_costs import Cost, banded
from equipoise.judge.bands import per_topic, topic_leader_bands
from equipoise.judge.counting import Counting
from equipoise.judge.goals.interface import OrderGoal, Reached
from equipoise.judge.sheet import Sum
from equipoise.judge.topic_leaders import topic_leaders_bound
from equipoise.judge.views import JointView, Networks, OrderView
from equipoise.judge.violations import Case

Int64 = npt.NDArray[np.int64]


class TopicLeaders(OrderGoal):
    """Each topic has shares of its own, over the brokers that may lead."""

    name = "topic-leaders"

    def apart(self, spread: Spread) -> int:
        return spread.leaders_of_topics()

    def value(self, case: Case) -> int:
        return per_topic(case, case.target[:, :1], case.rules.leads)

    def on_orders(self, view: OrderView) -> Cost:
        """Cells of brokers that may lead have bands; those without a node stay as they are."""
        n_brokers, leads = view.choices.n_brokers, view.case.rules.leads
        low, high = topic_leader_bands(view.case)
        mine = leads[view.cells % n_brokers]
        others = np.tile(leads, len(view.case.cluster.topics))
        others[view.cells] = False
        apart = np.maximum(np.maximum(low, -high), 0)[others]
        arcs, cells = view.arcs.kinds["cell"][mine], view.cells[mine]
        return banded(view.arcs.n, arcs, low[cells], high[cells], offset=int((apart * apart).sum()))

    def jointly(self, view: JointView, price: int) -> None:
        """The counts of topics come after those of racks and of brokers."""
        brokers, leads = view.case.cluster.brokers, view.case.rules.leads
        low, high = topic_leader_bands(view.case)
        cells = np.flatnonzero(np.tile(leads, len(view.case.cluster.topics)))
        counts = len(brokers.rack_names) + len(brokers) + cells
        view.on_counts.append((banded(0, counts, low[cells], high[cells]), price))

    def counted(self, program: Counting) -> Sum:
        rules = program.rules
        return program.by_topic(program.placed, program.fixed()[:, :1], rules.leads, np.ones_like(rules.rf))

    def own_bound(
        self, network: NetworkName, stored: Int64, before: Sequence[Reached], networks: Networks
    ) -> int:
        if network is not NetworkName.TOPIC_LEADERS:
            return super().own_bound(network, stored, before, networks)
        names = [reached.goal.name for reached in before]
        return topic_leaders_bound(networks.case, names, networks.on_face(NetworkName.LEADERS), stored)
