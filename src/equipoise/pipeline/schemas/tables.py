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
COMMENT = "comment"
"""Key of a column's metadata with what it is, which Spark shows as its comment."""


def must(name: str, kind: DataType, comment: str = "") -> StructField:
    """A column that always has a value."""
    return StructField(name, kind, False, {COMMENT: comment} if comment else None)


def may(name: str, kind: DataType, comment: str = "") -> StructField:
    """A column that is null where nothing is known."""
    return StructField(name, kind, True, {COMMENT: comment} if comment else None)


CLUSTER = must("cluster", TEXT, "the name of its folder in the fleet")
PARTITION = (CLUSTER, must("topic", TEXT, "its name"), must("partition", INT, "its number in the topic"))

BROKERS = StructType(
    [
        CLUSTER,
        must("broker", INT, "its id"),
        may("rack", TEXT, "as its sources name it"),
        may("disk_bytes", DOUBLE, "what its disks hold at most"),
        may("bytes_in_per_s", DOUBLE, "what it can take in a second"),
        may("bytes_out_per_s", DOUBLE, "what it can give in a second"),
        must("weight", DOUBLE, "its part of the cluster beside those of the others"),
        must("eligible", FLAG, "whether it may hold replicas once the plan is carried out"),
        may("is_up", FLAG, "whether a source calls it up or down"),
    ]
)
PARTITIONS = StructType(
    [
        *PARTITION,
        must("replication_factor", INT, "replicas in its list"),
        must("replicas", IDS, "ids of brokers, the preferred leader first"),
        may("leader", INT, "the broker that leads now"),
        may("isr", IDS, "brokers whose replicas are in sync; null where no source tells it"),
        may("adding", IDS, "brokers that a reassignment in flight adds"),
        may("removing", IDS, "brokers that a reassignment in flight removes"),
        may("size_bytes", LONG, "of one replica"),
        may("bytes_in_per_s", DOUBLE, "what producers write in a second"),
        may("bytes_out_per_s", DOUBLE, "what consumers read in a second"),
        may("min_isr", INT, "min.insync.replicas"),
        may("retention_s", DOUBLE, "retention.ms in seconds; infinite where age is not what deletes"),
        may("retention_bytes", DOUBLE, "retention.bytes"),
    ]
)
REPLICAS = StructType(
    [
        *PARTITION,
        must("position", INT, "in the replica list, from 0: the preferred leader"),
        must("broker", INT, "that holds it"),
        may("log_dir", TEXT, "in which it lies"),
        may("size_bytes", LONG, "of this replica, else of its partition"),
    ]
)
MOVES = StructType(
    [
        *PARTITION,
        must("before", IDS, "its replica list now"),
        must("after", IDS, "its replica list once the plan is carried out"),
        must("data_moves", INT, "replicas that are copied to a broker that did not have them"),
        must("leadership_changed", FLAG, "whether its preferred leader is another one"),
        may("bytes", LONG, "that are copied"),
        must("why", TEXT, "the reason, as the report tells it"),
    ]
)
PER_BROKER = MapType(INT, LONG, valueContainsNull=False)
SIDE = StructType(
    [
        must("replicas_min", LONG, "least replicas on a broker in use"),
        must("replicas_max", LONG, "most replicas on a broker in use"),
        must("leaders_min", LONG, "fewest preferred leaders on a broker in use"),
        must("leaders_max", LONG, "most preferred leaders on a broker in use"),
        must("replicas_per_broker", PER_BROKER, "replicas by id of the broker"),
        must("leaders_per_broker", PER_BROKER, "preferred leaders by id of the broker"),
        may("rack_violations", LONG, "replicas beyond the limit of a rack; null where racks are not known"),
        must("worst_leaders_after_one_failure", LONG, "most leaders of a broker after another one fails"),
    ]
)
LEVEL = StructType(
    [
        must("goal", TEXT, "what is counted"),
        may(
            "value", DOUBLE,
            "of the plan; null, as the two below, where the sources do not tell what is counted",
        ),
        may("lower_bound", DOUBLE, "no plan is below"),
        may("gap", DOUBLE, "how far the value may be above the best, as a part of it"),
        must("proof", TEXT, "how the bound is proved"),
    ]
)
USED_LOAD = StructType(
    [
        must("figure", TEXT, "size_bytes, bytes_in_per_s, bytes_out_per_s"),
        must("statistic", TEXT, "mean, p95, peak; as told by a file of the cluster"),
        must("source", TEXT, "those of partition_load; a file of the cluster"),
        must("partitions", LONG, "that have it from there"),
    ]
)
PLAN_SUMMARY = StructType(
    [
        CLUSTER,
        must("outcome", TEXT, "planned, impossible, set aside"),
        may("reason", TEXT, "why there is no plan"),
        may("strategy", TEXT, "flow, or a published algorithm"),
        may("fingerprint", TEXT, "digest of the state that it was planned from"),
        must("missing", TEXTS, "what no source tells"),
        must("warnings", TEXTS, "of the plan"),
        may("goals", TEXTS, "those that were asked for by name"),
        must("partial", FLAG, "whether a part of the cluster was planned"),
        may("not_alive", IDS, "brokers that receive nothing and come to lead nothing"),
        may(
            "without_leader", LONG,
            "partitions that nobody leads; null, as the next three, where no source tells",
        ),
        may("under_replicated", LONG, "partitions with replicas that are not in sync"),
        may("under_min_isr", LONG, "partitions with fewer in sync than min.insync.replicas"),
        may("cannot_move", LONG, "partitions that nothing can be done with now"),
        may("brokers", LONG, "how many"),
        may("topics", LONG, "how many"),
        may("partitions", LONG, "how many"),
        may("replicas", LONG, "how many"),
        may("data_moves", LONG, "replicas that are copied"),
        may("bytes_moved", LONG, "bytes that are copied; null where a size is not known"),
        may("leadership_changes", LONG, "partitions whose preferred leader is another one"),
        may("partitions_changed", LONG, "partitions whose replica list is another one"),
        may("before", SIDE, "the brokers now"),
        may("after", SIDE, "the brokers once the plan is carried out"),
        must("certificate", ArrayType(LEVEL, containsNull=False), "a level for each goal, in their order"),
        must(
            "loads", ArrayType(USED_LOAD, containsNull=False),
            "which figures it was planned with; none where the cluster has no samples",
        ),
    ]
)
QUARANTINE = StructType(
    [
        CLUSTER,
        may("file", TEXT, "in the folder of the cluster; null where the cluster as a whole was set aside"),
        may("line", INT, "in the file"),
        may("place", TEXT, "where in the file, if that is no line"),
        may("text", TEXT, "what stands there"),
        must("reason", TEXT, "why it cannot be used"),
    ]
)
SEVERITIES = ("error", "warning", "note")
"""Of findings, the worst first."""
CHECKS = StructType(
    [
        CLUSTER,
        must("check", TEXT, "its name"),
        may("subject", TEXT, "a partition or a broker; null for the whole cluster"),
        may("severity", TEXT, "error, warning, note; null where it is passed"),
        must("passed", FLAG, "whether nothing of the kind was found"),
        must("value", DOUBLE, "what was counted"),
        must("detail", TEXT, "in words"),
    ]
)
SAMPLES = StructType(
    [
        CLUSTER,
        may("topic", TEXT, "null for what a broker tells of all its topics"),
        may("partition", INT, "null for what is told of a whole topic"),
        may("broker", INT, "that measured it; null where nobody says who did"),
        must("told_as", TEXT, "the name of the metric as the file has it"),
        must("time", TIME, "of the sample"),
        must("metric", TEXT, "size_bytes, bytes_in_per_s, bytes_out_per_s, offsets_per_s"),
        must("value", DOUBLE, "bytes, or bytes or records a second"),
        may("seconds", DOUBLE, "the time that it stands for; null for the only sample of a gauge"),
    ]
)
FIGURES = StructType(
    [
        may("mean", DOUBLE, "over time: bytes, or bytes a second, as the next two"),
        may("p95", DOUBLE, "not exceeded in 95 % of the time"),
        may("peak", DOUBLE, "the greatest sample"),
        may("growth_per_day", DOUBLE, "slope of the least-squares line"),
        may("growth_error", DOUBLE, "its standard error"),
        must("samples", LONG, "how many"),
        must("source", TEXT, "measured, split by offsets, split evenly, from retention, unknown"),
    ]
)
PARTITION_LOAD = StructType(
    [
        *PARTITION,
        must("disk_bytes", FIGURES, "what one replica holds"),
        must("bytes_in_per_s", FIGURES, "what producers write in a second"),
        must("bytes_out_per_s", FIGURES, "what consumers read in a second"),
    ]
)
BROKER_FIGURES = StructType(
    [
        *FIGURES.fields[:-1],
        must("unknown", LONG, "replicas of which nothing is known, and which the sum leaves out"),
        must("source", TEXT, "measured, summed, unknown"),
    ]
)
BROKER_LOAD = StructType(
    [
        CLUSTER,
        must("broker", INT, "its id"),
        must("disk_bytes", BROKER_FIGURES, "of all its replicas"),
        must("leader_bytes_in_per_s", BROKER_FIGURES, "of partitions that it leads"),
        must("follower_bytes_in_per_s", BROKER_FIGURES, "of partitions that it follows"),
        must("bytes_out_per_s", BROKER_FIGURES, "to consumers, of partitions that it leads"),
    ]
)
BUSIEST_HOUR = StructType(
    [
        CLUSTER,
        must("metric", TEXT, "bytes_in_per_s, bytes_out_per_s"),
        must("hour", TIME, "when it began"),
        must("mean", DOUBLE, "bytes a second in it"),
        must("usual", DOUBLE, "mean of all hours"),
        must("of", TEXT, "what was added up: brokers, topics, partitions"),
    ]
)
OUTLOOK = StructType(
    [
        may("bytes", DOUBLE, "that it holds; null, as all of these, where not known"),
        may("growth_per_day", DOUBLE, "bytes"),
        may("growth_error", DOUBLE, "standard error of the growth"),
        may("days", DOUBLE, "until the disk is full; infinite where nothing grows"),
        may("days_at_least", DOUBLE, "at the fastest growth that is likely"),
        may("days_at_most", DOUBLE, "at the slowest growth that is likely"),
    ]
)
DISK_DAYS = StructType(
    [
        CLUSTER,
        must("broker", INT, "its id"),
        may("log_dir", TEXT, "null for all disks of the broker"),
        may("capacity_bytes", DOUBLE, "what there is room for"),
        must("before", OUTLOOK, "as things are"),
        may("after", OUTLOOK, "once the plan is carried out; null where nobody knows which dir gets what"),
    ]
)
LEFT_OUT = StructType(
    [
        CLUSTER,
        must("metric", TEXT, "as the files have it"),
        must("samples", LONG, "how many"),
    ]
)
BUDGET = StructType(
    [
        CLUSTER,
        may("goal", TEXT, "whose level counts; null where budgets of bytes buy nothing"),
        may("wanted_bytes", LONG, "what its plan copies without a budget; null where sizes are not known"),
        must("max_bytes", LONG, "its part of max-bytes-total"),
        may("level_before", DOUBLE, "with the least budget that has a plan"),
        may("level", DOUBLE, "of its plan"),
        may("lower_bound", DOUBLE, "no plan within max_bytes is below"),
        may("reason", TEXT, "why budgets buy it nothing"),
    ]
)
RUN = must("run", TIME, "when the run started")
SPREAD = StructType([field for field in SIDE if not isinstance(field.dataType, MapType)])
FOLLOWED = (
    *("outcome", "reason", "fingerprint", "brokers", "topics", "partitions", "replicas"),
    *("data_moves", "bytes_moved", "leadership_changes", "partitions_changed"),
)
PLAN_HISTORY = StructType(
    [
        RUN,
        CLUSTER,
        must("taken_over", FLAG, "from the run before, as nothing had changed"),
        must("set_aside", LONG, "rows of quarantine"),
        *(field for field in PLAN_SUMMARY if field.name in FOLLOWED),
        may("before", SPREAD, "the brokers then"),
        may("after", SPREAD, "the brokers once that plan were carried out"),
    ]
)
LOAD_HISTORY = StructType(
    [
        RUN,
        CLUSTER,
        may("disk_bytes", DOUBLE, "sum over all replicas of which it is known"),
        may("disk_growth_per_day", DOUBLE, "sum of the growths that are known"),
        may("bytes_in_per_s", DOUBLE, "sum over leaders"),
        may("bytes_out_per_s", DOUBLE, "sum over leaders"),
        must("unknown_sizes", LONG, "replicas of unknown size"),
        must("unknown_bytes_in", LONG, "partitions with unknown bytes in"),
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
