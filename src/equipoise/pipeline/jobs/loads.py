"""From the sample files of a fleet to its tables of samples and loads."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import reduce
from typing import TYPE_CHECKING

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from equipoise.errors import UnusableInput
from equipoise.files.places import Place
from equipoise.pipeline.jobs.opening import removed
from equipoise.pipeline.jobs.progress import Progress
from equipoise.pipeline.jobs.span import Span, counting
from equipoise.pipeline.jobs.store import large_rows, materialize
from equipoise.pipeline.places.digests import digest_of
from equipoise.pipeline.readers.fleet import METRICS, ClusterFolder, sample_files
from equipoise.pipeline.readers.parsed import digests_of
from equipoise.pipeline.readers.samples import addresses
from equipoise.pipeline.readers.samples.blocks import slots_of
from equipoise.pipeline.readers.samples.step import divided_anew, told
from equipoise.pipeline.schemas.steps import FAULTS, RATED, SERIES_FIGURES, TOLD, Kind
from equipoise.pipeline.transforms.sample_faults import of_files, of_series
from equipoise.pipeline.transforms.samples import rated
from equipoise.pipeline.transforms.series import series_figures
from equipoise.report.words import plural

if TYPE_CHECKING:
    from pyspark.sql import Row, SparkSession

MAPPING = f"{METRICS}/{addresses.FILE}"
REMARK = ("cluster", "kind", "file", "reason", "named_by", "broker")
"""What the driver looks at of rows of TOLD without samples."""

SampleFile = tuple[str, str]
"""Cluster and name of a file."""


@dataclass(frozen=True)
class Addresses:
    """What a cluster's own file says of the brokers at addresses."""

    cluster: str
    brokers: Mapping[str, int] = field(default_factory=dict)
    fault: tuple[str | int | None, ...] | None = None
    """What is wrong with it: a row of FAULTS."""
    digest: str = ""
    """ "" where it cannot be read, and for no such file."""


@dataclass(frozen=True)
class ReadSamples:
    """What is read of the sample files of a fleet."""

    mappings: Mapping[str, Addresses]
    """What each cluster's own file says of addresses."""
    digests: Mapping[SampleFile, str] = field(default_factory=dict)
    """Of files that were read to their end, those that map addresses among them."""
    same: frozenset[SampleFile] = frozenset()
    """Files that are as they were, of which nothing but that is told."""
    told: frozenset[SampleFile] = frozenset()
    """Files that need not be read again, of which ``rows`` has what they tell."""
    rows: DataFrame | None = None
    """Of TOLD; None where no file told anything."""


@dataclass(frozen=True)
class ToldSamples:
    """What the sample files of some clusters tell."""

    blocks: DataFrame | None
    """(cluster, block, first): samples, whole series together, see `counting`; None for no such files."""
    faults: DataFrame
    """What was set aside of them, and what was left out: rows of FAULTS."""


def read_samples(
    spark: SparkSession, clusters: Sequence[ClusterFolder], place: Place, progress: Progress
) -> ReadSamples:
    """Every sample file of a fleet, once, and what those tell that are not as they were before.

    ``place`` gets the rows of TOLD; it is not there where no file told anything.
    """
    mappings = {cluster.name: read_mapping(cluster) for cluster in clusters}
    digests = {(name, MAPPING): found.digest for name, found in mappings.items() if found.digest}
    found = list(map(without_mapping, clusters))
    before = {(cluster.name, file.name): file.before for cluster in found for file in cluster.metrics}
    if not before:
        return ReadSamples(mappings, digests)
    n_known = sum(map(bool, before.values()))
    said = f", looking whether {plural(n_known, 'file')} changed" if n_known else ""
    progress.stage(f"reading {plural(len(before), 'file')} of samples{said}")
    rows = materialize(told(sample_files(spark, found), slots_by_cluster(found)), TOLD, place)
    read = digests_of(rows, place)
    same = frozenset(file for file, digest in read.items() if digest == before[file])
    if len(same) == len(before):
        removed(place)
        return ReadSamples(mappings, digests | read, same)
    return ReadSamples(mappings, digests | read, same, frozenset(read.keys() - same), rows)


def told_samples(
    spark: SparkSession,
    clusters: Sequence[ClusterFolder],
    read: ReadSamples,
    before: DataFrame | None,
    work: Place,
    span: Span = Span(),
) -> ToldSamples:
    """The samples of some clusters that count, of what was ``read`` of them.

    ``before``: the rows of TOLD of their files that are as they were, as an earlier run read them; None for
    no such file.
    """
    names = sorted(cluster.name for cluster in clusters)
    mappings = [read.mappings[name] for name in names]
    pieces = [found.fault for found in mappings if found.fault is not None]
    parts = [] if before is None else [before]
    if read.rows is not None:
        is_all = len(names) == len(read.mappings)
        parts.append(read.rows if is_all else read.rows.where(F.col("cluster").isin(names)))
    if not any(map(has_samples, clusters)):
        return ToldSamples(None, spark.createDataFrame(pieces, FAULTS))
    rows = reduce(DataFrame.unionByName, parts)
    remarks = rows.where(F.col("kind") != Kind.SAMPLES).select(*REMARK).distinct().collect()
    broken = [row for row in remarks if row.kind == Kind.BROKEN]
    pieces += [(row.cluster, row.file, None, None, None, row.reason, None, None) for row in broken]
    whole = without_files(rows, [piece[:2] for piece in pieces])
    brokers = brokers_of(remarks, {found.cluster: found.brokers for found in mappings})
    samples = whole.where(F.col("kind") == Kind.SAMPLES)
    if before is not None:
        samples = divided_anew(samples, slots_by_cluster(map(without_mapping, clusters)))
    with large_rows(spark):
        told_well = materialize(rated(samples, brokers), RATED, work / "rated")
    aside = of_files(whole, known_addresses(spark, brokers)).unionByName(of_series(told_well))
    return ToldSamples(
        counting(told_well, span),
        materialize(aside.unionByName(spark.createDataFrame(pieces, FAULTS)), FAULTS, work / "faults"),
    )


def has_samples(cluster: ClusterFolder) -> bool:
    """Whether it has files of samples."""
    return any(file.name != MAPPING for file in cluster.metrics)


def read_mapping(cluster: ClusterFolder) -> Addresses:
    """That of one cluster; of one without such a file an empty one."""
    given = next((file for file in cluster.metrics if file.name == MAPPING), None)
    if given is None:
        return Addresses(cluster.name)

    def useless(reason: str, digest: str = "") -> Addresses:
        fault = (cluster.name, MAPPING, None, None, None, reason, None, None)
        return Addresses(cluster.name, fault=fault, digest=digest)

    if given.fault:
        return useless(given.fault)
    try:
        content = given.path.read_bytes()
    except OSError as error:
        return useless(f"cannot be read ({error})")
    digest = digest_of(content)
    try:
        return Addresses(cluster.name, addresses.mapping_of(content), digest=digest)
    except UnusableInput as error:
        return useless(error.problem, digest)


def without_mapping(cluster: ClusterFolder) -> ClusterFolder:
    """A cluster without the file that maps addresses."""
    return replace(cluster, metrics=tuple(file for file in cluster.metrics if file.name != MAPPING))


def slots_by_cluster(clusters: Iterable[ClusterFolder]) -> dict[str, int]:
    """In how many slots the samples of each cluster are."""
    return {cluster.name: slots_of(sum(file.n_bytes for file in cluster.metrics)) for cluster in clusters}


def without_files(rows: DataFrame, broken: Sequence[tuple[str | int | None, ...]]) -> DataFrame:
    """The samples of files that could be read to their end."""
    if not broken:
        return rows
    named = rows.sparkSession.createDataFrame(broken, "cluster string, file string")
    return rows.join(F.broadcast(named), on=["cluster", "file"], how="left_anti")


def brokers_of(
    remarks: Sequence[Row], mapped: Mapping[str, Mapping[str, int]]
) -> dict[str, dict[str, int]]:
    """The brokers of each cluster that samples name by an address, as far as known."""
    found: dict[str, dict[str, int]] = {}
    by_cluster: dict[str, list[Row]] = {}
    for row in remarks:
        if row.named_by is not None:
            by_cluster.setdefault(row.cluster, []).append(row)
    for cluster, own in by_cluster.items():
        infos = addresses.by_address((row.broker, row.named_by) for row in own if row.kind == Kind.INFO)
        for address in {row.named_by for row in own if row.kind == Kind.FAULT}:
            broker = addresses.resolved(address, mapped.get(cluster, {}), infos)
            if broker is not None:
                found.setdefault(cluster, {})[address] = broker
    return found


def known_addresses(spark: SparkSession, brokers: Mapping[str, Mapping[str, int]]) -> DataFrame | None:
    """(cluster, named_by) of addresses whose broker is known; None for none."""
    rows = [(cluster, address) for cluster, own in sorted(brokers.items()) for address in sorted(own)]
    return spark.createDataFrame(rows, "cluster string, named_by string") if rows else None


def figures_of_series(blocks: DataFrame, work: Place) -> DataFrame:
    """The figures of every series of some samples, on disk."""
    with large_rows(blocks.sparkSession):
        return materialize(series_figures(blocks), SERIES_FIGURES, work / "series")
