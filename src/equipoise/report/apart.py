"""What a goal of squared distances comes to, as people count it: how far brokers are apart at most."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from equipoise.cluster import Plan
from equipoise.cluster.brokers import IntArray
from equipoise.report import words
from equipoise.report.figures import Figures


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
        return max((int(np.ptp(row)) for row in per_topic(plan, held)), default=0)

    return most_apart


def per_topic(plan: Plan, held: IntArray) -> list[IntArray]:
    """For each topic what each eligible broker holds of it, ``(n_eligible,)``."""
    n, order = plan.cluster.n_brokers, np.argsort(plan.cluster.topic_idx, kind="stable")
    ends = np.flatnonzero(np.diff(plan.cluster.topic_idx[order])) + 1
    counted = (np.bincount(held[rows][held[rows] >= 0], minlength=n) for rows in np.split(order, ends))
    return [row[plan.eligible].astype(np.int32) for row in counted]


MEASURES: dict[str, Callable[[Plan, Figures], int]] = {
    "replicas": of_brokers("replicas"),
    "leaders": of_brokers("leaders"),
    "topics": of_topics(slice(None)),
    "topic-leaders": of_topics(slice(1)),
}
