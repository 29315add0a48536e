"""Clusters in tasks of Spark: a large one has its own, small ones share."""

from __future__ import annotations

from pathlib import Path

import pytest
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

from equipoise.pipeline.readers.fleet import TASK_BYTES, ClusterFolder, FoundFile, tasks_of
from equipoise.pipeline.transforms.merge_task import by_rank

pytestmark = pytest.mark.spark


def clusters(n: int, n_bytes: int) -> list[ClusterFolder]:
    """So many, each with one file."""
    file = FoundFile("current.json", Path("current.json"), n_bytes)
    return [ClusterFolder(f"c{k}", Path(f"c{k}"), (file,)) for k in range(n)]


def test_small_clusters_share_tasks(spark: SparkSession) -> None:
    """Two hundred of 36 kB are 26 tasks; two thousand that tell nothing are still work."""
    assert tasks_of(spark, clusters(200, 36 << 10)) == 26
    assert tasks_of(spark, clusters(2_000, 0)) == 125


def test_large_clusters_have_tasks_of_their_own(spark: SparkSession) -> None:
    """Each is as much as a task is to have at least."""
    assert tasks_of(spark, clusters(30, TASK_BYTES)) == 30


def test_few_clusters_keep_all_cores_busy(spark: SparkSession) -> None:
    """However small they are; and a fleet of one cluster is one task."""
    cores = spark.sparkContext.defaultParallelism
    assert tasks_of(spark, clusters(cores + 1, 10)) == cores
    assert tasks_of(spark, clusters(1, 10)) == tasks_of(spark, []) == 1


def test_clusters_are_dealt_out_by_turns(spark: SparkSession) -> None:
    """Seven clusters by size in three tasks: the three largest are in different ones, and start first."""
    rows = spark.range(7).select(F.col("id").cast("int").alias("rank"))
    dealt = by_rank(rows, 3).withColumn("task", F.spark_partition_id()).collect()
    tasks = [[row.rank for row in dealt if row.task == task] for task in range(3)]
    assert [sorted(ranks) for ranks in tasks] == [[0, 3, 6], [1, 4], [2, 5]]
