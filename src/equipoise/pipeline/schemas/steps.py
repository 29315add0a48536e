"""What passes between the Python steps of a run, and from them to the tables."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from pyspark.sql.types import ArrayType, BinaryType, StructType

from equipoise.pipeline.schemas.tables import (
    BROKERS,
    CLUSTER,
    DOUBLE,
    FIGURES,
    IDS,
    INT,
    LONG,
    MOVES,
    PARTITIONS,
    PLAN_SUMMARY,
    QUARANTINE,
    SAMPLES,
    SERIES,
    TEXT,
    TIME,
    may,
    must,
)

if TYPE_CHECKING:
    import pyarrow as pa


def within_cluster(schema: StructType, *without: str) -> StructType:
    """The columns of a table but its cluster (and ``without``)."""
    return StructType([field for field in schema if field.name not in ("cluster", *without)])


FILES = StructType(
    [
        CLUSTER,
        must("rank", INT),  # 0 for the largest cluster
        must("task", INT),
        must("file", TEXT),
        may("path", TEXT),
        may("fault", TEXT),  # why it cannot be read
    ]
)
"""One row a file, found with a path or with a fault; one without a name for a cluster without files."""

FAULT = within_cluster(QUARANTINE, "file")
PARSED = StructType(
    [
        CLUSTER,
        must("rank", INT),
        must("file", TEXT),
        may("format", TEXT),
        may("fragment", BinaryType()),  # a pickled Fragment; null where nothing of the file can be used
        may("unusable", TEXT),  # why nothing of the cluster can be used
        must("faults", ArrayType(FAULT, containsNull=False)),
    ]
)
"""One row a file: what it tells, and what of it is set aside."""

TOLD = StructType(
    [
        CLUSTER,
        must("file", TEXT),
        may("line", LONG),
        may("row", LONG),  # in files without lines
        *(may(name, TEXT) for name in ("time", "metric", "value", "topic", "partition", "broker", "address")),
        may("fault", TEXT),  # why it cannot be used; without line and row, why the file cannot
        may("text", TEXT),
    ]
)
"""One row a sample, as its file tells it."""

JUDGED = StructType(
    [
        *(field for field in SAMPLES if field.name not in ("metric", "time", "value", "seconds")),
        may("time", TIME),
        may("value", DOUBLE),
        may("reason", TEXT),
        may("file", TEXT),
        may("line", LONG),
        may("row", LONG),
        may("text", TEXT),
    ]
)
"""One row a sample, with the reason why it cannot be used."""

RATED = StructType([*SAMPLES, may("reason", TEXT)])
"""One row a sample, with the reason why nothing can be said from its series, or from it."""

FAULTS = StructType([*QUARANTINE, may("unknown", TEXT), may("samples", LONG)])
"""What is set aside of sample files: a whole file, or the samples with one fault; or, with its name, how many
samples were left out of a metric that nobody knows."""

SERIES_FIGURES = StructType(
    [
        *(field for field in SAMPLES if field.name in SERIES),
        must("metric", TEXT),
        must("figures", FIGURES),
    ]
)
"""One row a series of samples."""

ON_DISK = StructType(
    [
        must("topic", TEXT),
        must("partition", INT),
        must("broker", INT),
        must("log_dir", TEXT),
        may("size_bytes", LONG),
    ]
)
DIRS = StructType([must("broker", INT), must("log_dir", TEXT), may("total_bytes", DOUBLE)])
IN_FLIGHT = StructType(
    [must("topic", TEXT), must("partition", INT), must("adding", IDS), must("removing", IDS)]
)

STATE_KINDS = {
    "partitions": within_cluster(PARTITIONS, "adding", "removing"),
    "on_disk": ON_DISK,
    "in_flight": IN_FLIGHT,
    "dirs": DIRS,
    "quarantine": within_cluster(QUARANTINE),
}
MERGED = StructType(
    [
        CLUSTER,
        may("rank", INT),
        may("state", BinaryType()),  # a pickled State or the reason that there is none; null beside rows
        *(may(kind, schema) for kind, schema in STATE_KINDS.items()),
    ]
)
"""One row with the state of each cluster, and rows of several kinds, a struct in the column of the kind."""

PLAN_FILE = StructType([must("name", TEXT), must("content", BinaryType())])
"""A file of a plan directory, with its path in it: where workers see no folder that all of them can write."""
PLACED = StructType(
    [must("topic", TEXT), must("partition", INT), must("broker", INT), must("log_dir", TEXT)]
)
"""A replica that a plan puts into a log dir, on a broker that it comes to or stays on."""
PLAN_KINDS = {
    "brokers": within_cluster(BROKERS),
    "moves": within_cluster(MOVES),
    "placed": PLACED,
    "plan_summary": within_cluster(PLAN_SUMMARY),
    "quarantine": within_cluster(QUARANTINE),
    "files": PLAN_FILE,
}
PLANNED = StructType([CLUSTER, *(may(kind, schema) for kind, schema in PLAN_KINDS.items())])
"""What planning one cluster gives: rows of several kinds, as above."""

WEIGHED = StructType(
    [
        CLUSTER,
        may("goal", TEXT),  # null where budgets buy nothing
        may("max_bytes", LONG),  # a budget; without a goal what its plan copies
        may("value", DOUBLE),
        may("lower_bound", DOUBLE),
        may("outcome", TEXT),  # of a cluster that cannot be planned
        may("reason", TEXT),  # why it cannot, or not within the budget, or why budgets buy nothing
        may("text", TEXT),
    ]
)
"""One row a cluster and budget: what it buys."""


@cache
def arrow(schema_name: str) -> pa.Schema:
    """The Arrow form of a step's schema, by its name here."""
    from pyspark.sql.pandas.types import to_arrow_schema

    schemas = {"PARSED": PARSED, "TOLD": TOLD, "MERGED": MERGED, "PLANNED": PLANNED, "WEIGHED": WEIGHED}
    return to_arrow_schema(schemas[schema_name])
