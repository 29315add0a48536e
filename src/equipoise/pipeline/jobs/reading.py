"""Reading a fleet: each file once, and only now it shows what is as it was in the run before.

Samples first: whether the state of a cluster has to be parsed depends on them, too.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from pyspark.sql import functions as F

from equipoise.files.places import Place
from equipoise.pipeline.jobs.claim import PARTS, STATE
from equipoise.pipeline.jobs.earlier import RUN, Earlier
from equipoise.pipeline.jobs.inputs import Inputs, completed, may_be_kept, with_before
from equipoise.pipeline.jobs.loads import ReadSamples, SampleFile, read_samples
from equipoise.pipeline.jobs.opening import WORK
from equipoise.pipeline.jobs.progress import Progress
from equipoise.pipeline.jobs.store import materialize
from equipoise.pipeline.readers.fleet import ClusterFolder, state_files
from equipoise.pipeline.readers.parsed import digests_of, parsed
from equipoise.pipeline.schemas.steps import PARSED
from equipoise.report.words import plural

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


@dataclass(frozen=True)
class ReadFleet:
    """What the files of a fleet tell."""

    inputs: Mapping[str, Inputs]
    kept: frozenset[str]
    """Clusters whose rows and plan are what they would be now."""
    parsed: DataFrame
    """Rows of PARSED of the others."""
    samples: ReadSamples
    runs: Mapping[SampleFile, int]
    """Which run read each file of samples."""


def read_fleet(
    spark: SparkSession,
    clusters: Sequence[ClusterFolder],
    now: Mapping[str, Inputs],
    earlier: Earlier,
    folder: Place,
    progress: Progress,
    *,
    all_depend: bool,
) -> ReadFleet:
    """Every file, those of clusters that are as in the ``earlier`` run for their digests alone.

    ``all_depend``: what one cluster gets depends on all the others, so that all are kept or none.
    """
    run = earlier.run + 1
    with_samples = [
        replace(cluster, metrics=with_before(cluster.metrics, earlier.told_digests(cluster.name)))
        for cluster in clusters
    ]
    samples = read_samples(spark, with_samples, folder / STATE / PARTS / f"{RUN}={run}", progress)
    now = completed(now, samples.digests)
    may_stay = {
        cluster.name
        for cluster in clusters
        if cluster.name in earlier.inputs
        and may_be_kept(cluster, now[cluster.name], earlier.inputs[cluster.name])
        and earlier.has_plan(cluster.name)
    }
    if all_depend and not may_stay == now.keys() == earlier.inputs.keys():
        may_stay = set()
    asked = set() if all_depend else may_stay  # if one of them has changed all are parsed
    files = [
        replace(cluster, files=with_before(cluster.files, earlier.inputs[cluster.name].files))
        if cluster.name in asked
        else cluster
        for cluster in clusters
    ]
    said = f", looking whether {plural(len(asked), 'cluster')} changed" if asked else ""
    n_files = sum(len(cluster.files) for cluster in clusters)
    progress.stage(f"reading {plural(n_files, 'file')} of {plural(len(clusters), 'cluster')}{said}")
    place = folder / WORK / "parsed"
    rows = materialize(parsed(state_files(spark, files)), PARSED, place)
    now = completed(now, digests_of(rows, place))
    kept = frozenset(name for name in may_stay if now[name] == earlier.inputs[name] and now[name].is_known)
    if all_depend and kept != may_stay:
        kept = frozenset()
    changed = rows.where(~F.col("cluster").isin(sorted(kept))) if kept else rows
    before = {(cluster, file): earlier.told[cluster][file] for cluster, file in samples.same}
    runs = before | dict.fromkeys(samples.told, run)
    return ReadFleet(now, kept, changed, samples, runs)
