"""The whole run over a fleet: read, plan, write, publish."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING, Any, TypeVar

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from equipoise.errors import Stopped, UnusableInput
from equipoise.files.places import Place
from equipoise.files.policy import Policy, read_policy
from equipoise.files.wish import Wish, wish_with
from equipoise.pipeline.jobs import shown
from equipoise.pipeline.jobs.budget import Shares, budget_record, budget_table, shares_of
from equipoise.pipeline.jobs.claim import TABLE_FOLDER
from equipoise.pipeline.jobs.earlier import Earlier, earlier_run, write_state
from equipoise.pipeline.jobs.history import write_histories
from equipoise.pipeline.jobs.inputs import inputs_of
from equipoise.pipeline.jobs.kept import add_kept
from equipoise.pipeline.jobs.loads import ToldSamples, figures_of_series, has_samples, told_samples
from equipoise.pipeline.jobs.opening import WORK, opened, removed
from equipoise.pipeline.jobs.progress import Progress
from equipoise.pipeline.jobs.reading import ReadFleet, read_fleet
from equipoise.pipeline.jobs.record import (
    Clock,
    index_page,
    run_record,
    taken_over,
)
from equipoise.pipeline.jobs.shown import SHOWN_RUNS, at_hand
from equipoise.pipeline.jobs.small import few_jobs
from equipoise.pipeline.jobs.span import Span
from equipoise.pipeline.jobs.store import large_rows, materialize, read_table, write_json, write_table
from equipoise.pipeline.places.hadoop import HadoopPlace
from equipoise.pipeline.places.plans import write_plans
from equipoise.pipeline.places.taking import take_over
from equipoise.pipeline.readers.fleet import ClusterFolder, find_clusters, tasks_of
from equipoise.pipeline.schemas.steps import MERGED, PLANNED
from equipoise.pipeline.schemas.tables import HISTORIES, SAMPLES, TABLES
from equipoise.pipeline.session import at_rest_when_failed
from equipoise.pipeline.transforms import tables
from equipoise.pipeline.transforms.broker_load import broker_load
from equipoise.pipeline.transforms.busiest import busiest_hour
from equipoise.pipeline.transforms.checks import seven_checks
from equipoise.pipeline.transforms.disk_days import disk_days
from equipoise.pipeline.transforms.input_checks import input_checks
from equipoise.pipeline.transforms.merge_task import Trouble, merged
from equipoise.pipeline.transforms.partition_load import partition_load
from equipoise.pipeline.transforms.plan_task import Places, all_planned
from equipoise.pipeline.transforms.sample_faults import left_out
from equipoise.pipeline.transforms.series import sample_rows
from equipoise.pipeline.transforms.weigh_task import all_weighed
from equipoise.report.fleet_data import MAX_QUARANTINE
from equipoise.report.words import plural

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

T = TypeVar("T")


@dataclass(frozen=True)
class FleetRun:
    """What a run did."""

    rows: list[dict[str, Any]]
    """The rows of ``plan_summary`` in name order, each with ``checks`` and ``set_aside``."""
    out: Place
    """The run itself, where OUT has several."""
    kept: frozenset[str] = frozenset()
    """Clusters that were taken over from the run before."""

    @property
    def is_clean(self) -> bool:
        """True where every cluster was planned and nothing was set aside."""
        return all(row["outcome"] == "planned" and not row["set_aside"] for row in self.rows)


def run_fleet(
    spark: SparkSession,
    fleet: Place,
    out: Place,
    progress: Progress | None = None,
    stopped: Event | None = None,
    *,
    force: bool = False,
    full: bool = False,
    span: Span = Span(),
) -> FleetRun:
    """Plan every cluster of ``fleet`` and publish tables, plan directories and reports in ``out``.

    Clusters that an earlier run planned in ``out``, and of which nothing has changed since, are taken over
    from it, unless ``full``; the tables are the same. Samples count that lie within ``span``.

    On this machine an earlier run's ``out`` is replaced as a whole, once the new one is complete; one over
    another fleet, or with a plan that was begun or changed, with ``force`` alone, and anything else that is
    there stays. In a file system of Hadoop runs stand one beside the other, see
    :mod:`equipoise.pipeline.places.runs`. Raises :class:`UnusableInput` where ``fleet`` holds no cluster or
    ``out`` cannot be replaced, and :class:`Stopped`, with nothing published, once ``stopped`` is set.
    """
    progress = progress or Progress()
    clusters = find_clusters(fleet)
    policy = read_policy(fleet, [cluster.name for cluster in clusters])
    clock = Clock()
    with (
        few_jobs(spark, clusters),
        opened(out, fleet, force=force) as (folder, before),
        at_rest_when_failed(spark),
    ):
        made_tables = folder / TABLE_FOLDER
        earlier = earlier_run(before, fleet)
        if full:
            earlier = earlier.forgotten()
        now = inputs_of(clusters, policy, span)
        together = policy.max_bytes_total is not None
        read = read_fleet(spark, clusters, now, earlier, folder, progress, all_depend=together)
        clock.lap("reading")
        kept = read.kept
        job = Job(spark, fleet, clusters, policy, span, folder, earlier, kept, progress, clock)
        counts, shares = made(job, read)
        with at_hand(made_tables) as here:
            rows, aside = shown.clusters(here), shown.pieces(here, MAX_QUARANTINE)
            found, unknown = shown.findings(here, MAX_QUARANTINE), shown.unknown_metrics(here)
            budgets = shown.table(here, "budget").to_pylist()
        counts |= write_histories(spark, made_tables, earlier, clock.started, rows, kept)
        with at_hand(made_tables, HISTORIES) as here:
            history = shown.runs(here, SHOWN_RUNS)
        page = index_page(fleet, clusters, rows, aside, found, history, policy, clock)
        (folder / "index.html").write_text(page, "utf-8")
        write_state(folder, earlier, read.inputs, read.runs)
        removed(folder / WORK)
        clock.lap("pages")
        record = run_record(spark, fleet, clusters, counts, rows, aside, clock) | {"left_out": unknown}
        if policy.max_bytes_total is not None:
            record["budget"] = earlier.budget if shares is None else budget_record(budgets, shares)
        write_json(folder / "run.json", record | taken_over(earlier, kept, span))
        if stopped is not None and stopped.is_set():
            raise Stopped
    return FleetRun(rows, out if isinstance(out, Path) else folder, kept)


@dataclass(frozen=True)
class Job:
    """What a run works on."""

    spark: SparkSession
    fleet: Place
    clusters: Sequence[ClusterFolder]
    policy: Policy
    span: Span
    folder: Place
    earlier: Earlier
    kept: frozenset[str]
    """Clusters that are taken over."""
    progress: Progress
    clock: Clock


def made(job: Job, read: ReadFleet) -> tuple[dict[str, int], Shares | None]:
    """Every table and plan, those that are kept among them; the number of rows of each table.

    And what each cluster gets of the fleet's budget, None where all are kept.
    """
    (job.folder / "clusters").mkdir()
    take_over((job.earlier.at("clusters", name), job.folder / "clusters" / name) for name in job.kept)
    changed = [cluster for cluster in job.clusters if cluster.name not in job.kept]
    if job.kept:
        job.progress.stage(f"{plural(len(job.kept), 'cluster')} as before")
    writer = Writer(job)
    shares = None
    if changed:
        shares = made_anew(job, changed, writer, read)
    if job.kept:
        writer.add_kept()
    job.clock.lap("tables")
    return {name: writer.counts[name] for name in TABLES if name in writer.counts}, shares


def made_anew(
    job: Job, clusters: Sequence[ClusterFolder], writer: Writer, read: ReadFleet
) -> Shares:
    """The tables and plans of clusters that are not taken over, loads before plans; what each may copy."""
    spark, folder, work, clock = job.spark, job.folder, job.folder / WORK, job.clock
    places, n_tasks = places_of(job), tasks_of(spark, clusters)
    state = materialize(merged(read.parsed, n_tasks), MERGED, work / "merged")
    clock.lap("merging")
    told = samples_of(job, clusters, read)
    t = writer.all(
        {"partitions": partial(tables.partitions, state), "replicas": partial(tables.replicas, state)}
    )
    samples = spark.createDataFrame([], SAMPLES) if told.blocks is None else sample_rows(told.blocks)
    with large_rows(spark):
        t["samples"] = writer.one("samples", samples)
    series = None if told.blocks is None else figures_of_series(told.blocks, work)
    load = writer.one("partition_load", partition_load(t["partitions"], series))
    clock.lap("samples")
    measured = [cluster.name for cluster in clusters if has_samples(cluster)]
    known = None if series is None else load.where(F.col("cluster").isin(measured))
    wishes = {cluster.name: wish_for(cluster, job.policy) for cluster in clusters}
    shares = Shares()
    if job.policy.max_bytes_total is not None:
        job.progress.stage("weighing what bytes buy")
        shares = shares_of(all_weighed(state, known, n_tasks, wishes), job.policy.max_bytes_total)
        clock.lap("weighing")
    job.progress.stage("planning")
    states = None if places.states is None else Path(places.states)
    with job.progress.planning([cluster.name for cluster in clusters], states):
        planned = all_planned(state, known, n_tasks, places, wishes, shares.given)
        plans = materialize(planned, PLANNED, work / "planned")
        if isinstance(folder, HadoopPlace):
            write_plans(tables.of_kind(plans, "files"), folder / "clusters")
    clock.lap("planning")
    job.progress.stage("writing the tables")
    of_plans = {kind: partial(tables.of_kind, plans, kind) for kind in ("brokers", "moves", "plan_summary")}
    aside = partial(tables.quarantine, read.parsed, state, plans, told.faults)
    t |= writer.all(of_plans | {"quarantine": aside, "left_out": partial(left_out, told.faults)})
    writer.all(
        {
            "checks": partial(checks, t),
            "disk_days": lambda: disk_days(
                t["brokers"],
                tables.dirs(state),
                t["partitions"],
                t["replicas"],
                t["moves"],
                tables.of_kind(plans, "placed"),
                load,
            ),
            "busiest_hour": partial(busiest_hour, t["samples"]),
            "broker_load": partial(broker_load, t["brokers"], t["partitions"], load, series),
            "budget": partial(budget_table, spark, shares, t["plan_summary"]),
        }
    )
    return shares


def checks(t: Mapping[str, DataFrame]) -> DataFrame:
    """The table of checks, from others by their names."""
    done = t["plan_summary"].where("outcome = 'planned'")
    of_plans = seven_checks(done, t["brokers"], t["partitions"], t["moves"])
    return of_plans.unionByName(input_checks(t["partitions"], t["replicas"], t["samples"]))


def places_of(job: Job) -> Places:
    """Folders for the workers, where OUT is of a kind that they see."""
    if not isinstance(job.folder, Path):
        return Places()
    states = job.folder / WORK / "states"
    states.mkdir(parents=True)
    return Places(str(job.folder / "clusters"), str(states))


def wish_for(cluster: ClusterFolder, policy: Policy) -> Wish | Trouble:
    """What is wished for a cluster, or why it cannot be known."""
    if cluster.fault:
        return Wish()
    try:
        return wish_with(cluster.wish, policy.of(cluster.folder.name))
    except UnusableInput as error:
        return Trouble.of(error)


def samples_of(job: Job, clusters: Sequence[ClusterFolder], read: ReadFleet) -> ToldSamples:
    """The samples of some clusters, those of files that are as they were from the run before."""
    names = {cluster.name for cluster in clusters}
    same = {file: read.runs[file] for file in read.samples.same if file[0] in names}
    before = job.earlier.samples(job.spark, same)
    return told_samples(job.spark, clusters, read.samples, before, job.folder / WORK, job.span)


class Writer:
    """Writes tables, as many at a time as there are cores: of a small fleet each keeps one of them busy.

    Of those even the making of the query takes long enough to be done side by side.
    """

    def __init__(self, job: Job) -> None:
        self.job = job
        self.place = job.folder / TABLE_FOLDER
        self.counts: dict[str, int] = {}
        """Rows of each table that is written."""
        self.place.mkdir()

    def one(self, name: str, rows: DataFrame) -> DataFrame:
        """Write the rows of clusters that are made anew; the same, read back."""
        self.counts[name] = write_table(rows, TABLES[name], self.place / name)
        return read_table(self.job.spark, TABLES[name], self.place / name)

    def all(self, made: Mapping[str, Callable[[], DataFrame]]) -> dict[str, DataFrame]:
        """The tables by name, read back, of what makes the rows of each."""
        written = self.at_once(lambda name: self.one(name, made[name]()), made)
        return dict(zip(made, written, strict=True))

    def add_kept(self) -> None:
        """Put the rows of clusters that are taken over beside them: nothing that was read back has these."""
        names = [name for name in TABLES if name not in HISTORIES]
        for name, n_rows in zip(names, self.at_once(self.kept_rows, names), strict=True):
            self.counts[name] = self.counts.get(name, 0) + n_rows

    def kept_rows(self, name: str) -> int:
        job, before = self.job, self.job.earlier.at(TABLE_FOLDER, name)
        if not (self.place / name).exists():
            (self.place / name).mkdir()
        return add_kept(
            job.spark, TABLES[name], before, job.kept, self.place / name, job.folder / WORK / f"kept-{name}"
        )

    def at_once(self, what: Callable[..., T], *args: Iterable[Any]) -> list[T]:
        with ThreadPoolExecutor(self.job.spark.sparkContext.defaultParallelism) as pool:
            return list(pool.map(what, *args))
