"""Drained brokers: what a run leaves on them, and what it finds there at its end."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from equipoise.execution.port import TopicPartition
from equipoise.patterns import matches

if TYPE_CHECKING:
    from equipoise.cluster import Plan

Held = Mapping[int, Sequence[TopicPartition]]
"""The partitions that brokers hold, by broker."""


@dataclass(frozen=True)
class Drained:
    """Brokers that are to be empty at the end of everything that the plan was asked to move."""

    stays: Mapping[int, frozenset[TopicPartition]] = field(default_factory=dict)
    """By broker, what the plan leaves on it: partitions that it was not asked for, or that are held back."""
    topics: str | None = None
    """The plan's ``--topics``: what comes of other topics is not its business."""
    exclude_topics: str | None = None

    @property
    def brokers(self) -> tuple[int, ...]:
        return tuple(sorted(self.stays))

    def beyond(self, held: Held) -> dict[int, list[TopicPartition]]:
        """What these brokers hold and should not, by broker; none for those that are empty."""
        found = {
            broker: [name for name in held[broker] if name not in stays]
            for broker, stays in self.stays.items()
        }
        asked = self.asked({name.topic for names in found.values() for name in names})
        left = {broker: [name for name in found[broker] if name.topic in asked] for broker in self.brokers}
        return {broker: names for broker, names in left.items() if names}

    def asked(self, topics: set[str]) -> set[str]:
        """Those of the topics that the plan was asked to move."""
        if self.topics is not None:
            topics = chosen(self.topics, topics, "--topics")
        if self.exclude_topics is not None:
            topics = topics - chosen(self.exclude_topics, topics, "--exclude-topics")
        return topics


def chosen(pattern: str, topics: set[str], option: str) -> set[str]:
    names = sorted(topics)
    return {name for name, match in zip(names, matches(pattern, names, option), strict=True) if match}


def drained_by(plan: Plan) -> Drained:
    """The brokers that a plan empties, with what it leaves on them."""
    cluster = plan.cluster
    stays: dict[int, frozenset[TopicPartition]] = {}
    for broker in np.flatnonzero(~plan.eligible).tolist():
        rows = np.flatnonzero((plan.target == broker).any(axis=1))
        topics, numbers = cluster.topic_idx[rows].tolist(), cluster.partition[rows].tolist()
        stays[int(cluster.brokers.ids[broker])] = frozenset(
            TopicPartition(cluster.topics[t], p) for t, p in zip(topics, numbers, strict=True)
        )
    return Drained(stays, plan.request.get("topics"), plan.request.get("exclude_topics"))
