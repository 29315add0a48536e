"""The whole run over a fleet: read, plan, write, publish."""

from __future__ import annotations

import shutil
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING, Any

from equipoise.errors import Stopped
from equipoise.files.folders import replaced
from equipoise.pipeline.jobs.claim import run_claim
from equipoise.pipeline.jobs.loads import figures_of_series, told_samples
from equipoise.pipeline.jobs.progress import Progress
from equipoise.pipeline.jobs.record import Clock, index_page, run_record, set_aside, summary_rows
from equipoise.pipeline.jobs.store import read_table, settle, write_json, write_table
from equipoise.pipeline.readers.fleet import ClusterFolder, files_frame, find_clusters
from equipoise.pipeline.readers.parsed import parsed
from equipoise.pipeline.schemas.steps import PARSED, PLANNED
from equipoise.pipeline.schemas.tables import TABLES
from equipoise.pipeline.transforms import tables
from equipoise.pipeline.transforms.broker_load import broker_load
from equipoise.pipeline.transforms.checks import seven_checks
from equipoise.pipeline.transforms.cluster_task import Places, planned
from equipoise.pipeline.transforms.partition_load import partition_load
from equipoise.pipeline.transforms.samples import samples
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
    clock = Clock()
    with replaced(out, run_claim(fleet), force=force) as folder:
        read, plans = run_steps(spark, fleet, clusters, folder, progress, clock)
        good, faults = told_samples(spark, clusters, folder / WORK, progress)
        clock.lap("samples")
        progress.stage("writing the tables")
        frames = planned_tables(read, plans) | {"samples": samples(good)}
        frames["quarantine"] = frames["quarantine"].unionByName(faults, allowMissingColumns=True)
        counts = write_tables(spark, frames, folder)
        clock.lap("tables")
        rows, pieces = summary_rows(spark, folder / "tables"), set_aside(spark, folder / "tables")
        (folder / "index.html").write_text(index_page(fleet, clusters, rows, pieces), encoding="utf-8")
        shutil.rmtree(folder / WORK)
        clock.lap("pages")
        write_json(folder / "run.json", run_record(spark, fleet, clusters, counts, rows, pieces, clock))
        if stopped is not None and stopped.is_set():
            raise Stopped
    return FleetRun(rows, out)


def run_steps(
    spark: SparkSession,
    fleet: Path,
    clusters: list[ClusterFolder],
    folder: Path,
    progress: Progress,
    clock: Clock,
) -> tuple[DataFrame, DataFrame]:
    """The two steps that run Python, each once: its rows are on disk when the next one begins."""
    work, plans, states = folder / WORK, folder / "clusters", folder / WORK / "states"
    for place in (plans, states):
        place.mkdir(parents=True)
    n_files = sum(len(cluster.files) for cluster in clusters)
    progress.stage(f"reading {plural(n_files, 'file')} of {plural(len(clusters), 'cluster')}")
    read = settle(parsed(files_frame(spark, clusters)), PARSED, work / "parsed")
    clock.lap("reading")
    progress.stage("planning")
    places = Places(fleet=str(fleet.absolute()), plans=str(plans), states=str(states))
    with progress.planning([cluster.name for cluster in clusters], states):
        made = settle(planned(read, len(clusters), places), PLANNED, work / "planned")
    clock.lap("planning")
    return read, made


def planned_tables(read: DataFrame, made: DataFrame) -> dict[str, DataFrame]:
    """The tables that come from the two Python steps alone."""
    return {
        "replicas": tables.replicas(made),
        "partitions": tables.partitions(made),
        "brokers": tables.of_kind(made, "brokers"),
        "moves": tables.of_kind(made, "moves"),
        "plan_summary": tables.of_kind(made, "plan_summary"),
        "quarantine": tables.quarantine(read, made),
    }


def write_tables(spark: SparkSession, frames: dict[str, DataFrame], folder: Path) -> dict[str, int]:
    """Write every table, those last that are made from others; the number of rows of each, by name.

    As many at a time as there are cores: of a small fleet each keeps but one of them busy.
    """
    place, counts = folder / "tables", dict.fromkeys(TABLES, 0)
    place.mkdir()

    def write(name: str, frame: DataFrame) -> DataFrame:
        counts[name] = write_table(frame, TABLES[name], place / name)
        return read_table(spark, TABLES[name], place / name)

    def write_all(frames: dict[str, DataFrame]) -> dict[str, DataFrame]:
        with ThreadPoolExecutor(spark.sparkContext.defaultParallelism) as pool:
            return dict(zip(frames, pool.map(write, frames.keys(), frames.values()), strict=True))

    t = write_all(frames)
    series = figures_of_series(t["samples"], folder / WORK) if counts["samples"] else None
    done = t["plan_summary"].where("outcome = 'planned'")
    with ThreadPoolExecutor(1) as beside:
        checks = seven_checks(done, t["brokers"], t["partitions"], t["moves"])
        checked = beside.submit(write, "checks", checks)
        load = write("partition_load", partition_load(t["partitions"], series))
        write("broker_load", broker_load(t["brokers"], t["partitions"], load, series))
        checked.result()
    return counts
