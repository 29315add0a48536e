"""From the sample files of a fleet to its tables of samples and loads."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from pyspark.sql import functions as F

from equipoise.errors import UnusableInput
from equipoise.pipeline.jobs.progress import Progress
from equipoise.pipeline.jobs.store import settle
from equipoise.pipeline.readers.fleet import METRICS, ClusterFolder, sample_files
from equipoise.pipeline.readers.samples import addresses
from equipoise.pipeline.readers.samples.step import told
from equipoise.pipeline.schemas.metrics import INFOS
from equipoise.pipeline.schemas.steps import FAULTS, RATED, SERIES_FIGURES, TOLD
from equipoise.pipeline.schemas.tables import SAMPLES
from equipoise.pipeline.transforms.figures import series_figures
from equipoise.pipeline.transforms.judged import faults, judged, named_by
from equipoise.pipeline.transforms.samples import rated, series_faults
from equipoise.report.words import plural

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, Row, SparkSession

BROKERS = "cluster string, named_by string, known_as double"


@dataclass(frozen=True)
class ToldSamples:
    """What the sample files of a fleet tell."""

    samples: DataFrame | None
    """The table ``samples``; None where there are no such files."""
    faults: DataFrame
    """What was set aside of them, and what was left out: rows of FAULTS."""


def told_samples(
    spark: SparkSession, clusters: Sequence[ClusterFolder], work: Path, progress: Progress
) -> ToldSamples:
    """The samples of a fleet, each file read once."""
    found = [without_mapping(cluster) for cluster in clusters]
    n_files = sum(len(cluster.metrics) for cluster, _, _ in found)
    pieces = [fault for _, _, faults_of in found for fault in faults_of]
    if not n_files:
        return ToldSamples(None, spark.createDataFrame(pieces, FAULTS))
    progress.stage(f"reading {plural(n_files, 'file')} of samples")
    rows = settle(told(sample_files(spark, [cluster for cluster, _, _ in found])), TOLD, work / "told")
    seen = rows.select("cluster", *remarkable()).where("broken is not null or address is not null").distinct()
    remarks = seen.collect()
    pieces += [(r.cluster, r.broken, None, None, None, r.fault, None, None) for r in remarks if r.broken]
    whole = without_files(rows, [piece[:2] for piece in pieces])
    brokers = brokers_of(spark, remarks, {cluster.name: mapped for cluster, mapped, _ in found})
    samples = judged(whole, brokers)
    told_well = settle(rated(samples.where("reason is null")), RATED, work / "rated")
    aside = settle(faults(samples).unionByName(series_faults(told_well)), FAULTS, work / "faults")
    return ToldSamples(
        told_well.where("reason is null").select(*SAMPLES.fieldNames()),
        aside.unionByName(spark.createDataFrame(pieces, FAULTS)),
    )


def without_mapping(
    cluster: ClusterFolder,
) -> tuple[ClusterFolder, dict[str, int], list[tuple[str | int | None, ...]]]:
    """One without the file that maps addresses to brokers, what that says, and what is wrong with it."""
    name = f"{METRICS}/{addresses.FILE}"
    given = next((file for file in cluster.metrics if file.name == name), None)
    if given is None:
        return cluster, {}, []
    others = ClusterFolder(
        cluster.name, cluster.folder, cluster.files,
        tuple(file for file in cluster.metrics if file is not given), cluster.fault,
    )  # fmt: skip
    try:
        return others, addresses.read_mapping(given.path), []
    except UnusableInput as error:
        return others, {}, [(cluster.name, name, None, None, None, error.problem, None, None)]


def without_files(rows: DataFrame, broken: Sequence[tuple[str | int | None, ...]]) -> DataFrame:
    """The samples of files that could be read to their end."""
    if not broken:
        return rows
    named = rows.sparkSession.createDataFrame(broken, "cluster string, file string")
    return rows.join(F.broadcast(named), on=["cluster", "file"], how="left_anti")


def remarkable() -> list[Column]:
    """What a row tells beside its sample: a file that is broken, an address, and whose that is."""
    is_info = F.lower("metric").isin(*INFOS)
    is_broken = F.expr("fault is not null and line is null and row is null")
    return [
        F.when(is_broken, F.col("file")).alias("broken"),
        F.when(is_broken, F.col("fault")).alias("fault"),
        F.when(is_info, F.col("address")).otherwise(named_by()).alias("address"),
        F.when(is_info, F.col("broker")).alias("broker"),
    ]


def brokers_of(
    spark: SparkSession, remarks: Sequence[Row], mapped: dict[str, dict[str, int]]
) -> DataFrame | None:
    """(cluster, named_by, known_as): the brokers that samples name by an address, as far as known."""
    found = []
    for cluster in {row.cluster for row in remarks if row.address}:
        own = [row for row in remarks if row.cluster == cluster and row.address]
        infos = addresses.by_address((row.broker, row.address) for row in own if row.broker)
        for address in {row.address for row in own if not row.broker}:
            broker = addresses.resolved(address, mapped.get(cluster, {}), infos)
            if broker is not None:
                found.append((cluster, address, float(broker)))
    return spark.createDataFrame(sorted(found), BROKERS) if found else None


def figures_of_series(samples: DataFrame, work: Path) -> DataFrame:
    """The figures of every series of the table ``samples``, on disk."""
    return settle(series_figures(samples), SERIES_FIGURES, work / "series")
