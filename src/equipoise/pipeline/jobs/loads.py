"""From the sample files of a fleet to its tables of samples and loads."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from equipoise.pipeline.jobs.progress import Progress
from equipoise.pipeline.jobs.store import settle
from equipoise.pipeline.readers.fleet import ClusterFolder
from equipoise.pipeline.readers.sample_files import probed
from equipoise.pipeline.readers.samples import read_samples
from equipoise.pipeline.schemas.steps import FAULTS, GOOD, SERIES_FIGURES
from equipoise.pipeline.transforms.figures import series_figures
from equipoise.pipeline.transforms.samples import faults
from equipoise.report.words import plural

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.types import StructType


def told_samples(
    spark: SparkSession, clusters: Sequence[ClusterFolder], work: Path, progress: Progress
) -> tuple[DataFrame, DataFrame]:
    """The samples of a fleet that can be used, not yet sorted, and what was set aside of its sample files."""
    n_files = sum(len(cluster.metrics) for cluster in clusters)
    if not n_files:
        return nothing(spark, GOOD), nothing(spark, FAULTS)
    progress.stage(f"reading {plural(n_files, 'file')} of samples")
    files = probed(spark, clusters)
    broken = [(file.cluster, file.file, None, None, file.fault) for file in files if file.fault]
    left_out = spark.createDataFrame(broken, FAULTS)
    judged = read_samples(spark, files)
    if judged is None:
        return nothing(spark, GOOD), left_out
    pieces = settle(faults(judged), FAULTS, work / "faults")
    return judged.where("reason is null").select(*GOOD.fieldNames()), left_out.unionByName(pieces)


def figures_of_series(samples: DataFrame, work: Path) -> DataFrame:
    """The figures of every series of the table ``samples``, on disk."""
    return settle(series_figures(samples), SERIES_FIGURES, work / "series")


def nothing(spark: SparkSession, schema: StructType) -> DataFrame:
    """A frame without rows, of which Spark knows it: what is joined to it costs nothing."""
    return spark.createDataFrame([], schema).where("false")
