"""The example clusters that tests plan, and what a run published, as plain rows and digests."""

from __future__ import annotations

import hashlib
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from equipoise.files.places import Place
from equipoise.pipeline.places.hadoop import HadoopPlace
from equipoise.pipeline.schemas.tables import HISTORIES, TABLES

EXAMPLES = Path(__file__).parents[2] / "examples" / "fleet"
GOOD = ("messy", "racks", "removal", "skewed-leaders")
"""The small ones."""
MOVING = {
    "topics.txt": (
        "Topic: pay\tPartitionCount: 2\tReplicationFactor: 3\tConfigs: min.insync.replicas=2\n"
        "\tTopic: pay\tPartition: 0\tLeader: 1\tReplicas: 1,2,3\tIsr: 1,2,3\n"
        "\tTopic: pay\tPartition: 1\tLeader: 2\tReplicas: 4,2,3,1\tIsr: 2,3,1"
        "\tAdding Replicas: 4\tRemoving Replicas: 1\n"
    ),
    "endpoints.txt": (
        "ID HOST PORT RACK STATE      ENDPOINT_TYPE\n"
        "1  b1   9092 a    unfenced   broker\n"
        "2  b2   9092 b    unfenced   broker\n"
        "3  b3   9092 c    unfenced   broker\n"
        "4  b4   9092 a    fenced     broker\n"
    ),
}
"""A cluster with a reassignment in flight and a broker that is down."""
UNHEALTHY = (
    "\tTopic: pay\tPartition: 4\tLeader: 1\tReplicas: 1,2\tIsr: 1\n"
    "\tTopic: pay\tPartition: 7\tLeader: 1\tReplicas: 1,3\tIsr: 1\n"
)
"""What ``--under-replicated-partitions`` prints of a topic: a part of it."""
PLANNED = (*GOOD, "moving", "asked")


def command(*arguments: str | Path) -> list[str]:
    """A command line of the product, in this Python."""
    return [sys.executable, "-m", "equipoise.cli.main", *map(str, arguments)]


def rows_of(out: Place, table: str) -> list[dict[str, Any]]:
    """All rows of a published table, in key order, nulls first; times are UTC."""
    place, key = out / "tables" / table, TABLES[table].key
    with TemporaryDirectory() as scratch:
        if isinstance(place, HadoopPlace):
            place.download(Path(scratch))
            place = Path(scratch) / table
        found = pq.read_table(str(place), coerce_int96_timestamp_unit="us")
    for at, field in enumerate(found.schema):
        if pa.types.is_timestamp(field.type):
            found = found.set_column(at, field.name, found[field.name].cast(pa.timestamp("us", "UTC")))
    return sorted(found.to_pylist(), key=lambda row: [(row[name] is not None, row[name]) for name in key])


def files_of(out: Path) -> dict[str, str]:
    """The digest of every file of a run but of those that tell when, how fast, and what of it is new."""
    return {
        str(path.relative_to(out)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(out.rglob("*"))
        if path.is_file() and path.relative_to(out).parts[0] not in ("run.json", "state", "index.html")
        and path.parent.name not in HISTORIES
    }
