"""``topics``: squared distance of each topic's replicas on each broker from its band."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from equipoise.cluster.apart import Spread
from equipoise.judge.arc_costs import Cost, banded
from equipoise.judge.bands import per_topic, shares, weights
from equipoise.judge.counting import Counting
from equipoise.judge.goals.interface import PlacementGoal
from equipoise.judge.placement_layout import Layout
from equipoise.judge.sheet import Sum
from equipoise.judge.views import PlacementView
from equipoise.judge.violations import Case

Int64 = npt.NDArray[np.int64]


class Topics(PlacementGoal):
    """Each topic has shares of its own, over the brokers that may hold replicas."""

    name = "topics"

    def apart(self, spread: Spread) -> int:
        return spread.replicas_of_topics()

    def value(self, case: Case) -> int:
        return per_topic(case, case.target, case.rules.eligible)

    def on_placement(self, view: PlacementView) -> Cost:
        layout = view.layout
        case, topic = layout.case, layout.topic[layout.unit]
        totals = np.bincount(topic, weights=case.rules.rf[layout.rows], minlength=layout.n_topics)
        stays, weight = staying(layout), weights(case, case.rules.eligible)
        low, high = shares(totals.astype(np.int64)[:, None] + stays.sum(axis=1)[:, None], weight[None, :])
        cells = view.arcs.kinds["cell"]
        bands = (low - stays).ravel(), (high - stays).ravel()
        return banded(view.arcs.n, cells, *bands, offset=unmoved_topics(case))

    def counted(self, program: Counting) -> Sum:
        rules = program.rules
        return program.by_topic(program.holding, program.fixed(), rules.eligible, rules.rf)


def staying(layout: Layout) -> Int64:
    """Replicas that may not change, in topics of which others may; ``(n_topics, n_eligible)``."""
    case = layout.case
    n_brokers = case.cluster.n_brokers
    rank = np.full(len(case.cluster.topics), -1, dtype=np.int64)
    rank[case.cluster.topic_idx[layout.rows]] = layout.topic[layout.unit]
    row, position = np.nonzero((case.rules.base >= 0) & ~case.rules.movable[:, None])
    topic = rank[case.cluster.topic_idx[row]]
    key = topic[topic >= 0] * n_brokers + case.rules.base[row, position][topic >= 0]
    counts = np.bincount(key, minlength=layout.n_topics * n_brokers).astype(np.int64)
    return counts.reshape(-1, n_brokers)[:, layout.brokers]


def unmoved_topics(case: Case) -> int:
    """What the topics of which nothing may change add to the goal."""
    whole = np.ones(len(case.cluster.topics), dtype=bool)
    whole[case.cluster.topic_idx[case.rules.movable]] = False
    rows = whole[case.cluster.topic_idx]
    return per_topic(case, np.where(rows[:, None], case.before, -1), case.rules.eligible)
