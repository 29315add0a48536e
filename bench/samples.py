"""Many samples, and the job that makes ``partition_load`` of them, each in a process of its own.

``python -m bench.samples make FLEET N`` and ``python -m bench.samples load FLEET OUT``.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from pyspark.sql import functions as F

from equipoise.pipeline.jobs.loads import figures_of_series, read_samples, told_samples
from equipoise.pipeline.jobs.progress import Progress
from equipoise.pipeline.readers.fleet import find_clusters, is_long
from equipoise.pipeline.session import session
from equipoise.pipeline.transforms.partition_load import partition_load

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, SparkSession

CLUSTERS, PARTITIONS, TOPICS, BROKERS = 4, 2_500, 50, 12
"""Clusters, and how many each of them has."""
START, EVERY_S = 1_767_225_600, 60
RESET = 1_000
"""Times after which a counter begins anew."""


def make(spark: SparkSession, fleet: Path, n: int) -> None:
    """A size and a counter of every partition, scraped again and again: n samples in the order of time."""
    for k in range(CLUSTERS):
        at = F.col("id") % (2 * PARTITIONS)
        partition, time = F.floor(at / 2), F.floor(F.col("id") / (2 * PARTITIONS))
        noise = (F.col("id") * 7_919 + k) % 1_000
        spark.range(n // CLUSTERS).select(
            (F.lit(START) + time * EVERY_S).alias("time"),
            F.when(at % 2 == 0, "size_bytes").otherwise("bytes_in_total").alias("metric"),
            F.when(at % 2 == 0, (partition + 1) * 1_000_000 + time * 500 + noise)
            .otherwise((time % RESET) * 60_000 + noise)
            .cast("double")
            .alias("value"),
            *place(partition),
        ).write.parquet(str(fleet / f"cluster-{k}" / "metrics"))


def place(partition: Column) -> tuple[Column, ...]:
    topic = F.concat(F.lit("topic-"), partition % TOPICS)
    return (
        topic.alias("topic"),
        F.floor(partition / TOPICS).cast("int").alias("partition"),
        (partition % BROKERS).cast("int").alias("broker"),
    )


def load(spark: SparkSession, fleet: Path, out: Path) -> None:
    """From the files to ``partition_load``, with every step of a run but the tables between them."""
    clusters = find_clusters(fleet)
    read = read_samples(spark, clusters, out / "told", Progress())
    told = told_samples(spark, clusters, read, None, out)
    assert told.blocks is not None
    series = figures_of_series(told.blocks, out)
    partition_load(partitions(spark), series).write.parquet(str(out / "partition_load"))


def partitions(spark: SparkSession) -> DataFrame:
    """What ``partition_load`` needs of the table ``partitions``."""
    row, unknown = F.col("id") % PARTITIONS, F.lit(None)
    return spark.range(CLUSTERS * PARTITIONS).select(
        F.concat(F.lit("cluster-"), F.floor(F.col("id") / PARTITIONS)).alias("cluster"),
        *place(row),
        (row % BROKERS).cast("int").alias("leader"),
        unknown.cast("long").alias("size_bytes"),
        *(unknown.cast("double").alias(c) for c in ("bytes_in_per_s", "bytes_out_per_s")),
        F.lit(1).alias("replication_factor"),
        *(unknown.cast("double").alias(c) for c in ("retention_s", "retention_bytes")),
    ).drop("broker")  # fmt: skip


if __name__ == "__main__":
    folder = Path(sys.argv[2])
    with session(long=sys.argv[1] == "make" or is_long(find_clusters(folder))) as started:
        if sys.argv[1] == "make":
            make(started, folder, int(sys.argv[3]))
        else:
            load(started, folder, Path(sys.argv[3]))
