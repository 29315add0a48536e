"""The hour in which a cluster takes or gives most."""

from __future__ import annotations

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from equipoise.pipeline.schemas.metrics import BYTES_IN, BYTES_OUT
from equipoise.pipeline.schemas.tables import EXACT, SERIES
from equipoise.pipeline.transforms.figures import nine_digits

HOUR_US = 3_600_000_000
OF = ("brokers", "topics", "partitions")


def busiest_hour(samples: DataFrame) -> DataFrame:
    """The table ``samples`` to the table ``busiest_hour``.

    What brokers tell of all their topics is added up where there is any of it, else what is told of topics,
    else of partitions; of one thing under two names the longer series counts. A sample belongs to the hour in
    which the middle of its time lies.
    """
    level = (
        F.when(F.col("topic").isNull(), 0).when(F.col("partition").isNull(), 1).otherwise(2).alias("level")
    )
    middle = F.unix_micros("time") - F.coalesce(F.col("seconds"), F.lit(0.0)) * (F.lit(HOUR_US) / 7_200)
    weight = F.coalesce("seconds", F.lit(1.0))
    hourly = (
        samples.where(F.col("metric").isin(BYTES_IN, BYTES_OUT))
        .groupBy(*SERIES, "metric", F.floor(middle / HOUR_US).alias("hour"))
        .agg(
            (F.sum(F.col("value") * weight) / F.sum(weight)).alias("mean"),
            F.count(F.lit(1)).alias("n"),
        )
    )
    of_one = ("cluster", "topic", "partition", "broker", "metric")
    hours = F.collect_list(F.struct("hour", "mean"))
    chosen = (
        hourly.groupBy(*SERIES, "metric")
        .agg(F.sort_array(hours).alias("hours"), F.sum("n").alias("n"))
        .groupBy(*of_one)
        .agg(F.min_by("hours", F.struct(-F.col("n"), F.col("told_as"))).alias("hours"))
        .withColumn("level", level)
    )
    best = chosen.groupBy("cluster", "metric").agg(F.min("level").alias("level"))
    total = F.sum(nine_digits(F.col("mean")).try_cast(EXACT))
    by_hour = (
        chosen.join(F.broadcast(best), on=["cluster", "metric", "level"])
        .select("cluster", "metric", "level", F.inline("hours"))
        .groupBy("cluster", "metric", "level", "hour")
        .agg(nine_digits(total).alias("mean"))
    )
    found = by_hour.groupBy("cluster", "metric", "level").agg(
        F.max(F.struct("mean", (-F.col("hour")).alias("before"))).alias("most"),
        nine_digits(F.avg(F.col("mean").try_cast(EXACT))).alias("usual"),
    )
    return found.select(
        "cluster",
        "metric",
        F.timestamp_micros((-F.col("most.before") * HOUR_US).cast("long")).alias("hour"),
        F.col("most.mean").alias("mean"),
        "usual",
        F.element_at(F.array(*map(F.lit, OF)), F.col("level") + 1).alias("of"),
    )
