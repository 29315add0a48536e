"""What a goal of squared distances comes to, as people count it: how far brokers are apart at most."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
import numpy.typing as npt

from equipoise.cluster import Plan
from equipoise.cluster.brokers import IntArray
from equipoise.report import words
from equipoise.report.figures import Figures

CELLS = 2**18
"""Topics on brokers that are counted at a time: two megabytes."""


def apart(plan: Plan, figures: Figures) -> dict[str, str]:
    """Goal → ``at most 50 apart``: the greatest less the least of what it levels, after the plan.

    Only goals that count brokers against one another in plain numbers, where all brokers weigh the same.
    """
    if not plan.eligible.any() or np.ptp(plan.cluster.brokers.weight[plan.eligible]) > 0:
        return {}
    found = {goal: measure(plan, figures) for goal, measure in MEASURES.items()}
    return {goal: f"at most {words.number(count)} apart" for goal, count in found.items()}


def of_brokers(column: str) -> Callable[[Plan, Figures], int]:
    """Over brokers that may hold replicas."""

    def most_apart(plan: Plan, figures: Figures) -> int:
        return int(np.ptp(getattr(figures.after, column)[plan.eligible]))

    return most_apart


def of_topics(columns: slice) -> Callable[[Plan, Figures], int]:
    """Over the same brokers, in the topic where they are furthest apart; ``columns`` of the replica lists."""

    def most_apart(plan: Plan, figures: Figures) -> int:
        held = plan.target[:, columns]
        return max((int(np.ptp(cells, axis=1).max()) for cells in per_topic(plan, held)), default=0)

    return most_apart


def per_topic(plan: Plan, held: IntArray) -> Iterator[npt.NDArray[np.int64]]:
    """What each eligible broker holds of each topic, ``(some topics, n_eligible)`` a time."""
    cluster = plan.cluster
    n, n_topics = cluster.n_brokers, len(cluster.topics)
    size = max(1, CELLS // n)
    for first in range(0, n_topics, size):
        last = min(first + size, n_topics)
        rows = slice(cluster.topic_start[first], cluster.topic_start[last])
        cell = (cluster.topic_idx[rows, None] - first) * n + held[rows]
        counted = np.bincount(cell[held[rows] >= 0], minlength=(last - first) * n)
        yield counted.reshape(-1, n)[:, plan.eligible]


MEASURES: dict[str, Callable[[Plan, Figures], int]] = {
    "replicas": of_brokers("replicas"),
    "leaders": of_brokers("leaders"),
    "topics": of_topics(slice(None)),
    "topic-leaders": of_topics(slice(1)),
}
