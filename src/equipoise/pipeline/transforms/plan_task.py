"""One cluster, once, in a Spark task: planned from its state and its loads."""

from __future__ import annotations

import pickle
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from types import MappingProxyType
from typing import TYPE_CHECKING

from equipoise.files.wish import Wish
from equipoise.pipeline.schemas.steps import PLANNED
from equipoise.pipeline.transforms.memory import tasks_at_once
from equipoise.pipeline.transforms.merge_task import State, Trouble, by_rank
from equipoise.pipeline.transforms.planner import Order, one, planned, rows_without_plan

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame

Given = Mapping[str, int | Trouble]
LOAD = ("topic", "partition", "disk_bytes", "bytes_in_per_s", "bytes_out_per_s")


@dataclass(frozen=True)
class Places:
    """Folders that every worker of the Spark cluster can reach; by default there are none."""

    plans: str | None = None
    """Gets one plan directory a cluster; None: its files are rows."""
    states: str | None = None
    """Gets one small file a cluster: what its task is doing (see :mod:`equipoise.pipeline.jobs.progress`)."""

    def tell(self, cluster: str, state: str) -> None:
        if self.states is not None:
            (Path(self.states) / cluster).write_text(state, encoding="utf-8")


Wishes = Mapping[str, Wish | Trouble]
"""What is wished for each cluster, or why it cannot be known."""


def all_planned(
    merged: DataFrame,
    loads: DataFrame | None,
    n_tasks: int,
    places: Places,
    wishes: Wishes,
    given: Given = MappingProxyType({}),
) -> DataFrame:
    """States of MERGED and the table ``partition_load`` (None: no samples) to the rows of PLANNED.

    ``given`` has the bytes that a cluster may copy, or why it has no plan; others copy what they wish.
    """
    at_once = min(tasks_at_once(merged.sparkSession), n_tasks)

    def plan_batches(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for name, (state, load) in sorted(gathered(batches).items()):
            cluster = pickle.loads(state), load, places, wishes[name], at_once, given.get(name)
            yield from plan_cluster(name, *cluster)

    return by_cluster(merged, loads, n_tasks).mapInArrow(plan_batches, PLANNED)


def by_cluster(merged: DataFrame, loads: DataFrame | None, n_tasks: int) -> DataFrame:
    """The state of each cluster beside its loads, in one task.

    The largest are in tasks that start first, so that no core is left alone with one at the end.
    """
    from pyspark.sql import functions as F

    states = merged.where("state is not null").select("cluster", "rank", "state")
    if loads is not None:
        ranks = F.broadcast(states.select("cluster", "rank"))
        rows = loads.join(ranks, on="cluster", how="inner").select("cluster", "rank", *LOAD)
        states = states.unionByName(rows, allowMissingColumns=True)
    return by_rank(states, n_tasks)


def gathered(batches: Iterator[pa.RecordBatch]) -> dict[str, tuple[bytes, pa.Table | None]]:
    """The state of each cluster of a task, and its loads."""
    import pyarrow as pa
    import pyarrow.compute as pc

    found: dict[str, tuple[bytes, pa.Table | None]] = {}
    if not (all_of_them := list(batches)):
        return found
    rows = pa.Table.from_batches(all_of_them)
    for row in rows.filter(pc.is_valid(rows.column("state"))).to_pylist():
        loads = None
        if "topic" in rows.column_names:
            own = pc.and_(pc.equal(rows.column("cluster"), row["cluster"]), pc.is_null(rows.column("state")))
            loads = rows.filter(own).select(LOAD)
            loads = loads if len(loads) else None
        found[row["cluster"]] = row["state"], loads
    return found


def plan_cluster(
    name: str,
    state: State | Trouble,
    loads: pa.Table | None,
    places: Places,
    wish: Wish | Trouble,
    at_once: int,
    given: int | Trouble | None,
) -> Iterator[pa.RecordBatch]:
    """Every row that one cluster gives; one that cannot be planned gives the reason instead of moves.

    So many clusters may be planned ``at_once`` on this machine.
    """
    places.tell(name, "planning")
    answer: list[pa.RecordBatch] | Trouble
    with folder_of_plans(places) as plans:
        if isinstance(state, Trouble):
            answer = state
        elif isinstance(given, Trouble):
            answer = given
        elif isinstance(wish, Trouble):
            answer = wish
        else:
            answer = planned(Order(state, within(wish, given), loads, str(plans / name), at_once=at_once))
        yield from rows_without_plan(name, state, answer) if isinstance(answer, Trouble) else answer
        if places.plans is None:
            yield from files_of(name, plans / name)
    places.tell(name, answer.outcome if isinstance(answer, Trouble) else "planned")


def within(wish: Wish, given: int | None) -> Wish:
    """A wish for a plan that copies no more than is given, nor than it says itself."""
    if given is None:
        return wish
    own = wish.request.max_bytes
    return replace(wish, request=replace(wish.request, max_bytes=given if own is None else min(own, given)))


@contextmanager
def folder_of_plans(places: Places) -> Iterator[Path]:
    """Where plan directories are written: for all to see, or for as long as one becomes rows."""
    if places.plans is not None:
        yield Path(places.plans)
        return
    with TemporaryDirectory(prefix="equipoise-plan-") as folder:
        yield Path(folder)


def files_of(cluster: str, folder: Path) -> Iterator[pa.RecordBatch]:
    """The files of a plan directory, a batch each, so that one at a time is in memory."""
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            name = path.relative_to(folder).as_posix()
            yield one(cluster, "files", {"name": name, "content": path.read_bytes()})
