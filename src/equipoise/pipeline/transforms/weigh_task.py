"""One cluster, once, in a Spark task: what budgets of bytes would buy it."""

from __future__ import annotations

import pickle
from collections.abc import Iterator
from typing import TYPE_CHECKING

from equipoise.files.wish import Wish
from equipoise.pipeline.schemas.steps import WEIGHED, arrow
from equipoise.pipeline.transforms.memory import tasks_at_once
from equipoise.pipeline.transforms.merge_task import State, Trouble
from equipoise.pipeline.transforms.plan_task import Wishes, by_cluster, gathered
from equipoise.pipeline.transforms.planner import Order, planned

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame


def all_weighed(
    merged: DataFrame, loads: DataFrame | None, n_tasks: int, wishes: Wishes
) -> DataFrame:
    """States of MERGED and the table ``partition_load`` (None: no samples) to the rows of WEIGHED."""
    at_once = min(tasks_at_once(merged.sparkSession), n_tasks)

    def weigh_batches(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for name, (state, load) in sorted(gathered(batches).items()):
            yield from weigh_cluster(name, pickle.loads(state), load, wishes[name], at_once)

    return by_cluster(merged, loads, n_tasks).mapInArrow(weigh_batches, WEIGHED)


def weigh_cluster(
    name: str, state: State | Trouble, loads: pa.Table | None, wish: Wish | Trouble, at_once: int
) -> Iterator[pa.RecordBatch]:
    """What each budget buys one cluster, or why it cannot be planned."""
    import pyarrow as pa

    answer: list[pa.RecordBatch] | Trouble
    if isinstance(state, Trouble):
        answer = state
    elif isinstance(wish, Trouble):
        answer = wish
    else:
        answer = planned(Order(state, wish, loads, "", weigh=True, at_once=at_once))
    if isinstance(answer, Trouble):
        row = {"cluster": name, "outcome": answer.outcome, "reason": answer.reason, "text": answer.text}
        answer = [pa.RecordBatch.from_pylist([row], schema=arrow("WEIGHED"))]
    yield from answer
