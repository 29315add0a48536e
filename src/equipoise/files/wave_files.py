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
from equipoise.files.log_dirs import named_dirs
from equipoise.formats.kafka_json import reassignment_json

if TYPE_CHECKING:
    from equipoise.scheduling import Schedule


def wave_files(schedule: Schedule) -> Iterator[tuple[str, bytes]]:
    """Relative paths and contents of everything in ``waves/``."""
    from equipoise.scheduling import throttles

    for number, rows in enumerate((*schedule.waves, *schedule.dir_waves), start=1):
        yield f"waves/{number:04}.json", rows_json(schedule.plan, np.sort(rows))
    configs = {"version": 1, "waves": throttles(schedule)}
    yield "waves/throttles.json", orjson.dumps(configs, option=orjson.OPT_INDENT_2) + b"\n"
    yield "waves/schedule.json", orjson.dumps(schedule.to_json(), option=orjson.OPT_INDENT_2) + b"\n"


def rows_json(plan: Plan, rows: npt.NDArray[np.int64]) -> bytes:
    """Kafka's JSON of these rows as the plan has them."""
    return lists_json(plan, rows, plan.target, named_dirs(plan))


def lists_json(
    plan: Plan, rows: npt.NDArray[np.int64], replicas: IntArray, dirs: IntArray | None
) -> bytes:
    """Kafka's JSON of these rows, each with its list in ``replicas`` (positions).

    ``dirs``, where it is given, are the log dirs to be named, as positions, -1 for any.
    """
    cluster = plan.cluster
    columns = cluster.topics, cluster.topic_idx[rows], cluster.partition[rows], cluster.ids_of(replicas[rows])
    if dirs is None or cluster.dirs is None:
        return reassignment_json(*columns)
    lengths = (replicas[rows] >= 0).sum(axis=1).tolist()
    paths = ("any", *cluster.dirs.paths)
    told = (
        [paths[at + 1] for at in row[:length]] if max(row) >= 0 else None
        for row, length in zip(dirs[rows].tolist(), lengths, strict=True)
    )
    return reassignment_json(*columns, list(told))
