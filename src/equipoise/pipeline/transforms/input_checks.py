"""What should be looked at in the state and the metrics of a cluster: rows of ``checks`` with a subject."""

from __future__ import annotations

from functools import reduce

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from equipoise.pipeline.schemas.tables import PER_PARTITION

SEGMENT = 1 << 30
"""Bytes of a log segment, where nobody sets another size: replicas delete whole ones, each in its time."""
LESS = 0.9
"""What a replica holds at least of the largest one that it is a copy of, where it follows."""
OFTEN = 3
"""A gap is a time without samples of more than so many usual ones, and so far apart clocks are seen."""
ERROR, WARNING, NOTE = "error", "warning", "note"
PER_BROKER = ("cluster", "broker")


def input_checks(partitions: DataFrame, replicas: DataFrame, samples: DataFrame) -> DataFrame:
    """The tables to rows of ``checks``: one for each subject that a check does not pass."""
    times = broker_times(samples)
    found = [sizes(replicas), out_of_sync(partitions), in_flight(partitions)]
    found += [silent(partitions, times), *of_times(times)]
    return reduce(DataFrame.unionByName, found)


def row(
    check: str, subject: Column, severity: Column | str, figure: Column, *detail: Column | str
) -> list[Column]:
    """The columns of a check that is not passed."""
    said = F.concat(*(F.lit(part) if isinstance(part, str) else part for part in detail))
    return [
        F.col("cluster"),
        F.lit(check).alias("check"),
        subject.alias("subject"),
        (F.lit(severity) if isinstance(severity, str) else severity).alias("severity"),
        F.lit(False).alias("passed"),
        figure.cast("double").alias("value"),
        said.alias("detail"),
    ]


def partition_name() -> Column:
    return F.concat("topic", F.lit("-"), "partition")


def broker_name() -> Column:
    return F.coalesce(F.concat(F.lit("broker "), "broker"), F.lit("no broker named"))


def sizes(replicas: DataFrame) -> DataFrame:
    """Partitions of which the log dirs tell sizes that are too far apart for copies of one log."""
    seen = replicas.where(F.col("log_dir").isNotNull() & F.col("size_bytes").isNotNull())
    apart = F.col("greatest") - F.col("least")
    return (
        seen.groupBy(*PER_PARTITION)
        .agg(F.min("size_bytes").alias("least"), F.max("size_bytes").alias("greatest"))
        .where(F.col("least") < F.col("greatest") * LESS)
        .select(
            *row(
                "replica_sizes", partition_name(), F.when(apart > SEGMENT, WARNING).otherwise(NOTE), apart,
                F.format_string("replicas hold from %,d to %,d bytes", "least", "greatest"),
            )
        )
    )  # fmt: skip


def out_of_sync(partitions: DataFrame) -> DataFrame:
    """Partitions with replicas that are not in sync: an error where too few are for a write to be taken."""
    out = F.array_except("replicas", "isr")
    few = F.size("isr") < F.greatest(F.coalesce("min_isr", F.lit(1)), F.lit(1))
    ids = F.array_join(F.sort_array(out).cast("array<string>"), ", ")
    return partitions.where(F.col("isr").isNotNull() & (F.size(out) > 0)).select(
        *row(
            "replicas_out_of_sync", partition_name(), F.when(few, ERROR).otherwise(WARNING), F.size(out),
            "not in sync on ", ids, F.when(few, ": fewer than min.insync.replicas are").otherwise(""),
        )
    )  # fmt: skip


def in_flight(partitions: DataFrame) -> DataFrame:
    """Partitions that are being reassigned."""
    adding, removing = (F.coalesce(name, F.array().cast("array<int>")) for name in ("adding", "removing"))

    def told(ids: Column) -> Column:
        return F.array_join(ids.cast("array<string>"), ", ")

    return partitions.where((F.size(adding) > 0) | (F.size(removing) > 0)).select(
        *row(
            "in_flight", partition_name(), NOTE, F.size(adding),
            "a reassignment adds [", told(adding), "] and removes [", told(removing), "]",
        )
    )  # fmt: skip


def broker_times(samples: DataFrame) -> DataFrame:
    """(cluster, broker, n, oldest, newest, usual, longest): seconds since 1970, and between samples."""
    at = F.unix_micros("time") / 1e6
    of_names = samples.groupBy(*PER_BROKER, "told_as").agg(
        F.count(F.lit(1)).alias("n"),
        F.min(at).alias("oldest"),
        F.max(at).alias("newest"),
        F.expr("percentile(cast(round(seconds) as bigint), 0.5)").alias("usual"),  # whole: they are few
        F.max("seconds").alias("longest"),
    )
    return of_names.groupBy(*PER_BROKER).agg(
        F.sum("n").alias("n"),
        F.min("oldest").alias("oldest"),
        F.max("newest").alias("newest"),
        F.max("usual").alias("usual"),
        F.max(F.when(F.col("longest") > OFTEN * F.col("usual"), F.col("longest"))).alias("gap"),
    )


def silent(partitions: DataFrame, times: DataFrame) -> DataFrame:
    """Brokers with replicas of which there is no sample, in clusters whose samples name any broker."""
    named = times.where(F.col("broker").isNotNull())
    some = named.select("cluster").distinct()
    held = partitions.select("cluster", F.explode("replicas").alias("broker")).distinct()
    told = held.join(F.broadcast(some), on="cluster", how="left_semi")
    return told.join(named, on=list(PER_BROKER), how="left_anti").select(
        *row("brokers_without_metrics", broker_name(), WARNING, F.lit(0), "no sample names this broker")
    )


def of_times(times: DataFrame) -> list[DataFrame]:
    """Clocks that are apart from those of the other brokers, and times without samples.

    The clock of a broker runs ahead where its newest sample is later than that of most others; it is behind
    where its oldest is earlier too, else the broker has fallen silent.
    """
    median = "percentile_disc(0.5) within group (order by {})"
    usual = times.groupBy("cluster").agg(
        *(F.expr(median.format(name)).alias(f"most_{name}") for name in ("oldest", "newest", "usual"))
    )
    far = F.greatest(F.col("most_usual"), F.col("usual")) * OFTEN
    early, late = F.col("oldest") - F.col("most_oldest"), F.col("newest") - F.col("most_newest")
    told = times.join(F.broadcast(usual), on="cluster")
    is_ahead, is_behind = late > far, (late < -far) & (early < -far)
    clocks = told.where(is_ahead | is_behind).select(
        *row(
            "clocks_apart", broker_name(), WARNING, late,
            F.format_string("its newest sample is %,.0f seconds ", F.abs(late)),
            F.when(late > 0, "ahead of").otherwise("behind"), " those of the other brokers",
        )
    )  # fmt: skip
    is_silent = (late < -far) & ~is_behind
    longest = F.greatest(F.coalesce("gap", F.lit(0.0)), F.when(is_silent, -late).otherwise(0.0))
    gaps = told.where(longest > 0).select(
        *row(
            "gaps", broker_name(), WARNING, longest,
            F.format_string("no sample for %,.0f seconds", longest),
            F.when(is_silent, ", and none since").otherwise(""),
            F.format_string("; they come every %,.0f seconds", "usual"),
        )
    )  # fmt: skip
    return [clocks, gaps]
