"""Log dirs that an operator chooses for replicas: a file in the form of Kafka's reassignment JSON."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from equipoise.cluster import Plan
from equipoise.errors import UnusableInput
from equipoise.files.sources import read_bytes
from equipoise.formats.faults import Faults
from equipoise.formats.reassignment import parse

Replica = tuple[str, int, int]
"""Topic, partition number and broker id."""


def read_choices(path: Path, plan: Plan) -> dict[Replica, str]:
    """The log dir of each replica that the file gives one; ``any`` leaves it to Kafka.

    Raises :class:`UnusableInput` for a replica that is not there once ``plan`` is carried out: it is
    the plan that decides who holds what, the file only where on the broker.
    """
    lists = parse(read_bytes(path, str(path)), Faults(str(path)), proposed=True).lists
    if lists is None or lists.dir_idx is None:
        raise UnusableInput("names no log dirs", source=str(path), advice='It has "any" or nothing for all')
    choices = {
        (
            lists.topics[lists.topic_idx[row]], int(lists.partition[row]), int(lists.replicas[row, at])
        ): lists.dirs[lists.dir_idx[row, at]]
        for row, at in np.argwhere(lists.dir_idx >= 0).tolist()
    }
    held = replicas_after(plan, {topic for topic, _, _ in choices})
    for topic, number, broker in sorted(choices.keys() - held):
        raise UnusableInput(
            f"{topic}-{number} is not on broker {broker} once the plan is carried out",
            source=str(path),
            advice="Begin with a copy of the plan's reassignment.json",
        )
    return choices


def replicas_after(plan: Plan, topics: set[str]) -> set[Replica]:
    """Every replica of these topics once ``plan`` is carried out."""
    cluster = plan.cluster
    wanted = np.array([name in topics for name in cluster.topics], dtype=bool)
    rows = np.flatnonzero(wanted[cluster.topic_idx]) if len(wanted) else np.zeros(0, dtype=np.int64)
    return {
        (cluster.topics[topic], number, broker)
        for topic, number, brokers in zip(
            cluster.topic_idx[rows].tolist(),
            cluster.partition[rows].tolist(),
            cluster.ids_of(plan.target[rows]).tolist(),
            strict=True,
        )
        for broker in brokers
        if broker >= 0
    }
