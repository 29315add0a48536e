"""The seven checks of Wix Engineering, "4 steps for kafka rebalance", step IV, over a whole fleet at once.

The judge has the same checks for one cluster in memory (:mod:`equipoise.judge.checks`); here Spark computes
them from the tables, for a fleet of any size, and neither takes the other's word.
"""

from __future__ import annotations

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from equipoise.pipeline.schemas.tables import PER_PARTITION

MOST_CHANGES = 1
"""Changes that a partition may have."""
MOST_DEVIATION_PCT = 15.0
"""Deviation from the median that a broker may have; one more or less than the median always passes."""
PER_BROKER = ["cluster", "broker"]


def seven_checks(
    planned: DataFrame, brokers: DataFrame, partitions: DataFrame, moves: DataFrame
) -> DataFrame:
    """The tables to rows of ``checks``: seven for each cluster in ``planned``."""
    figures = (
        planned.select("cluster")
        .join(broker_figures(brokers, partitions, moves), on="cluster", how="left")
        .join(topic_figures(partitions), on="cluster", how="left")
        .join(move_figures(moves), on="cluster", how="left")
        .fillna(0)
    )
    return figures.select("cluster", F.inline(F.array(*verdicts())))


def verdicts() -> list[Column]:
    """The checks of a cluster as structs, in the order of the text."""
    over, worst, outside = F.col("over"), F.col("worst_change"), F.col("outside")
    ids = F.array_join(F.sort_array(outside).cast("array<string>"), ", ")
    return [
        verdict(
            "changes_in_assignment",
            over == 0,
            worst,
            F.concat(
                F.lit("at most "),
                counted(worst, "replica"),
                F.lit(" of a partition change; "),
                counted(over, "partition changes", "partitions change"),
                F.lit(" too many"),
            ),
        ),
        level("topics_are_balanced", "replica"),
        verdict(
            "brokers_to_reduce",
            F.col("strangers") == 0,
            F.col("reduced"),
            F.format_string("brokers that give replicas away: %d of %d", "reduced", "listed"),
        ),
        verdict(
            "brokers_in_assign_files",
            F.size(outside) == 0,
            F.col("replicas_outside"),
            F.concat(
                counted(F.col("replicas_outside"), "replica"),
                F.lit(" on brokers outside the list"),
                F.when(F.size(outside) > 0, F.concat(F.lit(" ("), ids, F.lit(")"))).otherwise(""),
            ),
        ),
        not_empty("topic_list_not_empty", "topic"),
        not_empty("brokers_list_not_empty", "broker"),
        level("leadership_balance", "leader"),
    ]


def counted(count: Column, noun: str, more: str | None = None) -> Column:
    """``1 replica``, ``11,005 replicas``: `equipoise.wording.plural` in Spark."""
    return F.concat(
        F.format_string("%,d ", count), F.when(count == 1, noun).otherwise(more or f"{noun}s")
    )


def verdict(check: str, passed: Column, value: Column, detail: Column) -> Column:
    return F.struct(
        F.lit(check).alias("check"),
        F.lit(None).cast("string").alias("subject"),
        F.when(~passed, "warning").alias("severity"),
        passed.alias("passed"),
        value.cast("double").alias("value"),
        detail.alias("detail"),
    )


def not_empty(check: str, noun: str) -> Column:
    count = F.col(f"{noun}s")
    return verdict(check, count > 0, count, counted(count, noun))


def level(check: str, noun: str) -> Column:
    """No eligible broker deviates too far from the median: judged on the farthest, the first of equals."""
    what = f"{noun}s"
    median = F.col(f"median_{what}")
    farthest = F.array_max(
        F.transform(
            "held",
            lambda row: F.struct(
                F.abs(row[what] - median).alias("away"),
                (-row["broker"]).alias("before"),
                row[what].alias("has"),
            ),
        )
    )
    pct = F.round(100 * farthest["away"] / F.greatest(median, F.lit(1.0)), 3)
    as_told = F.when(median == F.floor(median), median.cast("long").cast("string")).otherwise(
        median.cast("string")
    )
    return verdict(
        check,
        (pct <= MOST_DEVIATION_PCT) | (farthest["away"] <= 1),
        pct,
        F.concat(
            F.format_string("broker %d has ", -farthest["before"]),
            counted(farthest["has"], noun),
            F.format_string(", the median is %s", as_told),
        ),
    )


def migrated(partitions: DataFrame, moves: DataFrame) -> DataFrame:
    """(cluster, topic, partition, after): every replica list once the plans are carried out."""
    changed = moves.select(*PER_PARTITION, "after")
    return partitions.join(changed, on=list(PER_PARTITION), how="full").select(
        *PER_PARTITION, F.coalesce("after", "replicas").alias("after")
    )


def broker_figures(brokers: DataFrame, partitions: DataFrame, moves: DataFrame) -> DataFrame:
    """One row a cluster: what its brokers hold afterwards, medians, strangers among them.

    ``held`` has (broker, replicas, leaders) of each eligible broker, ``outside`` the brokers that hold
    replicas and may not; ``reduced`` counts those that give replicas away, ``strangers`` those of them that
    no list has.
    """
    used = migrated(partitions, moves).select("cluster", F.posexplode("after").alias("position", "broker"))
    held = used.groupBy(*PER_BROKER).agg(
        F.count(F.lit(1)).alias("replicas"), F.count_if(F.col("position") == 0).alias("leaders")
    )
    reduced = moves.select("cluster", F.explode(F.array_except("before", "after")).alias("broker")).distinct()
    table = (
        brokers.select(*PER_BROKER, "eligible", F.lit(True).alias("listed"))
        .join(held, on=PER_BROKER, how="full")
        .join(reduced.withColumn("reduced", F.lit(True)), on=PER_BROKER, how="full")
        .fillna(0, ["replicas", "leaders"])
        .fillna(False, ["eligible", "listed", "reduced"])
    )
    is_in, is_outside = F.col("eligible"), ~F.col("eligible") & (F.col("replicas") > 0)
    return table.groupBy("cluster").agg(
        F.count_if(is_in).alias("brokers"),
        F.count_if("listed").alias("listed"),
        F.collect_list(F.when(is_in, F.struct("broker", "replicas", "leaders"))).alias("held"),
        F.median(F.when(is_in, F.col("replicas"))).alias("median_replicas"),
        F.median(F.when(is_in, F.col("leaders"))).alias("median_leaders"),
        F.collect_list(F.when(is_outside, F.col("broker"))).alias("outside"),
        F.sum(F.when(is_outside, F.col("replicas")).otherwise(0)).alias("replicas_outside"),
        F.count_if("reduced").alias("reduced"),
        F.count_if(F.col("reduced") & ~F.col("listed")).alias("strangers"),
    )


def topic_figures(partitions: DataFrame) -> DataFrame:
    """(cluster, topics)."""
    return partitions.groupBy("cluster").agg(F.countDistinct("topic").alias("topics"))


def move_figures(moves: DataFrame) -> DataFrame:
    """(cluster, worst_change, over): most brokers exchanged in one partition; partitions with too many."""
    change = F.greatest(F.size(F.array_except("after", "before")), F.size(F.array_except("before", "after")))
    return moves.groupBy("cluster").agg(
        F.max(change).alias("worst_change"), F.count_if(change > MOST_CHANGES).alias("over")
    )
