"""One cluster, once, in one Spark task: merge what its files tell, plan, write its plan directory."""

from __future__ import annotations

import pickle
import traceback
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from equipoise.errors import EquipoiseError, ImpossibleRequest
from equipoise.files.whole import explained
from equipoise.pipeline.schemas.steps import PLANNED, arrow
from equipoise.pipeline.transforms import rows
from equipoise.pipeline.transforms.columns import union_batches

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame

    from equipoise.cluster import Cluster, Plan
    from equipoise.formats.fragment import Fragment, SetAside
    from equipoise.scheduling import Schedule


@dataclass(frozen=True)
class Places:
    """Folders that every worker of the Spark cluster can reach."""

    fleet: str
    plans: str
    """Gets one plan directory a cluster."""
    states: str
    """Gets one small file a cluster: what its task is doing (see :mod:`equipoise.pipeline.jobs.progress`)."""

    def tell(self, cluster: str, state: str) -> None:
        (Path(self.states) / cluster).write_text(state, encoding="utf-8")


def planned(parsed: DataFrame, n_clusters: int, places: Places) -> DataFrame:
    """(cluster, rank, file, fragment) to rows of every table but the derived ones, each in its own column.

    Every cluster is a task of its own and the tasks start in rank order: the largest first, so that no
    core is left alone with it at the end.
    """

    def plan_batches(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        fragments: dict[str, dict[str, bytes | None]] = {}
        for batch in batches:
            for row in batch.to_pylist():
                fragments.setdefault(row["cluster"], {})[row["file"]] = row["fragment"]
        for cluster, files in sorted(fragments.items()):
            usable = [pickle.loads(data) for _, data in sorted(files.items()) if data is not None]
            yield from plan_cluster(cluster, usable, places)

    columns = parsed.select("cluster", "rank", "file", "fragment")
    return columns.repartitionById(max(1, n_clusters), "rank").mapInArrow(plan_batches, PLANNED)


def plan_cluster(name: str, fragments: Sequence[Fragment], places: Places) -> Iterator[pa.RecordBatch]:
    """Every row that one cluster gives; one that cannot be planned gives the reason instead of moves."""
    places.tell(name, "planning")
    cluster: Cluster | None = None
    plan: Plan | None = None
    left_out: list[SetAside] = []
    try:
        cluster = merged(name, fragments, left_out)
        plan = made(cluster, places, lost=explained(cluster.lacks, fragments, left_out))
        outcome, found = (
            "planned",
            [*union(name, "moves", rows.moves(plan)), one(name, "plan_summary", rows.summary(plan))],
        )
    except Exception as error:  # a cluster that trips a bug must not take the fleet with it
        outcome, found = without_plan(name, error)
    yield from found
    for piece in left_out:
        yield one(name, "quarantine", rows.set_aside(piece))
    if cluster is not None:
        yield from state(cluster, plan, fragments)
    places.tell(name, outcome)


def without_plan(name: str, error: Exception) -> tuple[str, list[pa.RecordBatch]]:
    """The outcome of a cluster that was not planned, and the rows that say why."""
    outcome = "impossible" if isinstance(error, ImpossibleRequest) else "set aside"
    fault: dict[str, Any] = {"reason": str(error)}
    if not isinstance(error, EquipoiseError):
        fault = {
            "reason": f"unexpected: {type(error).__name__}: {error}",
            "text": "".join(traceback.format_exception(error)),
        }
    summary = rows.not_planned(outcome, fault["reason"])
    return outcome, [one(name, "quarantine", fault), one(name, "plan_summary", summary)]


def state(cluster: Cluster, plan: Plan | None, fragments: Sequence[Fragment]) -> Iterator[pa.RecordBatch]:
    """What a cluster is, planned or not; the brokers that a plan adds are brokers too."""
    known = cluster if plan is None else plan.cluster
    eligible = np.ones(known.n_brokers, dtype=bool) if plan is None else plan.eligible
    yield from union(cluster.name, "brokers", rows.brokers(known, eligible, rows.up(fragments)))
    yield from union(cluster.name, "partitions", rows.partitions(cluster))
    for fragment in fragments:
        yield from union(cluster.name, "on_disk", rows.on_disk(fragment))
        yield from union(cluster.name, "in_flight", rows.in_flight(fragment))


def merged(name: str, fragments: Sequence[Fragment], left_out: list[SetAside]) -> Cluster:
    """The cluster that the fragments tell of; rows that contradict each other are left out and added."""
    from equipoise.files.sources import merge

    return merge(fragments, name, set_aside=left_out)


def made(cluster: Cluster, places: Places, *, lost: bool) -> Plan:
    """The plan of a cluster, with its directory written.

    ``lost``: what it lacks was set aside piece by piece, so that the rest is planned as a part without being
    asked to. Any other part is refused, unless its wish says ``partial``.
    """
    from equipoise.files.plan_directory import write_plan
    from equipoise.files.wish import read_wish
    from equipoise.planning import make_plan
    from equipoise.report import plan_page
    from equipoise.scheduling import schedule

    wish = read_wish(Path(places.fleet) / cluster.name)
    partial = wish.request.partial or (lost and bool(cluster.lacks))
    plan = make_plan(cluster, replace(wish.request, partial=partial))
    waves: Schedule = schedule(plan, max_inflight=wish.max_inflight, throttle=wish.throttle)
    page = plan_page(plan, waves).encode()
    write_plan(plan, Path(places.plans) / cluster.name, schedule=waves, extra={"report.html": page})
    return plan


def union(cluster: str, kind: str, columns: rows.Columns | None) -> list[pa.RecordBatch]:
    return union_batches(cluster, kind, columns, arrow("PLANNED")) if columns is not None else []


def one(cluster: str, kind: str, row: dict[str, Any]) -> pa.RecordBatch:
    """A single row of one kind."""
    import pyarrow as pa

    return pa.RecordBatch.from_pylist([{"cluster": cluster, kind: row}], schema=arrow("PLANNED"))
