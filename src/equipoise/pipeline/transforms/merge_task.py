"""One cluster, once, in a Spark task: what its files tell together."""

from __future__ import annotations

import pickle
import traceback
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from equipoise.errors import EquipoiseError, ImpossibleRequest, UnusableInput
from equipoise.files.lacks import explained
from equipoise.pipeline.schemas.steps import MERGED, arrow
from equipoise.pipeline.transforms import rows
from equipoise.pipeline.transforms.apart import each
from equipoise.pipeline.transforms.columns import union_batches
from equipoise.pipeline.transforms.memory import tasks_at_once
from equipoise.pipeline.transforms.set_aside import set_aside, unexpected

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame

    from equipoise.cluster import Cluster
    from equipoise.formats.fragment import Fragment, SetAside


@dataclass(frozen=True)
class Trouble:
    """Why a cluster has no plan."""

    outcome: str
    """"impossible" or "set aside"."""
    reason: str
    text: str | None = None
    """All that is known, of what nobody expected."""

    @classmethod
    def of(cls, error: Exception) -> Trouble:
        if isinstance(error, EquipoiseError):
            return cls("impossible" if isinstance(error, ImpossibleRequest) else "set aside", str(error))
        story = "".join(traceback.format_exception(error))
        return cls("set aside", unexpected(error), story.encode(errors="replace").decode())


@dataclass(frozen=True)
class State:
    """A cluster that can be planned."""

    cluster: Cluster
    lost: bool
    """What it lacks was set aside piece by piece: the rest is planned as a part without being asked to."""
    up: tuple[int, ...]
    """Brokers that a source calls up."""


Files = list[dict[str, Any]]
"""The rows of PARSED of one cluster, by the names of its files."""


def merged(parsed: DataFrame, n_tasks: int) -> DataFrame:
    """The rows of PARSED to those of MERGED, cluster by cluster, the largest in tasks that start first."""

    at_once = min(tasks_at_once(parsed.sparkSession), n_tasks)

    def merge_batches(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        found: dict[str, Files] = {}
        for batch in batches:
            for row in batch.to_pylist():
                found.setdefault(row["cluster"], []).append(row)
        files = (sorted(found[cluster], key=lambda file: str(file["file"])) for cluster in sorted(found))
        return each(files, merge_cluster, lost, at_once, whole=True)

    columns = parsed.select("cluster", "rank", "file", "fragment", "unusable")
    return by_rank(columns, n_tasks).mapInArrow(merge_batches, MERGED)


def by_rank(frame: DataFrame, n_tasks: int) -> DataFrame:
    """Each cluster in one task, clusters by turns: a task has a large one first, and then smaller ones."""
    from pyspark.sql import functions as F

    return frame.repartitionById(n_tasks, F.col("rank") % n_tasks)


def merge_cluster(files: Files) -> Iterator[pa.RecordBatch]:
    """The state of a cluster, or why it has none, and what of it is known either way."""
    import pyarrow as pa

    name = files[0]["cluster"]
    left_out: list[SetAside] = []
    state: State | Trouble
    fragments: list[Fragment] = []
    try:
        if files[0]["unusable"]:
            raise UnusableInput(files[0]["unusable"])
        fragments = [pickle.loads(file["fragment"]) for file in files if file["fragment"] is not None]
        state = state_of(name, fragments, left_out)
    except Exception as error:  # a cluster that trips a bug must not take the fleet with it
        state = Trouble.of(error)
    yield row_of(files, state)
    for piece in left_out:
        row = {"cluster": name, "quarantine": set_aside(piece)}
        yield pa.RecordBatch.from_pylist([row], schema=arrow("MERGED"))
    if isinstance(state, State):
        yield from union_batches(name, "partitions", rows.partitions(state.cluster), arrow("MERGED"))
        for fragment in fragments:
            told = {"on_disk": rows.on_disk(fragment), "in_flight": rows.in_flight(fragment)}
            told["dirs"] = rows.dirs(fragment)
            for kind, columns in told.items():
                if columns is not None:
                    yield from union_batches(name, kind, columns, arrow("MERGED"))


def row_of(files: Files, state: State | Trouble) -> pa.RecordBatch:
    """The row with what a cluster is."""
    import pyarrow as pa

    whole = {key: files[0][key] for key in ("cluster", "rank")}
    whole["state"] = pickle.dumps(state, protocol=5)
    return pa.RecordBatch.from_pylist([whole], schema=arrow("MERGED"))


def lost(files: Files, reason: str) -> pa.RecordBatch:
    """A cluster whose files cannot be put together."""
    return row_of(files, Trouble("set aside", reason))


def state_of(name: str, fragments: Sequence[Fragment], left_out: list[SetAside]) -> State:
    """What the fragments tell; rows that contradict each other are left out and added."""
    from equipoise.files.sources import merge

    cluster = merge(fragments, name, set_aside=left_out)
    return State(cluster, explained(cluster.lacks, fragments, left_out), tuple(sorted(rows.up(fragments))))
