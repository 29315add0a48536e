"""``waves/``: the plan cut into files for those who carry it out with Kafka's own tool.

``0001.json`` ... are reassignments to be executed one after the other. ``throttles.json`` has for each
the four configs that hold back exactly its copies, by the rule of Kafka's own tool: every replica in
place may be the source of a copy, only the new ones are held back as followers.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import orjson

from equipoise.cluster import Plan, measures
from equipoise.cluster.brokers import IntArray
from equipoise.formats.kafka_json import reassignment_json

if TYPE_CHECKING:
    from equipoise.scheduling.result import Schedule

RowArray = npt.NDArray[np.int64]

MAX_INFLIGHT = 1000
"""Partitions in a wave where no schedule says otherwise; KRaft takes at most 10,000 in one request."""


def wave_files(plan: Plan, schedule: Schedule | None) -> Iterator[tuple[str, bytes]]:
    """Relative paths and contents of everything in ``waves/``."""
    waves = simple_waves(plan) if schedule is None else schedule.waves
    rate = None if schedule is None else schedule.throttle_bytes_per_s
    throttles = []
    for number, rows in enumerate(waves, start=1):
        ordered = np.sort(rows)
        yield f"waves/{number:04}.json", rows_json(plan, ordered, plan.target)
        throttles.append({"wave": f"{number:04}.json", **throttle_configs(plan, ordered, rate)})
    content = {"version": 1, "throttle_bytes_per_s": rate, "waves": throttles}
    yield "waves/throttles.json", orjson.dumps(content, option=orjson.OPT_INDENT_2) + b"\n"
    if schedule is not None:
        yield "waves/schedule.json", orjson.dumps(schedule.to_json(), option=orjson.OPT_INDENT_2) + b"\n"


def simple_waves(plan: Plan) -> list[RowArray]:
    """The changed rows in their order, so many at a time."""
    return [plan.changed[k : k + MAX_INFLIGHT] for k in range(0, len(plan.changed), MAX_INFLIGHT)]


def rows_json(plan: Plan, rows: RowArray, replicas: IntArray) -> bytes:
    """Kafka's JSON of these rows, each with its list in ``replicas`` (positions)."""
    cluster = plan.cluster
    return reassignment_json(cluster.topics, cluster.topic_idx[rows], cluster.partition[rows],
                             cluster.ids_of(replicas[rows]))


def throttle_configs(plan: Plan, rows: RowArray, rate: float | None) -> dict[str, Any]:
    """The four configs of one wave: broker or topic by name, and its value.

    Partitions that copy nothing are not held back. Without a rate the two rates are empty.
    """
    before, after = plan.cluster.replicas[rows], plan.target[rows]
    new = measures.arrivals(before, after)
    copies = new.any(axis=1) & (before >= 0).any(axis=1)
    sources = np.where(copies[:, None], before, -1)
    targets = np.where(copies[:, None] & new, after, -1)
    return {
        "leader.replication.throttled.rate": rates(plan, sources, rate),
        "follower.replication.throttled.rate": rates(plan, targets, rate),
        "leader.replication.throttled.replicas": pairs(plan, rows, sources),
        "follower.replication.throttled.replicas": pairs(plan, rows, targets),
    }


def rates(plan: Plan, positions: IntArray, rate: float | None) -> dict[str, str]:
    """The rate, as Kafka takes it, for every broker that occurs."""
    if rate is None:
        return {}
    ids = np.unique(plan.cluster.ids_of(positions[positions >= 0])).tolist()
    return {str(i): str(int(rate)) for i in ids}


def pairs(plan: Plan, rows: RowArray, positions: IntArray) -> dict[str, str]:
    """``partition:broker`` pairs of each topic, joined by commas."""
    row, place = np.nonzero(positions >= 0)
    brokers = plan.cluster.ids_of(positions[row, place]).tolist()
    numbers = plan.cluster.partition[rows[row]].tolist()
    words = [f"{number}:{broker}" for number, broker in zip(numbers, brokers, strict=True)]
    topics, start = np.unique(plan.cluster.topic_idx[rows[row]], return_index=True)
    ends = [*start.tolist()[1:], len(words)]
    return {plan.cluster.topics[t]: ",".join(words[a:b])
            for t, a, b in zip(topics.tolist(), start.tolist(), ends, strict=True)}
