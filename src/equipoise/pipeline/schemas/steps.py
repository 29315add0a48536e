"""What passes between the two Python steps of a run, and from the second to the tables."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from pyspark.sql.types import ArrayType, BinaryType, StructType

from equipoise.pipeline.schemas.tables import (
    BROKERS,
    CLUSTER,
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
    ]
)
"""One row a file: input of the first step; no path for a cluster without files."""

FAULT = within_cluster(QUARANTINE, "file")
PARSED = StructType(
    [
        CLUSTER,
        must("rank", INT),
        must("file", TEXT),
        may("format", TEXT),
        may("fragment", BinaryType()),  # a pickled Fragment; null where nothing of the file can be used
        must("faults", ArrayType(FAULT, containsNull=False)),
    ]
)
"""One row a file: what it tells, and what of it is set aside."""

PROBED = StructType(
    [
        CLUSTER,
        must("file", TEXT),
        must("path", TEXT),
        may("form", TEXT),
        may("fault", TEXT),
    ]
)
"""One row a file of samples: in which form it can be read, or why it cannot."""

GOOD = StructType([field for field in SAMPLES if field.name != "metric"])
"""A sample that can be used, of a gauge or of a counter."""

FAULTS = StructType([field for field in QUARANTINE if field.name != "line"])
"""What is set aside of sample files: a whole file, or the samples with one fault."""

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
IN_FLIGHT = StructType(
    [must("topic", TEXT), must("partition", INT), must("adding", IDS), must("removing", IDS)]
)

KINDS = {
    "brokers": within_cluster(BROKERS),
    "partitions": within_cluster(PARTITIONS, "adding", "removing"),
    "on_disk": ON_DISK,
    "in_flight": IN_FLIGHT,
    "moves": within_cluster(MOVES),
    "plan_summary": within_cluster(PLAN_SUMMARY),
    "quarantine": within_cluster(QUARANTINE),
}
PLANNED = StructType([CLUSTER, *(may(kind, schema) for kind, schema in KINDS.items())])
"""What one cluster's task gives: rows of several kinds, each a struct in the column of its kind."""


@cache
def arrow(schema_name: str) -> pa.Schema:
    """The Arrow form of a step's schema, "PARSED", "PROBED" or "PLANNED"."""
    from pyspark.sql.pandas.types import to_arrow_schema

    return to_arrow_schema({"PARSED": PARSED, "PROBED": PROBED, "PLANNED": PLANNED}[schema_name])
