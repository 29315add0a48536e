"""When disks are full, as things stand and once the plans are carried out."""

from __future__ import annotations

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F

from equipoise.pipeline.schemas.tables import EXACT, PER_PARTITION
from equipoise.pipeline.transforms.checks import migrated
from equipoise.pipeline.transforms.figures import nine_digits

PER_BROKER = ("cluster", "broker")
PER_DIR = (*PER_BROKER, "log_dir")
NEVER = float("inf")
ERRORS = 2
"""So many standard errors the growth may be off, both ways: 19 times out of 20 where errors are normal."""


def disk_days(
    brokers: DataFrame, dirs: DataFrame, partitions: DataFrame, replicas: DataFrame, moves: DataFrame,
    placed: DataFrame, load: DataFrame,
) -> DataFrame:
    """The tables, and (cluster, broker, log_dir, total_bytes) of log dirs, to the table ``disk_days``.

    ``placed`` has (cluster, topic, partition, broker, log_dir) of replicas that a plan puts into a dir. There
    is a row for each broker, with no log dir, and for each log dir that is known. What is to be of a dir is
    known where no replica comes to its broker that is left to Kafka.
    """
    sized = partitions.select(*PER_PARTITION, "size_bytes").join(
        load.select(*PER_PARTITION, "disk_bytes"), on=list(PER_PARTITION), how="left"
    )
    size = F.coalesce(F.col("size_bytes").cast("double"), F.col("disk_bytes.peak"))
    growths = sized.select(
        *PER_PARTITION, size.alias("size"),
        F.col("disk_bytes.growth_per_day").alias("growth"), F.col("disk_bytes.growth_error").alias("error"),
    )  # fmt: skip
    own = replicas.select(*PER_PARTITION, "broker", "log_dir", F.col("size_bytes").alias("own"))
    after = migrated(partitions, moves).select(*PER_PARTITION, F.explode("after").alias("broker"))
    both = (
        own.withColumn("was", F.lit(True))
        .join(after.withColumn("is_to_be", F.lit(True)), on=[*PER_PARTITION, "broker"], how="full")
        .join(growths, on=list(PER_PARTITION), how="left")
        .withColumn("bytes", F.coalesce(F.col("own").cast("double"), "size"))
        .fillna(False, ["was", "is_to_be"])
    )
    of_brokers = both.groupBy(*PER_BROKER).agg(*sides())
    of_dirs = by_dir(both, placed).groupBy(*PER_DIR).agg(*sides(), F.max("is_open").alias("is_open"))
    of_dirs = of_dirs.withColumn("after", F.when(~F.col("is_open"), F.col("after")))
    nothing = F.struct(F.lit(0.0).alias("bytes"), F.lit(0.0).alias("growth"), F.lit(0.0).alias("error"))
    whole = brokers.select(*PER_BROKER, F.col("disk_bytes").alias("capacity")).join(
        of_brokers, on=list(PER_BROKER), how="left"
    )
    whole = whole.select(
        *PER_BROKER, F.lit(None).cast("string").alias("log_dir"), "capacity",
        *(F.coalesce(side, nothing).alias(side) for side in ("before", "after")),
    )  # fmt: skip
    parts = dirs.select(*PER_DIR, F.col("total_bytes").alias("capacity")).join(
        of_dirs, on=list(PER_DIR), how="inner"
    )
    rows = whole.unionByName(parts.select(*whole.columns))
    return rows.select(
        *PER_DIR,
        F.col("capacity").alias("capacity_bytes"),
        *(F.when(F.col(side).isNotNull(), outlook(F.col(side))).alias(side) for side in ("before", "after")),
    )


def by_dir(replicas: DataFrame, placed: DataFrame) -> DataFrame:
    """Each replica in the dir where it was and in the one where it is to be, as far as they are known.

    ``is_open``: a replica comes to the broker, and no plan says into which of its dirs.
    """
    to = placed.withColumnRenamed("log_dir", "to")
    both = replicas.join(to, on=[*PER_PARTITION, "broker"], how="left")
    left = F.col("is_to_be") & ~F.col("was") & F.col("to").isNull()
    places = F.array(
        F.struct(F.col("log_dir"), F.col("was"), F.lit(False).alias("is_to_be")),
        F.struct(F.coalesce("to", "log_dir").alias("log_dir"), F.lit(False).alias("was"), F.col("is_to_be")),
    )
    return (
        both.withColumn("is_open", F.max(left).over(Window.partitionBy(*PER_BROKER)))
        .select(*PER_BROKER, "bytes", "growth", "error", "is_open", F.explode(places).alias("place"))
        .select(*PER_BROKER, "bytes", "growth", "error", "is_open", "place.*")
        .where("log_dir is not null and (was or is_to_be)")
    )


def sides() -> list[Column]:
    """The sums of what is there, and of what is to be there."""
    return [
        F.struct(*(summed(name, of) for name in ("bytes", "growth", "error"))).alias(side)
        for side, of in (("before", "was"), ("after", "is_to_be"))
    ]


def summed(name: str, of: str) -> Column:
    """The sum over replicas of which ``of`` is true; null where one of them is not known.

    Errors are added up as if all growths were off the same way: the rhythm of a week is that of all topics.
    """
    counted, known = F.count_if(of), F.count(F.when(F.col(of), F.col(name)))
    total = F.sum(F.when(F.col(of), F.col(name).try_cast(EXACT)))
    return F.when(counted == 0, 0.0).when(counted == known, nine_digits(total)).alias(name)


def outlook(side: Column) -> Column:
    """The struct of one side: what is held, how it grows, and the days until that is the capacity."""
    free = F.greatest(F.col("capacity") - side["bytes"], F.lit(0.0))
    slack = ERRORS * side["error"]

    def days(growth: Column) -> Column:
        until = F.when(growth > 0, nine_digits(free / growth)).otherwise(NEVER)
        return F.when(free.isNotNull() & growth.isNotNull(), until)

    return F.struct(
        side["bytes"].alias("bytes"),
        side["growth"].alias("growth_per_day"),
        side["error"].alias("growth_error"),
        days(side["growth"]).alias("days"),
        days(side["growth"] + slack).alias("days_at_least"),
        days(side["growth"] - slack).alias("days_at_most"),
    )
