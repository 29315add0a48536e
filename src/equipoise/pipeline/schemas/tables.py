"""The tables of ``OUT/tables``: names, columns, types and keys."""

from __future__ import annotations

from dataclasses import dataclass

from pyspark.sql.types import (
    ArrayType,
    BooleanType,
    DataType,
    DecimalType,
    DoubleType,
    IntegerType,
    LongType,
    MapType,
    StringType,
    StructField,
    StructType,
    TimestampType,
)

TEXT, INT, LONG, DOUBLE, FLAG = StringType(), IntegerType(), LongType(), DoubleType(), BooleanType()
TIME = TimestampType()
EXACT = DecimalType(28, 10)
"""What is summed over many rows: such sums are the same in any order."""
IDS = ArrayType(INT, containsNull=False)
TEXTS = ArrayType(TEXT, containsNull=False)


def must(name: str, kind: DataType) -> StructField:
    """A column that always has a value."""
    return StructField(name, kind, nullable=False)


def may(name: str, kind: DataType) -> StructField:
    """A column that is null where nothing is known."""
    return StructField(name, kind, nullable=True)


CLUSTER = must("cluster", TEXT)
PARTITION = (CLUSTER, must("topic", TEXT), must("partition", INT))

BROKERS = StructType(
    [
        CLUSTER,
        must("broker", INT),
        may("rack", TEXT),
        may("disk_bytes", DOUBLE),
        may("bytes_in_per_s", DOUBLE),
        may("bytes_out_per_s", DOUBLE),
        must("weight", DOUBLE),
        must("eligible", FLAG),  # may hold replicas once the plan is carried out
        may("is_up", FLAG),
    ]
)
PARTITIONS = StructType(
    [
        *PARTITION,
        must("replication_factor", INT),
        must("replicas", IDS),
        may("leader", INT),
        may("isr", IDS),  # null where no source tells it
        may("adding", IDS),
        may("removing", IDS),  # of a reassignment in flight
        may("size_bytes", LONG),
        may("bytes_in_per_s", DOUBLE),
        may("bytes_out_per_s", DOUBLE),
        may("min_isr", INT),
        may("retention_s", DOUBLE),  # infinite where age is not what deletes
        may("retention_bytes", DOUBLE),
    ]
)
REPLICAS = StructType(
    [
        *PARTITION,
        must("position", INT),
        must("broker", INT),
        may("log_dir", TEXT),
        may("size_bytes", LONG),
    ]
)
MOVES = StructType(
    [
        *PARTITION,
        must("before", IDS),
        must("after", IDS),
        must("data_moves", INT),
        must("leadership_changed", FLAG),
        may("bytes", LONG),
        must("why", TEXT),
    ]
)
PER_BROKER = MapType(INT, LONG, valueContainsNull=False)
SIDE = StructType(
    [
        # least and greatest over the brokers in use
        must("replicas_min", LONG),
        must("replicas_max", LONG),
        must("leaders_min", LONG),
        must("leaders_max", LONG),
        must("replicas_per_broker", PER_BROKER),
        must("leaders_per_broker", PER_BROKER),
        may("rack_violations", LONG),
        must("worst_leaders_after_one_failure", LONG),
    ]
)
LEVEL = StructType(
    [
        must("goal", TEXT),
        may("value", DOUBLE),  # null, as the two below, where the sources do not tell what is counted
        may("lower_bound", DOUBLE),
        may("gap", DOUBLE),
        must("proof", TEXT),
    ]
)
USED_LOAD = StructType(
    [
        must("figure", TEXT),  # size_bytes, bytes_in_per_s, bytes_out_per_s
        must("statistic", TEXT),  # mean, p95, peak; as told by a file of the cluster
        must("source", TEXT),  # those of partition_load; a file of the cluster
        must("partitions", LONG),
    ]
)
PLAN_SUMMARY = StructType(
    [
        CLUSTER,
        must("outcome", TEXT),  # planned, impossible, set aside
        may("reason", TEXT),
        may("strategy", TEXT),
        may("fingerprint", TEXT),
        must("missing", TEXTS),
        must("warnings", TEXTS),
        may("goals", TEXTS),  # those that were asked for by name
        must("partial", FLAG),  # a part of the cluster was planned
        may("not_alive", IDS),  # brokers that receive nothing and come to lead nothing
        may("without_leader", LONG),  # partitions, as the next two: null where no source tells the ISR
        may("under_replicated", LONG),
        may("under_min_isr", LONG),
        may("cannot_move", LONG),
        may("brokers", LONG),
        may("topics", LONG),
        may("partitions", LONG),
        may("replicas", LONG),
        may("data_moves", LONG),
        may("bytes_moved", LONG),
        may("leadership_changes", LONG),
        may("partitions_changed", LONG),
        may("before", SIDE),
        may("after", SIDE),
        must("certificate", ArrayType(LEVEL, containsNull=False)),
        # which figures it was planned with; none where the cluster has no samples
        must("loads", ArrayType(USED_LOAD, containsNull=False)),
    ]
)
QUARANTINE = StructType(
    [
        CLUSTER,
        may("file", TEXT),  # null where the cluster as a whole was set aside
        may("line", INT),
        may("place", TEXT),
        may("text", TEXT),
        must("reason", TEXT),
    ]
)
SEVERITIES = ("error", "warning", "note")
"""Of findings, the worst first."""
CHECKS = StructType(
    [
        CLUSTER,
        must("check", TEXT),
        may("subject", TEXT),  # a partition or a broker; null for the whole cluster
        may("severity", TEXT),  # error, warning, note; null where it is passed
        must("passed", FLAG),
        must("value", DOUBLE),
        must("detail", TEXT),
    ]
)
SAMPLES = StructType(
    [
        CLUSTER,
        may("topic", TEXT),  # null for what a broker tells of all its topics
        may("partition", INT),  # null for what is told of a whole topic
        may("broker", INT),  # null where nobody says who measured
        must("told_as", TEXT),  # the name of the metric as the file has it
        must("time", TIME),
        must("metric", TEXT),  # size_bytes, bytes_in_per_s, bytes_out_per_s, offsets_per_s
        must("value", DOUBLE),
        may("seconds", DOUBLE),  # the time that it stands for; null for the only sample of a gauge
    ]
)
FIGURES = StructType(
    [
        # bytes, or bytes a second
        may("mean", DOUBLE),
        may("p95", DOUBLE),
        may("peak", DOUBLE),
        may("growth_per_day", DOUBLE),
        may("growth_error", DOUBLE),  # its standard error
        must("samples", LONG),
        must("source", TEXT),  # measured, split by offsets, split evenly, from retention, unknown
    ]
)
PARTITION_LOAD = StructType(
    [
        *PARTITION,
        must("disk_bytes", FIGURES),
        must("bytes_in_per_s", FIGURES),
        must("bytes_out_per_s", FIGURES),
    ]
)
BROKER_FIGURES = StructType(
    [
        *FIGURES.fields[:-1],
        must("unknown", LONG),  # replicas of which nothing is known, and which the sum leaves out
        must("source", TEXT),  # measured, summed, unknown
    ]
)
BROKER_LOAD = StructType(
    [
        CLUSTER,
        must("broker", INT),
        must("disk_bytes", BROKER_FIGURES),
        must("leader_bytes_in_per_s", BROKER_FIGURES),
        must("follower_bytes_in_per_s", BROKER_FIGURES),
        must("bytes_out_per_s", BROKER_FIGURES),
    ]
)
BUSIEST_HOUR = StructType(
    [
        CLUSTER,
        must("metric", TEXT),  # bytes_in_per_s, bytes_out_per_s
        must("hour", TIME),  # when it began
        must("mean", DOUBLE),  # bytes a second in it
        must("usual", DOUBLE),  # mean of all hours
        must("of", TEXT),  # what was added up: brokers, topics, partitions
    ]
)
OUTLOOK = StructType(
    [
        # null where not known; days infinite where nothing grows
        may("bytes", DOUBLE),
        may("growth_per_day", DOUBLE),
        may("growth_error", DOUBLE),
        may("days", DOUBLE),  # until the disk is full
        may("days_at_least", DOUBLE),  # at the fastest growth that is likely
        may("days_at_most", DOUBLE),
    ]
)
DISK_DAYS = StructType(
    [
        CLUSTER,
        must("broker", INT),
        may("log_dir", TEXT),  # null for all of the broker's disks
        may("capacity_bytes", DOUBLE),
        must("before", OUTLOOK),
        may("after", OUTLOOK),  # once the plan is carried out; null where nobody knows which dir gets what
    ]
)
LEFT_OUT = StructType(
    [
        CLUSTER,
        must("metric", TEXT),  # as the files have it
        must("samples", LONG),
    ]
)
BUDGET = StructType(
    [
        CLUSTER,
        may("goal", TEXT),  # whose level counts; null where budgets of bytes buy nothing
        may("wanted_bytes", LONG),  # what its plan copies without a budget; null where sizes are not known
        must("max_bytes", LONG),  # its part of max-bytes-total
        may("level_before", DOUBLE),  # with the least budget that has a plan
        may("level", DOUBLE),  # of its plan
        may("lower_bound", DOUBLE),  # no plan within max_bytes is below
        may("reason", TEXT),  # why budgets buy it nothing
    ]
)
RUN = must("run", TIME)  # when it started
SPREAD = StructType([field for field in SIDE if not isinstance(field.dataType, MapType)])
FOLLOWED = (
    *("outcome", "reason", "fingerprint", "brokers", "topics", "partitions", "replicas"),
    *("data_moves", "bytes_moved", "leadership_changes", "partitions_changed"),
)
PLAN_HISTORY = StructType(
    [
        RUN,
        CLUSTER,
        must("taken_over", FLAG),  # from the run before, as nothing had changed
        must("set_aside", LONG),
        *(field for field in PLAN_SUMMARY if field.name in FOLLOWED),
        may("before", SPREAD),
        may("after", SPREAD),
    ]
)
LOAD_HISTORY = StructType(
    [
        RUN,
        CLUSTER,
        # sums over all replicas of which it is known
        may("disk_bytes", DOUBLE),
        may("disk_growth_per_day", DOUBLE),
        may("bytes_in_per_s", DOUBLE),  # of leaders
        may("bytes_out_per_s", DOUBLE),
        must("unknown_sizes", LONG),  # replicas
        must("unknown_bytes_in", LONG),  # partitions
    ]
)


@dataclass(frozen=True)
class Table:
    """One table: its columns, and the columns that no two rows share."""

    schema: StructType
    key: tuple[str, ...]


PER_PARTITION = ("cluster", "topic", "partition")
SERIES = (*PER_PARTITION, "broker", "told_as")
"""Columns that tell one series of samples from another."""
HISTORIES = ("plan_history", "load_history")
"""Tables that a run adds rows to; the others it makes anew."""
TABLES = {
    "brokers": Table(BROKERS, ("cluster", "broker")),
    "partitions": Table(PARTITIONS, PER_PARTITION),
    "replicas": Table(REPLICAS, (*PER_PARTITION, "position")),
    "moves": Table(MOVES, PER_PARTITION),
    "plan_summary": Table(PLAN_SUMMARY, ("cluster",)),
    "quarantine": Table(QUARANTINE, ("cluster", "file", "line", "place", "reason")),
    "checks": Table(CHECKS, ("cluster", "check", "subject")),
    "samples": Table(SAMPLES, (*SERIES, "time")),
    "partition_load": Table(PARTITION_LOAD, PER_PARTITION),
    "broker_load": Table(BROKER_LOAD, ("cluster", "broker")),
    "busiest_hour": Table(BUSIEST_HOUR, ("cluster", "metric")),
    "disk_days": Table(DISK_DAYS, ("cluster", "broker", "log_dir")),
    "left_out": Table(LEFT_OUT, ("cluster", "metric")),
    "budget": Table(BUDGET, ("cluster",)),
    "plan_history": Table(PLAN_HISTORY, ("run", "cluster")),
    "load_history": Table(LOAD_HISTORY, ("run", "cluster")),
}
