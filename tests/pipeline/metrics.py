"""Sample files for tests: the same samples in any of the three kinds, and what the pipeline makes of them."""

from __future__ import annotations

import csv
import gzip
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.sql import DataFrame, SparkSession

from equipoise.pipeline.jobs.loads import ToldSamples, figures_of_series, read_samples, told_samples
from equipoise.pipeline.jobs.progress import Progress
from equipoise.pipeline.jobs.small import few_jobs
from equipoise.pipeline.jobs.span import Span
from equipoise.pipeline.readers.fleet import ClusterFolder, find_clusters
from equipoise.pipeline.schemas.tables import PARTITIONS
from equipoise.pipeline.transforms.partition_load import partition_load
from equipoise.pipeline.transforms.series import sample_rows

Row = dict[str, Any]
COLUMNS = ("time", "metric", "value", "topic", "partition", "broker")
T0 = 1_767_225_600
"""2026-01-01 00:00 UTC."""
HOUR, DAY = 3_600, 86_400


def sample(
    time: Any, metric: str, value: Any, topic: Any = "pay", partition: Any = 0, broker: Any = None
) -> Row:
    return dict(zip(COLUMNS, (time, metric, value, topic, partition, broker), strict=True))


def series(metric: str, values: Sequence[float], every: int = HOUR, **of: Any) -> list[Row]:
    """A sample every so many seconds."""
    return [sample(T0 + k * every, metric, value, **of) for k, value in enumerate(values)]


def write_samples(fleet: Path, name: str, rows: Sequence[Row], cluster: str = "c") -> Path:
    """Write ``fleet/cluster/metrics/name``, in the kind that the name says."""
    path = fleet / cluster / "metrics" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    if name.endswith(".parquet"):
        pq.write_table(pa.Table.from_pylist(list(rows)), path)
        return path
    with gzip.open(path, "wt") if name.endswith(".gz") else path.open("w") as file:
        if ".csv" in name:
            table = csv.DictWriter(file, COLUMNS)
            table.writeheader()
            table.writerows(rows)
        else:
            file.writelines(json.dumps(row) + "\n" for row in rows)
    return path


def read_back(spark: SparkSession, fleet: Path, work: Path) -> tuple[DataFrame, list[Row]]:
    """The table ``samples`` of a fleet, and what of its sample files is set aside."""
    blocks, faults = blocks_of(spark, fleet, work)
    pieces = faults.orderBy("cluster", "file", "reason").collect()
    return sample_rows(blocks), [piece.asDict() for piece in pieces]


def blocks_of(spark: SparkSession, fleet: Path, work: Path) -> tuple[DataFrame, DataFrame]:
    """The samples of a fleet, as they pass from step to step, and what is set aside."""
    told = told_now(spark, find_clusters(fleet), work)
    assert told.blocks is not None
    return told.blocks, told.faults


def told_now(
    spark: SparkSession, clusters: Sequence[ClusterFolder], work: Path, span: Span = Span()
) -> ToldSamples:
    """What the samples of clusters tell, of which no run knows."""
    read = read_samples(spark, clusters, work / "told", Progress())
    return told_samples(spark, clusters, read, None, work, span)


def values_of(frame: DataFrame, cluster: str = "c") -> list[tuple[int, str, float]]:
    """(seconds since T0, metric, value) in order."""
    own = frame.where(frame["cluster"] == cluster)
    rows = own.selectExpr(f"unix_seconds(time) - {T0} AS at", "metric", "value").orderBy("metric", "at")
    return [tuple(row) for row in rows.collect()]


def loads(
    spark: SparkSession, fleet: Path, work: Path, partitions: Sequence[Row]
) -> dict[tuple[str, int], Row]:
    """``partition_load`` by topic and partition, of a cluster with these partitions."""
    with few_jobs(spark, find_clusters(fleet)):  # as in a run
        return loads_now(spark, fleet, work, partitions)


def loads_now(
    spark: SparkSession, fleet: Path, work: Path, partitions: Sequence[Row]
) -> dict[tuple[str, int], Row]:
    """The same with the settings of the session as they are."""
    blocks, _ = blocks_of(spark, fleet, work)
    nothing = dict.fromkeys(PARTITIONS.fieldNames()) | {
        "cluster": "c",
        "replication_factor": 1,
        "replicas": [1],
    }
    table = spark.createDataFrame([nothing | row for row in partitions], PARTITIONS)
    rows = partition_load(table, figures_of_series(blocks, work)).collect()
    return {(row["topic"], row["partition"]): row.asDict(recursive=True) for row in rows}
