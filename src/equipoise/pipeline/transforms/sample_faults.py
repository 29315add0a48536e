"""What is set aside of samples, told once for each file or metric and reason."""

from __future__ import annotations

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from equipoise.pipeline.readers.samples.judged import UNKNOWN_ADDRESS
from equipoise.pipeline.schemas.steps import Kind
from equipoise.pipeline.schemas.tables import INT, LONG, TEXT

WHOLE_SERIES = "metrics"
"""What ``quarantine`` calls the file of a series: it may come from several."""


def of_files(told: DataFrame, brokers: DataFrame | None) -> DataFrame:
    """Faults of TOLD as rows of FAULTS: one for each file and reason, with the first of them.

    ``brokers``: (cluster, named_by) of addresses that are known. Samples of a metric that nobody knows are no
    fault: they are counted, by name.
    """
    faults = told.where(F.col("kind") == Kind.FAULT)
    if brokers is None:
        is_known = F.lit(False)
    else:
        is_known = F.col("is_known")
        known = brokers.select("cluster", "named_by", F.lit(True).alias("is_known"))
        faults = faults.join(F.broadcast(known), on=["cluster", "named_by"], how="left")
    nameless = F.col("named_by").isNotNull() & ~F.coalesce(is_known, F.lit(False))
    reason = F.when(nameless, UNKNOWN_ADDRESS).otherwise(F.col("reason"))
    n = F.col("samples")
    counted = F.concat(n, F.when(n == 1, " sample").otherwise(" samples"))
    row = F.concat(F.when(n == 1, ", row ").otherwise(", first row "), "at.row")
    return (
        faults.withColumn("reason", reason)
        .where(F.col("reason").isNotNull())
        .groupBy("cluster", "file", "reason", "unknown")
        .agg(F.sum("samples").alias("samples"), F.min(F.struct("line", "row", "text")).alias("at"))
        .select(
            "cluster",
            "file",
            F.col("at.line").cast(INT).alias("line"),
            F.concat(counted, F.coalesce(row, F.lit(""))).alias("place"),
            F.col("at.text").alias("text"),
            "reason",
            "unknown",
            "samples",
        )
    )


def of_series(rated: DataFrame) -> DataFrame:
    """What is set aside of whole series, as rows of FAULTS: one for each name and reason, with an example."""
    place = F.format_string("%,d samples of %,d series of %s", "samples", "series", "told_as")
    return (
        rated.where(F.col("kind") == Kind.FAULT)
        .groupBy("cluster", "told_as", "reason")
        .agg(
            F.sum("samples").alias("samples"),
            F.sum("series").alias("series"),
            F.min(F.struct("topic", "partition", "broker")).alias("first"),
        )
        .select(
            "cluster",
            F.lit(WHOLE_SERIES).alias("file"),
            F.lit(None).cast(INT).alias("line"),
            F.when(F.col("told_as").isNotNull(), place).alias("place"),
            F.when(F.col("told_as").isNotNull(), F.to_json("first")).alias("text"),
            "reason",
            F.lit(None).cast(TEXT).alias("unknown"),
            F.col("samples").cast(LONG).alias("samples"),
        )
    )


def left_out(faults: DataFrame) -> DataFrame:
    """Rows of FAULTS to (cluster, metric, samples) of metrics that nobody knows."""
    unknown = faults.where(F.col("unknown").isNotNull())
    return unknown.groupBy("cluster", F.col("unknown").alias("metric")).agg(F.sum("samples").alias("samples"))
