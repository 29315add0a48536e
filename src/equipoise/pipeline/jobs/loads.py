"""From the sample files of a fleet to its tables of samples and loads."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from typing import TYPE_CHECKING

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from equipoise.errors import UnusableInput
from equipoise.files.places import Place
from equipoise.pipeline.jobs.progress import Progress
from equipoise.pipeline.jobs.span import Span, within
from equipoise.pipeline.jobs.store import materialize
from equipoise.pipeline.readers.fleet import METRICS, ClusterFolder, sample_files
from equipoise.pipeline.readers.samples import addresses
from equipoise.pipeline.readers.samples.step import told
from equipoise.pipeline.schemas.metrics import INFOS
from equipoise.pipeline.schemas.steps import FAULTS, RATED, SERIES_FIGURES, TOLD
from equipoise.pipeline.schemas.tables import SAMPLES
from equipoise.pipeline.transforms.figures import series_figures
from equipoise.pipeline.transforms.judged import faults, judged, named_by
from equipoise.pipeline.transforms.rows import UNEXPECTED
from equipoise.pipeline.transforms.samples import rated, series_faults
from equipoise.report.words import plural

if TYPE_CHECKING:
    from pyspark.sql import Column, Row, SparkSession

MAPPING = f"{METRICS}/{addresses.FILE}"
FOR_NOW = ("cannot be read", UNEXPECTED)
"""How a fault begins that may be gone tomorrow although the file is the same: memory was short, perhaps."""
BROKERS = "cluster string, named_by string, known_as double"


SampleFile = tuple[str, str]
"""Cluster and name of a file."""


@dataclass(frozen=True)
class ToldSamples:
    """What the sample files of a fleet tell."""

    samples: DataFrame | None
    """The table ``samples``; None where there are no such files."""
    faults: DataFrame
    """What was set aside of them, and what was left out: rows of FAULTS."""
    read: frozenset[SampleFile]
    """Files that were read now, and need not be read again."""


@dataclass(frozen=True)
class ReadBefore:
    """Samples that an earlier run has read; by default none."""

    files: Collection[SampleFile] = ()
    rows: DataFrame | None = None
    """Of TOLD; None for no file."""


def told_samples(
    spark: SparkSession,
    clusters: Sequence[ClusterFolder],
    work: Place,
    progress: Progress,
    span: Span = Span(),
    before: ReadBefore = ReadBefore(),
    place: Place | None = None,
) -> ToldSamples:
    """The samples of a fleet that count, each file read once, and none that was read ``before``.

    ``place`` gets the rows of TOLD of the files that are read now; it is not there where none is.
    """
    found = [without_mapping(cluster) for cluster in clusters]
    n_files = sum(len(cluster.metrics) for cluster, _, _ in found)
    pieces = [fault for _, _, faults_of in found for fault in faults_of]
    if not n_files:
        return ToldSamples(None, spark.createDataFrame(pieces, FAULTS), frozenset())
    new = [without_files_of(cluster, before.files) for cluster, _, _ in found]
    to_read = frozenset((cluster.name, file.name) for cluster in new for file in cluster.metrics)
    progress.stage(
        f"reading {plural(len(to_read), 'file')} of samples"
        + (f", {plural(n_files - len(to_read), 'file')} as read before" if n_files > len(to_read) else "")
    )
    parts = [] if before.rows is None else [before.rows]
    if to_read:
        parts.append(materialize(told(sample_files(spark, new)), TOLD, place or work / "told"))
    rows = reduce(DataFrame.unionByName, parts)
    seen = rows.select("cluster", *remarkable()).where("broken is not null or address is not null").distinct()
    remarks = seen.collect()
    pieces += [(r.cluster, r.broken, None, None, None, r.fault, None, None) for r in remarks if r.broken]
    whole = without_files(rows, [piece[:2] for piece in pieces])
    brokers = brokers_of(spark, remarks, {cluster.name: mapped for cluster, mapped, _ in found})
    samples = judged(whole, brokers)
    told_well = materialize(rated(samples.where("reason is null")), RATED, work / "rated")
    counting = within(told_well.where("reason is null"), span)
    aside = materialize(faults(samples).unionByName(series_faults(told_well)), FAULTS, work / "faults")
    return ToldSamples(
        counting.select(*SAMPLES.fieldNames()),
        aside.unionByName(spark.createDataFrame(pieces, FAULTS)),
        to_read - {(r.cluster, r.broken) for r in remarks if (r.fault or "").startswith(FOR_NOW)},
    )


def has_samples(cluster: ClusterFolder) -> bool:
    """Whether it has files of samples."""
    return any(file.name != MAPPING for file in cluster.metrics)


def without_mapping(
    cluster: ClusterFolder,
) -> tuple[ClusterFolder, dict[str, int], list[tuple[str | int | None, ...]]]:
    """One without the file that maps addresses to brokers, what that says, and what is wrong with it."""
    name = MAPPING
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


def without_files_of(cluster: ClusterFolder, files: Collection[SampleFile]) -> ClusterFolder:
    """A cluster without some of its files of samples."""
    left = tuple(file for file in cluster.metrics if (cluster.name, file.name) not in files)
    return replace(cluster, metrics=left)


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


def figures_of_series(samples: DataFrame, work: Place) -> DataFrame:
    """The figures of every series of the table ``samples``, on disk."""
    return materialize(series_figures(samples), SERIES_FIGURES, work / "series")
