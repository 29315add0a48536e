"""``waves/``: the plan cut into files for those who carry it out with Kafka's own tool.

``0001.json`` ... are reassignments to be executed one after the other, ``throttles.json`` has the
configs that hold back exactly the copies of each, ``schedule.json`` says how long they should take.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
import orjson

from equipoise.cluster import Plan
from equipoise.cluster.brokers import IntArray
from equipoise.formats.kafka_json import reassignment_json

if TYPE_CHECKING:
    from equipoise.scheduling import Schedule


def wave_files(schedule: Schedule) -> Iterator[tuple[str, bytes]]:
    """Relative paths and contents of everything in ``waves/``."""
    from equipoise.scheduling import throttles

    for number, rows in enumerate(schedule.waves, start=1):
        yield f"waves/{number:04}.json", rows_json(schedule.plan, np.sort(rows), schedule.plan.target)
    configs = {"version": 1, "waves": throttles(schedule)}
    yield "waves/throttles.json", orjson.dumps(configs, option=orjson.OPT_INDENT_2) + b"\n"
    yield "waves/schedule.json", orjson.dumps(schedule.to_json(), option=orjson.OPT_INDENT_2) + b"\n"


def rows_json(plan: Plan, rows: npt.NDArray[np.int64], replicas: IntArray) -> bytes:
    """Kafka's JSON of these rows, each with its list in ``replicas`` (positions)."""
    cluster = plan.cluster
    return reassignment_json(
        cluster.topics, cluster.topic_idx[rows], cluster.partition[rows], cluster.ids_of(replicas[rows])
    )
