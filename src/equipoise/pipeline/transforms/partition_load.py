"""The load of every partition, each figure from the best source that there is."""

from __future__ import annotations

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F

from equipoise.pipeline.schemas.metrics import BYTES_IN, BYTES_OUT, OFFSETS, SIZE
from equipoise.pipeline.schemas.tables import DOUBLE, EXACT, PER_PARTITION
from equipoise.pipeline.transforms.figures import best_of, figures_of, nine_digits

RATES = (BYTES_IN, BYTES_OUT)
PER_TOPIC = ("cluster", "topic")


def partition_load(partitions: DataFrame, series: DataFrame | None) -> DataFrame:
    """The table ``partitions`` and the figures of all series, None for no series, to ``partition_load``.

    In this order: samples of the partition itself; a size or rate that another file of the cluster tells,
    which is one sample; its part of what its topic's leader, or its topic, tells; for bytes in, what size and
    retention say; unknown.
    """
    told = partitions if series is None else with_series(partitions, series)
    own = set(told.columns)

    def first_known(metric: str, *others: Column) -> Column:
        of_samples = [F.col(f"own_{metric}")] if f"own_{metric}" in own else []
        shares = [*parts(metric)] if f"leaders_{metric}" in own else []
        if metric == SIZE and series is not None:
            shares = [part(f"topics_{SIZE}", "by_replica")]
        return F.coalesce(*of_samples, told_once(metric), *shares, *others)

    size, unknown = first_known(SIZE), figures_of("unknown")
    return told.select(
        *PER_PARTITION,
        F.coalesce(size, unknown).alias("disk_bytes"),
        first_known(BYTES_IN, from_retention(size["mean"]), unknown).alias(BYTES_IN),
        first_known(BYTES_OUT, unknown).alias(BYTES_OUT),
    )


def with_series(partitions: DataFrame, series: DataFrame) -> DataFrame:
    """The table with own_METRIC, leaders_RATE, topics_METRIC, and shares by_leader, by_topic, by_replica."""
    return (
        partitions.join(measured(partitions, series), on=list(PER_PARTITION), how="left")
        .withColumns({"by_leader": share("leader"), "by_topic": share(), "by_replica": of_replicas()})
        .join(on_leaders(series), on=[*PER_TOPIC, "leader"], how="left")
        .join(of_whole_topics(series), on=list(PER_TOPIC), how="left")
    )


def measured(partitions: DataFrame, series: DataFrame) -> DataFrame:
    """(cluster, topic, partition, own_METRIC...): the figures of the partition's own samples.

    Of the series that several brokers tell of it, that of its leader counts; without one, that of no named
    broker, then the one with the most samples. Series are never mixed: each broker counts for itself.
    """
    of_partitions = series.where(F.col("partition").isNotNull())
    leaders = partitions.select(*PER_PARTITION, "leader")
    order = F.struct(
        ~F.col("broker").eqNullSafe(F.col("leader")),
        F.col("broker").isNotNull(),
        -F.col("figures.samples"),
        F.col("broker"),
        F.col("told_as"),
    )
    of_known = of_partitions.join(leaders, on=list(PER_PARTITION), how="inner")
    return best_of(of_known, PER_PARTITION, (SIZE, *RATES, OFFSETS), "own", order)


def on_leaders(series: DataFrame) -> DataFrame:
    """(cluster, topic, leader, leaders_RATE...): what each broker tells of the partitions that it leads."""
    told = of_topics(series).where(F.col("broker").isNotNull()).withColumnRenamed("broker", "leader")
    return best_of(told, (*PER_TOPIC, "leader"), RATES, "leaders")


def of_whole_topics(series: DataFrame) -> DataFrame:
    """(cluster, topic, topics_METRIC...): what is told of a topic as a whole; sizes with all its replicas."""
    told = of_topics(series).where(F.col("broker").isNull())
    return best_of(told, PER_TOPIC, (SIZE, *RATES), "topics")


def of_topics(series: DataFrame) -> DataFrame:
    return series.where(F.col("topic").isNotNull() & F.col("partition").isNull())


def share(*of: str) -> Column:
    """A partition's share of its topic (on its leader): by the offsets that it gains, else an even one.

    Even too where the offsets of one of them are unknown, or none gains any.
    """
    together = Window.partitionBy(*PER_TOPIC, *of)
    offsets = F.col(f"own_{OFFSETS}.mean")
    gained = F.sum(offsets.try_cast(EXACT)).over(together).cast(DOUBLE)
    n = F.count(F.lit(1)).over(together)
    by_offsets = (F.count(offsets).over(together) == n) & (gained > 0)
    return F.struct(
        F.when(by_offsets, F.try_divide(offsets, gained)).otherwise(1 / n).alias("part"),
        F.when(by_offsets, "split by offsets").otherwise("split evenly").alias("source"),
    )


def of_replicas() -> Column:
    """What one replica is of all those of its topic."""
    n = F.sum("replication_factor").over(Window.partitionBy(*PER_TOPIC))
    return F.struct((1 / n).alias("part"), F.lit("split evenly").alias("source"))


def parts(rate: str) -> tuple[Column, Column]:
    """A partition's share of what its leader tells of the topic, and of what is told of the whole topic."""
    return part(f"leaders_{rate}", "by_leader"), part(f"topics_{rate}", "by_topic")


def part(figures: str, by: str) -> Column:
    names = ("mean", "p95", "peak", "growth_per_day", "growth_error")
    scaled = {name: nine_digits(F.col(figures)[name] * F.col(by)["part"]) for name in names}
    split = figures_of(F.col(by)["source"], samples=F.col(figures)["samples"], **scaled)
    return F.when(F.col(figures).isNotNull(), split)


def told_once(metric: str) -> Column:
    """What another file tells: a series of one sample."""
    figure = F.col(metric).cast(DOUBLE)
    once = figures_of("measured", mean=figure, p95=figure, peak=figure, samples=1)
    return F.when(figure.isNotNull(), once)


def from_retention(size: Column) -> Column:
    """Bytes in of a partition that deletes by age: what it holds came within its retention.

    One that is as large as ``retention.bytes`` lets it be deletes by size, and tells nothing.

    Constraint Based Kafka Partition Balancing, section "Objectives".
    """
    retention, at_limit = F.col("retention_s"), size >= F.col("retention_bytes")
    bounded = size.isNotNull() & (retention > 0) & (retention < float("inf"))
    bounded &= ~F.coalesce(at_limit, F.lit(False))
    return F.when(bounded, figures_of("from retention", mean=nine_digits(size / retention)))
