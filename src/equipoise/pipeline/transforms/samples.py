"""Samples that can be used to the table ``samples``: whole series looked at, counters made into rates."""

from __future__ import annotations

from functools import reduce

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F

from equipoise.pipeline.schemas.metrics import BYTES_IN, BYTES_OUT, COUNTERS
from equipoise.pipeline.schemas.tables import INT, SERIES, TEXT
from equipoise.pipeline.transforms.judged import LINK, metric_of

AGAIN_AND_AGAIN = 3
"""Falls of a counter, or times with several values, from which on they may be its nature."""
RARE = 4
"""A counter of one broker counts so many samples between two restarts, on average."""
SEVERAL = "counters of several brokers in one series, as it falls again and again: name the broker of each"
AT_ONCE = "several values at one time, again and again: name the broker of each sample"
TOO_FAST = "more than a terabit a second"
WHOLE_SERIES = "metrics"
"""What ``quarantine`` calls the file of a series: it may come from several."""


def rated(good: DataFrame) -> DataFrame:
    """(cluster, topic, partition, broker, told_as, time, value) to RATED: ``samples`` with reasons against.

    Of several samples of one series at one time the greatest stays. A counter becomes the rate since the
    sample before it: where it fell it was reset, and counted from 0 to what it is. Its first sample gives
    nothing, and neither does a fall by less than half, which is no reset. One sort by series and time serves
    all steps, and whoever writes or adds up the rows by series.
    """
    whole = Window.partitionBy(*SERIES)
    in_time = whole.orderBy("time", F.desc("value"))
    so_far = in_time.rowsBetween(Window.unboundedPreceding, Window.currentRow)
    before, value, last = F.col("before"), F.col("value"), F.col("last")
    again = (last["time"] == F.col("time")) & (last["value"] != value)
    once = (
        good.withColumn("last", F.lag(F.struct("time", "value")).over(in_time))
        .withColumn("at_once", F.count_if(again).over(so_far))
        .where(last.isNull() | (last["time"] < F.col("time")))
        .withColumn("before", F.lag(F.struct("time", "value")).over(in_time))
        .withColumn("next_time", F.lead("time").over(in_time))
    )
    fell = is_counter(F.col("told_as")) & (value < before["value"])
    counted = once.withColumns(
        {
            "fell": fell,
            "falls": F.count_if(fell).over(whole),
            "n": F.count(F.lit(1)).over(whole),
            "twice": F.max("at_once").over(whole),
        }
    )
    since, until = seconds("before.time", "time"), seconds("time", "next_time")
    increase = F.when(~F.col("fell"), value - before["value"]).when(value * 2 <= before["value"], value)
    is_rate = is_counter(F.col("told_as"))
    metric = metric_of(F.col("told_as"))
    return counted.select(
        *SERIES,
        "time",
        metric.alias("metric"),
        F.when(is_rate, increase / since).otherwise(value).alias("value"),
        F.when(is_rate, since).otherwise(F.coalesce(since, until)).alias("seconds"),
        reason(metric).alias("told"),
    ).select(
        *SERIES,
        "time",
        "metric",
        "value",
        "seconds",
        F.coalesce("told", F.when(is_rate & of_bytes() & (F.col("value") > LINK), TOO_FAST)).alias("reason"),
    ).where(F.col("value").isNotNull())


def reason(metric: Column) -> Column:
    """Why nothing can be said from a series: as it seems, several brokers tell it."""
    falls, n, twice = F.col("falls"), F.col("n"), F.col("twice")
    rules = [
        ((falls >= AGAIN_AND_AGAIN) & (falls * RARE >= n), SEVERAL),
        (metric.isin(BYTES_IN, BYTES_OUT) & (twice >= AGAIN_AND_AGAIN) & (twice * 2 >= n), AT_ONCE),
    ]
    return reduce(lambda so_far, rule: so_far.when(*rule), rules[1:], F.when(*rules[0]))


def series_faults(rated: DataFrame) -> DataFrame:
    """What is set aside of whole series, as rows of FAULTS: one for each name and reason, with an example."""
    of = F.struct("topic", "partition", "broker")
    n, samples = F.col("n"), F.col("samples")
    place = F.format_string("%,d samples of %,d series of %s", samples, n, "told_as")
    return (
        rated.where(F.col("reason").isNotNull())
        .groupBy("cluster", "told_as", "reason")
        .agg(F.count(F.lit(1)).alias("samples"), F.countDistinct(of).alias("n"), F.min(of).alias("first"))
        .select(
            "cluster",
            F.lit(WHOLE_SERIES).alias("file"),
            F.lit(None).cast(INT).alias("line"),
            place.alias("place"),
            F.to_json("first").alias("text"),
            "reason",
            F.lit(None).cast(TEXT).alias("unknown"),
            "samples",
        )
    )


def seconds(one: str, other: str) -> Column:
    """From one time to another."""
    return (F.unix_micros(other) - F.unix_micros(one)) / 1e6


def of_bytes() -> Column:
    return F.col("metric").isin(BYTES_IN, BYTES_OUT)


def is_counter(name: Column) -> Column:
    return F.lower(name).isin(list(COUNTERS))
