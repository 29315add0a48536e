"""What passes between the Python steps of a run, and from them to the tables."""

from __future__ import annotations

from enum import StrEnum
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
        may("before", TEXT),  # the digest of what it was, where it may be that still
    ]
)
"""One row a file, found with a path or with a fault; one without a name for a cluster without files."""

FAULT = within_cluster(QUARANTINE, "file")
PARSED = StructType(
    [
        CLUSTER,
        must("rank", INT),
        must("file", TEXT),
        may("digest", TEXT),  # null where it could not be read
        may("format", TEXT),
        may("fragment", BinaryType()),  # a pickled Fragment; null where nothing of the file can be used
        may("unusable", TEXT),  # why nothing of the cluster can be used
        must("faults", ArrayType(FAULT, containsNull=False)),
    ]
)
"""One row a file: what it tells, and what of it is set aside."""

class Kind(StrEnum):
    """What a row of TOLD or RATED is."""

    SAMPLES = "samples"
    FAULT = "fault"
    INFO = "info"
    BROKEN = "broken"
    READ = "read"
    NEWEST = "newest"


TOLD = StructType(
    [
        CLUSTER,
        must("file", TEXT),
        must("kind", TEXT),
        # samples that can be used
        may("slot", INT),
        may("slots", INT),  # how many there are
        may("block", BinaryType()),
        # a fault: samples with one reason against them, and where the first of them stands
        may("reason", TEXT),  # of a broken file too; null where the address alone is in question
        may("named_by", TEXT),  # an address; of an info too
        may("unknown", TEXT),  # the name of a metric that nobody knows
        may("samples", LONG),
        may("line", LONG),
        may("row", LONG),  # in files without lines
        may("text", TEXT),
        # an info: the broker at an address
        may("broker", TEXT),
        # a file that was read to its end, whatever is in it
        may("digest", TEXT),
    ]
)
"""What a file of samples tells: each row is of one kind, and of a file that is broken nothing else counts."""

RATED = StructType(
    [
        CLUSTER,
        must("kind", TEXT),
        may("block", BinaryType()),  # whole series
        # a fault: what is set aside of whole series
        may("told_as", TEXT),
        may("reason", TEXT),
        may("samples", LONG),
        may("series", LONG),
        may("topic", TEXT),  # of the first of them
        may("partition", INT),
        may("broker", INT),  # of a newest too: null for samples that name no broker
        may("newest", LONG),  # time of its last sample in microseconds since 1970
    ]
)
"""What the samples of a slot say: whole series with rates in place of counters."""

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

    schemas = {
        "PARSED": PARSED, "TOLD": TOLD, "RATED": RATED, "SAMPLES": SAMPLES, "SERIES_FIGURES": SERIES_FIGURES,
        "MERGED": MERGED, "PLANNED": PLANNED, "WEIGHED": WEIGHED,
    }  # fmt: skip
    return to_arrow_schema(schemas[schema_name], timezone="UTC")
