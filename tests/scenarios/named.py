"""Clusters written down as topics with their lists, and what a plan makes of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from equipoise.cluster import Brokers, Cluster, Plan, build_cluster, measures
from equipoise.planning import DEFAULT_GOALS

COUNTED = tuple(goal for goal in DEFAULT_GOALS if goal != "bytes")
"""The default goals of a cluster without sizes."""
Topics = Mapping[str, Sequence[Sequence[int]]]


def cluster_of(topics: Topics, brokers: Mapping[int, str | None] | Sequence[int] = ()) -> Cluster:
    """A cluster of topics with a replica list for each partition 0, 1, 2..."""
    rows = [(topic, p, held) for topic, lists in topics.items() for p, held in enumerate(lists)]
    racks = dict(brokers) if isinstance(brokers, Mapping) else dict.fromkeys(brokers)
    for _, _, held in rows:
        racks |= {b: racks.get(b) for b in held}
    names, numbers, lists = zip(*rows, strict=True)
    return build_cluster("named", Brokers.of(list(racks), racks), names, numbers, lists)


def values_of(plan: Plan) -> dict[str, float]:
    """The values that are known: without racks theirs is not."""
    return {level.goal: level.value for level in plan.certificate if level.value is not None}


def lists_of(plan: Plan, topic: str) -> list[list[int]]:
    """Replica lists of a topic after the plan, as broker ids."""
    rows = plan.cluster.topic_idx == plan.cluster.topics.index(topic)
    return [[int(b) for b in held if b >= 0] for held in plan.cluster.ids_of(plan.target[rows])]


def replicas(plan: Plan) -> np.ndarray:
    return measures.replicas_per_broker(plan.target, plan.cluster.n_brokers)


def leaders(plan: Plan) -> np.ndarray:
    return measures.leaders_per_broker(plan.target, plan.cluster.n_brokers)


def proved(plan: Plan, *goals: str) -> bool:
    """The given goals meet their bounds."""
    levels = {level.goal: level for level in plan.certificate}
    return all(
        levels[goal].lower_bound == levels[goal].value and levels[goal].proof not in ("none", "unknown")
        for goal in goals
    )


def fewest_moves(held: np.ndarray, low: int, high: int) -> int:
    """What must leave overfull brokers, or must reach the others: the larger of the two."""
    return int(max(np.maximum(held - high, 0).sum(), np.maximum(low - held, 0).sum()))
