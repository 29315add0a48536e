"""The whole run over a fleet: read, plan, write, publish."""

from __future__ import annotations

import shutil
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING, Any

from pyspark.sql import functions as F

from equipoise.errors import Stopped
from equipoise.files.folders import replaced
from equipoise.files.policy import Policy, read_policy
from equipoise.pipeline.jobs.claim import run_claim
from equipoise.pipeline.jobs.loads import figures_of_series, told_samples
from equipoise.pipeline.jobs.progress import Progress
from equipoise.pipeline.jobs.record import (
    Clock,
    index_page,
    run_record,
    set_aside,
    summary_rows,
    unknown_metrics,
)
from equipoise.pipeline.jobs.store import read_table, settle, write_json, write_table
from equipoise.pipeline.readers.fleet import ClusterFolder, find_clusters, state_files
from equipoise.pipeline.readers.parsed import parsed
from equipoise.pipeline.schemas.steps import MERGED, PARSED, PLANNED
from equipoise.pipeline.schemas.tables import TABLES
from equipoise.pipeline.transforms import tables
from equipoise.pipeline.transforms.broker_load import broker_load
from equipoise.pipeline.transforms.checks import seven_checks
from equipoise.pipeline.transforms.merge_task import merged
from equipoise.pipeline.transforms.partition_load import partition_load
from equipoise.pipeline.transforms.plan_task import Places, all_planned
from equipoise.report.words import plural

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

WORK = ".work"
"""Folder of what passes between the steps of a run; never published."""


@dataclass(frozen=True)
class FleetRun:
    """What a run did."""

    rows: list[dict[str, Any]]
    """The rows of ``plan_summary`` in name order, each with ``checks`` and ``set_aside``."""
    out: Path

    @property
    def is_clean(self) -> bool:
        """True where every cluster was planned and nothing was set aside."""
        return all(row["outcome"] == "planned" and not row["set_aside"] for row in self.rows)


def run_fleet(
    spark: SparkSession,
    fleet: Path,
    out: Path,
    progress: Progress | None = None,
    stopped: Event | None = None,
    *,
    force: bool = False,
) -> FleetRun:
    """Plan every cluster of ``fleet`` and publish tables, plan directories and reports in ``out``.

    An earlier run's ``out`` is replaced as a whole, once the new one is complete; one over another fleet, or
    with a plan that was begun or changed, with ``force`` alone, and anything else that is there stays. Raises
    :class:`UnusableInput` where ``fleet`` holds no cluster or ``out`` cannot be replaced, and
    :class:`Stopped`, with nothing published, once ``stopped`` is set.
    """
    progress = progress or Progress()
    clusters = find_clusters(fleet)
    policy = read_policy(fleet, [cluster.name for cluster in clusters])
    clock = Clock()
    with replaced(out, run_claim(fleet), force=force) as folder:
        counts = made(spark, fleet, clusters, policy, folder, progress, clock)
        rows, pieces = summary_rows(spark, folder / "tables"), set_aside(spark, folder / "tables")
        left_out = unknown_metrics(spark, folder / WORK / "faults")
        (folder / "index.html").write_text(index_page(fleet, clusters, rows, pieces), encoding="utf-8")
        shutil.rmtree(folder / WORK)
        clock.lap("pages")
        record = run_record(spark, fleet, clusters, counts, rows, pieces, clock) | {"left_out": left_out}
        write_json(folder / "run.json", record)
        if stopped is not None and stopped.is_set():
            raise Stopped
    return FleetRun(rows, out)


def made(
    spark: SparkSession,
    fleet: Path,
    clusters: list[ClusterFolder],
    policy: Policy,
    folder: Path,
    progress: Progress,
    clock: Clock,
) -> dict[str, int]:
    """Every table and plan in ``folder``, loads before plans; the number of rows of each table."""
    work, writer = folder / WORK, Writer(spark, folder / "tables")
    states = work / "states"
    for place in (folder / "clusters", states):
        place.mkdir(parents=True)
    n_files = sum(len(cluster.files) for cluster in clusters)
    progress.stage(f"reading {plural(n_files, 'file')} of {plural(len(clusters), 'cluster')}")
    read = settle(parsed(state_files(spark, clusters)), PARSED, work / "parsed")
    state = settle(merged(read, len(clusters)), MERGED, work / "merged")
    clock.lap("reading")
    told = told_samples(spark, clusters, work, progress)
    no_samples = spark.createDataFrame([], TABLES["samples"].schema)
    tables_of_state = {"partitions": tables.partitions(state), "replicas": tables.replicas(state)}
    t = writer.all(tables_of_state | {"samples": no_samples if told.samples is None else told.samples})
    series = figures_of_series(t["samples"], work) if writer.counts["samples"] else None
    load = writer.one("partition_load", partition_load(t["partitions"], series))
    clock.lap("samples")
    progress.stage("planning")
    places = Places(str(fleet.absolute()), str(folder / "clusters"), str(states))
    with progress.planning([cluster.name for cluster in clusters], states):
        measured = [cluster.name for cluster in clusters if cluster.metrics]
        known = None if series is None else load.where(F.col("cluster").isin(measured))
        plans = settle(all_planned(state, known, len(clusters), places, policy), PLANNED, work / "planned")
    clock.lap("planning")
    progress.stage("writing the tables")
    kinds = {kind: tables.of_kind(plans, kind) for kind in ("brokers", "moves", "plan_summary")}
    kinds["quarantine"] = tables.quarantine(read, state, plans, told.faults)
    t |= writer.all(kinds)
    done = t["plan_summary"].where("outcome = 'planned'")
    writer.all(
        {
            "checks": seven_checks(done, t["brokers"], t["partitions"], t["moves"]),
            "broker_load": broker_load(t["brokers"], t["partitions"], load, series),
        }
    )
    clock.lap("tables")
    return {name: writer.counts[name] for name in TABLES}


class Writer:
    """Writes tables, as many at a time as there are cores: of a small fleet each keeps one of them busy."""

    def __init__(self, spark: SparkSession, place: Path) -> None:
        self.spark = spark
        self.place = place
        self.counts: dict[str, int] = {}
        """Rows of each table that is written."""
        place.mkdir()

    def one(self, name: str, frame: DataFrame) -> DataFrame:
        """The table, read back."""
        self.counts[name] = write_table(frame, TABLES[name], self.place / name)
        return read_table(self.spark, TABLES[name], self.place / name)

    def all(self, frames: dict[str, DataFrame]) -> dict[str, DataFrame]:
        """The tables by name, read back."""
        with ThreadPoolExecutor(self.spark.sparkContext.defaultParallelism) as pool:
            return dict(zip(frames, pool.map(self.one, frames.keys(), frames.values()), strict=True))
