"""Samples as files tell them, judged one by one: what each is, or why it cannot be used."""

from __future__ import annotations

from functools import reduce

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from equipoise.pipeline.schemas.metrics import (
    BYTES_IN,
    BYTES_OUT,
    GAUGES,
    INFOS,
    NAMES,
    OF_PARTITIONS,
    OF_THE_CLUSTER,
    TOTALS,
)
from equipoise.pipeline.schemas.tables import DOUBLE, INT, LONG, TEXT, TIME

MILLISECONDS_FROM = 1e11
"""Epoch times from here on are milliseconds: as seconds they would be in the year 5138."""
LATEST = 1e14  # milliseconds in the year 5138
TOO_LARGE = 1e18
"""An exabyte, of one partition or one counter: such a sample is a mistake."""
LINK = 1.25e11
"""A terabit a second, in bytes: no broker's links carry more."""
MOST = 2**31 - 1
DATED = r"^\d{4}-\d\d-\d\d"
ZONE = r"(Z|z|[+-]\d\d(:?\d\d)?)$"
TOPIC = r"^[a-zA-Z0-9._-]{1,249}$"
SHOWN = ("time", "metric", "value", "topic", "partition", "broker", "address")
UNKNOWN_METRIC = "no metric of this name is known"
UNKNOWN_ADDRESS = "no broker is known by this address; give it a line in metrics/addresses.csv"
KEY = ("cluster", "named_by")


def judged(told: DataFrame, brokers: DataFrame | None) -> DataFrame:
    """The rows of TOLD, and (cluster, named_by, known_as) of addresses (None: of none), to those of JUDGED.

    ``reason`` is null for a sample that can be used; else ``text`` is the sample as it was told. What only
    tells the address of a broker is no sample and left out.
    """
    named = told.withColumn("named_by", named_by())
    if brokers is None:
        named = named.withColumn("known_as", F.lit(None).cast(DOUBLE))
    else:
        named = named.join(F.broadcast(brokers), on=list(KEY), how="left")
    micros, value, partition = micros_of(F.col("time")), number_of("value"), number_of("partition")
    broker = F.coalesce(number_of("broker"), F.col("known_as"))
    name, topic = F.col("metric"), F.col("topic")
    metric = metric_of(name)
    of_partitions = metric.isin(*OF_PARTITIONS) & ~F.lower(name).isin(*TOTALS)
    rate = F.lower(name).isin([name for name, kind in GAUGES.items() if kind in (BYTES_IN, BYTES_OUT)])
    reasons = [
        (F.col("fault").isNotNull(), F.col("fault")),
        (name.isNull(), "no metric is named"),
        (metric.isNull(), UNKNOWN_METRIC),
        (micros.isNull(), "the time cannot be read"),
        (value.isNull() | F.isnan(value), "the value is no number"),
        (value < 0, "the value is negative"),
        (value >= TOO_LARGE, "the value is too large"),
        (rate & (value > LINK), "more than a terabit a second"),
        (~topic.rlike(TOPIC), "the topic is no topic name"),
        (is_no_id("partition", partition), "the partition is no partition number"),
        (number_of("broker").isNotNull() & is_no_id("broker", broker), "the broker is no broker id"),
        (F.col("named_by").isNotNull() & broker.isNull(), UNKNOWN_ADDRESS),
        (partition.isNotNull() & topic.isNull(), "a partition without a topic"),
        (of_partitions & partition.isNull(), "only a partition can have this metric"),
        (topic.isNull() & broker.isNull(), "neither a topic nor a broker is named"),
    ]
    reason = reduce(lambda so_far, rule: so_far.when(*rule), reasons[1:], F.when(*reasons[0]))
    shown = F.coalesce("text", F.to_json(F.struct(*SHOWN)))
    return named.where(~F.lower(F.coalesce("metric", F.lit(""))).isin(*INFOS)).select(
        "cluster",
        "topic",
        partition.try_cast(INT).alias("partition"),
        broker.try_cast(INT).alias("broker"),
        F.coalesce(name, F.lit("")).alias("told_as"),
        F.timestamp_micros(micros).alias("time"),
        value.alias("value"),
        reason.alias("reason"),
        "file",
        "line",
        "row",
        F.when(reason.isNotNull(), shown).alias("text"),
    )


def named_by() -> Column:
    """How a sample names its broker where it does not give the id; null where it does, or names none.

    Beside what an exporter of the whole cluster tells stands that exporter's address, and no broker's.
    """
    address = F.when(number_of("broker").isNull(), F.coalesce("broker", "address"))
    return F.when(~F.lower(F.coalesce("metric", F.lit(""))).isin(*OF_THE_CLUSTER, *INFOS), address)


def faults(judged: DataFrame) -> DataFrame:
    """What was set aside, as rows of FAULTS: one for each file and reason, with the first of them.

    Samples of a metric that nobody knows are no fault: they are counted, by name.
    """
    unknown = F.when(F.col("reason") == UNKNOWN_METRIC, F.col("told_as"))
    first = F.struct("line", "row", "text")
    n = F.col("samples")
    counted = F.concat(n, F.when(n == 1, " sample").otherwise(" samples"))
    row = F.concat(F.when(n == 1, ", row ").otherwise(", first row "), "at.row")
    return (
        judged.where(F.col("reason").isNotNull())
        .groupBy("cluster", "file", "reason", unknown.alias("unknown"))
        .agg(F.count(F.lit(1)).alias("samples"), F.min(first).alias("at"))
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


def left_out(faults: DataFrame) -> DataFrame:
    """Rows of FAULTS to (cluster, metric, samples) of metrics that nobody knows."""
    unknown = faults.where(F.col("unknown").isNotNull())
    return unknown.groupBy("cluster", F.col("unknown").alias("metric")).agg(F.sum("samples").alias("samples"))


def metric_of(name: Column) -> Column:
    """The metric that a name stands for, null for a name that nobody declared."""
    by_metric: dict[str, list[str]] = {}
    for told_as, metric in NAMES.items():
        by_metric.setdefault(metric, []).append(told_as)
    chosen = [(F.lower(name).isin(names), F.lit(metric)) for metric, names in by_metric.items()]
    return reduce(lambda so_far, rule: so_far.when(*rule), chosen[1:], F.when(*chosen[0]))


def micros_of(text: Column) -> Column:
    """Microseconds since 1970 of epoch seconds or milliseconds, or of an ISO time."""
    epoch = F.trim(text).try_cast(DOUBLE)
    return F.when(epoch.isNotNull(), micros_of_epoch(epoch)).otherwise(micros_of_iso(F.trim(text)))


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
    return F.when(text.rlike(DATED), F.unix_micros(zoned.try_cast(TIME)))


def number_of(column: str) -> Column:
    """A number, null where none is told or what is told is none."""
    return F.trim(F.col(column)).try_cast(DOUBLE)


def is_no_id(column: str, number: Column) -> Column:
    """True where something is told that is no whole number from 0 on."""
    whole = (number >= 0) & (number <= MOST) & (number == F.floor(number))
    return F.col(column).cast(TEXT).isNotNull() & ~F.coalesce(whole, F.lit(False))
