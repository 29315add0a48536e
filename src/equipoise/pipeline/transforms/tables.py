"""The rows of the cluster tasks as the published tables."""

from __future__ import annotations

from functools import reduce

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from equipoise.pipeline.schemas.tables import PER_PARTITION

REPLICA = (*PER_PARTITION, "broker")


def of_kind(rows: DataFrame, kind: str) -> DataFrame:
    """(cluster, brokers{...}, partitions{...}, ...) to (cluster, the columns of one kind)."""
    return rows.where(F.col(kind).isNotNull()).select("cluster", f"{kind}.*")


def partitions(merged: DataFrame) -> DataFrame:
    """The partitions, with what is being added and removed where a reassignment was in flight."""
    in_flight = (
        of_kind(merged, "in_flight")
        .groupBy(*PER_PARTITION)
        .agg(
            F.first("adding", ignorenulls=True).alias("adding"),
            F.first("removing", ignorenulls=True).alias("removing"),
        )
    )
    return of_kind(merged, "partitions").join(in_flight, on=list(PER_PARTITION), how="left")


def replicas(merged: DataFrame) -> DataFrame:
    """(cluster, topic, partition, replicas) to one row a replica, with where it lies and how large it is.

    A replica that no source saw on disk has the size of its partition, or none.
    """
    on_disk = (
        of_kind(merged, "on_disk")
        .groupBy(*REPLICA)
        .agg(
            F.max_by("log_dir", F.struct("size_bytes", "log_dir")).alias("log_dir"),
            F.max("size_bytes").alias("measured_bytes"),
        )
    )
    placed = of_kind(merged, "partitions").select(
        *PER_PARTITION, "size_bytes", F.posexplode("replicas").alias("position", "broker")
    )
    return placed.join(on_disk, on=list(REPLICA), how="left").select(
        *PER_PARTITION,
        "position",
        "broker",
        "log_dir",
        F.coalesce("measured_bytes", "size_bytes").alias("size_bytes"),
    )


def dirs(merged: DataFrame) -> DataFrame:
    """(cluster, broker, log_dir, total_bytes): every log dir that is told of."""
    return of_kind(merged, "dirs").groupBy("cluster", "broker", "log_dir").agg(
        F.max("total_bytes").alias("total_bytes")
    )


def quarantine(parsed: DataFrame, merged: DataFrame, planned: DataFrame, samples: DataFrame) -> DataFrame:
    """What was set aside: broken files, lines and samples, and clusters that could not be planned."""
    pieces = parsed.select("cluster", "file", F.explode("faults").alias("fault")).select(
        "cluster", "file", "fault.*"
    )
    of_samples = samples.where("unknown is null").select(*pieces.columns)
    others = [of_kind(merged, "quarantine"), of_kind(planned, "quarantine"), of_samples]
    return reduce(DataFrame.unionByName, others, pieces)
