"""Samples as files tell them to the table ``samples``: judged one by one, counters made into rates."""

from __future__ import annotations

from functools import reduce

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F
from pyspark.sql.types import DataType, NumericType, StringType, TimestampNTZType, TimestampType

from equipoise.pipeline.schemas.metrics import COUNTERS, NAMES, OF_PARTITIONS
from equipoise.pipeline.schemas.tables import DOUBLE, INT, LONG, SERIES, TEXT

NOT_JSON = "not json"
"""Column with a line that is no JSON object."""
MILLISECONDS_FROM = 1e11
"""Epoch times from here on are milliseconds: as seconds they would be in the year 5138."""
LATEST = 1e14  # milliseconds in the year 5138
TOO_LARGE = 1e18
"""An exabyte, of one partition or in one second: such a sample is a mistake."""
MOST = 2**31 - 1
DATED = r"^\d{4}-\d\d-\d\d"
SHOWN = ("time", "metric", "value", "topic", "partition", "broker")
ZONE = r"(Z|z|[+-]\d\d(:?\d\d)?)$"


def judged(told: DataFrame) -> DataFrame:
    """(cluster, file, time, metric, value, ...) of any type to (..., told_as, reason, text): one row each.

    ``reason`` is null for a sample that can be used; else ``text`` is the sample as it was told.
    """
    kinds = {field.name: field.dataType for field in told.schema}
    raw = {name: F.col(name) for name in kinds}
    micros = micros_of(raw["time"], kinds["time"])
    value = number_of(raw["value"], kinds["value"])
    topic = filled(raw["topic"].cast(TEXT))
    partition, broker = (number_of(raw[name], kinds[name]) for name in ("partition", "broker"))
    name = filled(raw["metric"].cast(TEXT))
    metric = metric_of(name)
    reasons = [
        (raw[NOT_JSON].isNotNull(), "the line is no JSON object"),
        (name.isNull(), "no metric is named"),
        (metric.isNull(), "no metric of this name is known"),
        (micros.isNull(), "the time cannot be read"),
        (value.isNull() | F.isnan(value), "the value is no number"),
        (value < 0, "the value is negative"),
        (value >= TOO_LARGE, "the value is too large"),
        (is_no_id(raw["partition"], partition), "the partition is no partition number"),
        (is_no_id(raw["broker"], broker), "the broker is no broker id"),
        (partition.isNotNull() & topic.isNull(), "a partition without a topic"),
        (metric.isin(*OF_PARTITIONS) & partition.isNull(), "only a partition can have this metric"),
        (topic.isNull() & broker.isNull(), "neither a topic nor a broker is named"),
    ]
    reason = reduce(lambda so_far, rule: so_far.when(*rule), reasons[1:], F.when(*reasons[0]))
    shown = F.coalesce(raw[NOT_JSON], F.to_json(F.struct(*SHOWN)))
    return told.select(
        "cluster",
        "file",
        topic.alias("topic"),
        partition.try_cast(INT).alias("partition"),
        broker.try_cast(INT).alias("broker"),
        name.alias("told_as"),
        F.timestamp_micros(micros).alias("time"),
        value.alias("value"),
        reason.alias("reason"),
        F.when(reason.isNotNull(), shown).alias("text"),
    )


def samples(good: DataFrame) -> DataFrame:
    """(cluster, topic, partition, broker, told_as, time, value) to the table ``samples``.

    Of several samples of one series at one time the greatest stays. A counter becomes the rate since the
    sample before it: where it fell it was reset, and counted from 0 to what it is. Its first sample gives
    nothing. One sort by series and time serves both steps, and whoever writes or adds up the rows by series.
    """
    in_time = Window.partitionBy(*SERIES).orderBy("time", F.desc("value"))
    before, value = F.col("before"), F.col("value")
    once = (
        good.withColumn("before", F.lag("time").over(in_time))
        .where(before.isNull() | (before < F.col("time")))
        .withColumn("before", F.lag(F.struct("time", "value")).over(in_time))
    )
    seconds = (F.unix_micros("time") - F.unix_micros("before.time")) / 1e6
    increase = F.when(value < before["value"], value).otherwise(value - before["value"])
    told = F.when(is_counter(F.col("told_as")), increase / seconds).otherwise(value)
    rated = once.withColumn("value", told).where(value.isNotNull())
    return rated.select(*SERIES, metric_of(F.col("told_as")).alias("metric"), "time", "value")


def faults(judged: DataFrame) -> DataFrame:
    """What was set aside, as rows of ``quarantine``: one for each file and reason, with one example."""
    return (
        judged.where(F.col("reason").isNotNull())
        .groupBy("cluster", "file", "reason")
        .agg(F.count(F.lit(1)).alias("n"), F.min("text").alias("text"))
        .withColumn("place", F.concat(F.col("n"), F.when(F.col("n") == 1, " sample").otherwise(" samples")))
    )


def metric_of(name: Column) -> Column:
    """The metric that a name stands for, null for a name that nobody declared."""
    by_metric: dict[str, list[str]] = {}
    for told_as, metric in NAMES.items():
        by_metric.setdefault(metric, []).append(told_as)
    chosen = [(name.isin(names), F.lit(metric)) for metric, names in by_metric.items()]
    return reduce(lambda so_far, rule: so_far.when(*rule), chosen[1:], F.when(*chosen[0]))


def is_counter(name: Column) -> Column:
    return name.isin(list(COUNTERS))


def micros_of(time: Column, kind: DataType) -> Column:
    """Microseconds since 1970 of a time stamp, of epoch seconds or milliseconds, or of an ISO time."""
    if isinstance(kind, TimestampType | TimestampNTZType):
        return F.unix_micros(time.cast(TimestampType()))
    if isinstance(kind, NumericType):
        return micros_of_epoch(time.cast(DOUBLE))
    epoch = number_of(time, kind)
    return F.when(epoch.isNotNull(), micros_of_epoch(epoch)).otherwise(micros_of_iso(F.trim(time)))


def micros_of_epoch(epoch: Column) -> Column:
    seconds = F.when(epoch < MILLISECONDS_FROM, epoch).otherwise(epoch / 1e3)
    return F.when((epoch >= 0) & (epoch < LATEST), F.round(seconds * 1e6).cast(LONG))


def micros_of_iso(text: Column) -> Column:
    """A time without a zone is UTC. Spark takes a bare time of day too, for today's: that is none here."""
    zoned = (
        F.when(F.length(text) == 10, F.concat(text, F.lit("T00:00:00Z")))
        .when(F.substring(text, 11, 40).rlike(ZONE), text)
        .otherwise(F.concat(text, F.lit("Z")))
    )
    return F.when(text.rlike(DATED), F.unix_micros(zoned.try_cast(TimestampType())))


def number_of(told: Column, kind: DataType) -> Column:
    """A number, null where none is told or what is told is none."""
    return F.trim(told).try_cast(DOUBLE) if isinstance(kind, StringType) else told.cast(DOUBLE)


def filled(text: Column) -> Column:
    """Text, null where it is empty."""
    return F.nullif(text, F.lit(""))


def is_no_id(told: Column, number: Column) -> Column:
    """True where something is told that is no whole number from 0 on."""
    whole = (number >= 0) & (number <= MOST) & (number == F.floor(number))
    return filled(told.cast(TEXT)).isNotNull() & ~F.coalesce(whole, F.lit(False))
