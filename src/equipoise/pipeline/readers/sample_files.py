"""What lies in the folder ``metrics`` of a cluster, and in which form each file can be read."""

from __future__ import annotations

import csv
import gzip
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from equipoise.errors import UnusableInput
from equipoise.pipeline.readers.fleet import ClusterFolder, files_frame
from equipoise.pipeline.schemas.steps import PROBED, arrow

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import SparkSession

NEEDED = ("time", "metric", "value")
COLUMNS = (*NEEDED, "topic", "partition", "broker")
"""What counts of a file; other columns are left alone."""
KINDS = {".csv": "csv", ".json": "json", ".jsonl": "json", ".parquet": "parquet"}
PIECE = 1 << 20
GZIP_FAULTS = (EOFError, gzip.BadGzipFile, zlib.error)


@dataclass(frozen=True)
class SampleFile:
    """One file of samples, as it was found."""

    cluster: str
    file: str
    path: str
    form: str | None
    """Kind and columns: files of one form can be read at once. None where it cannot be read."""
    fault: str | None
    """Why it cannot be read."""


def probed(spark: SparkSession, clusters: Sequence[ClusterFolder]) -> list[SampleFile]:
    """The sample files of a fleet, each looked at once; a list like that of the files themselves."""
    folders = [replace(cluster, files=cluster.metrics) for cluster in clusters if cluster.metrics]
    if not folders:
        return []
    rows = files_frame(spark, folders).mapInArrow(probe_batches, PROBED).collect()
    return [SampleFile(**row.asDict()) for row in sorted(rows, key=lambda row: (row.cluster, row.file))]


def probe_batches(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    import pyarrow as pa

    for batch in batches:
        yield pa.RecordBatch.from_pylist(
            [probe_row(row) for row in batch.to_pylist()], schema=arrow("PROBED")
        )


def probe_row(row: dict[str, Any]) -> dict[str, Any]:
    found = {key: row[key] for key in ("cluster", "path")} | {"file": f"metrics/{row['file']}"}
    try:
        kind = kind_of(row["file"])
        form = parquet_form(row["path"]) if kind == "parquet" else text_form(row["path"], kind)
        return found | {"form": form}
    except UnusableInput as error:
        return found | {"fault": error.problem}
    except OSError as error:
        return found | {"fault": f"cannot be read: {error.strerror or error}"}


def kind_of(name: str) -> str:
    """The kind of file that a name stands for: csv, json or parquet."""
    suffix = Path(name.lower().removesuffix(".gz")).suffix
    if suffix not in KINDS or (suffix == ".parquet" and name.lower().endswith(".gz")):
        raise UnusableInput("is no file of samples by its name (.parquet, .csv, .json, .jsonl)")
    return KINDS[suffix]


def parquet_form(path: str) -> str:
    """The form that a Parquet file's footer tells. What counts of it is read to its end."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        file = pq.ParquetFile(path)
        schema = file.schema_arrow
        complete(schema.names)
        check_types(schema)
        for _ in file.iter_batches(columns=[name for name in COLUMNS if name in schema.names]):
            pass
    except (pa.ArrowException, OSError) as error:
        raise UnusableInput(f"the Parquet data is broken: {str(error).splitlines()[0]}") from None
    return "parquet " + ", ".join(f"{field.name} {field.type}" for field in schema)


def check_types(schema: pa.Schema) -> None:
    """Raises :class:`UnusableInput` where a column is of a type that says nothing of this kind."""
    import pyarrow as pa

    for field in schema:
        kind = field.type.value_type if pa.types.is_dictionary(field.type) else field.type
        is_text = pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_null(kind)
        is_number = pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind)
        is_time = field.name == "time" and pa.types.is_timestamp(kind)
        if is_time and kind.unit == "ns":
            raise UnusableInput("its times are in nanoseconds, which Spark cannot read; write microseconds")
        fits = is_text or (is_number and field.name not in ("metric", "topic")) or is_time
        if field.name in COLUMNS and not fits:
            raise UnusableInput(f"the column {field.name} is of type {field.type}")


def text_form(path: str, kind: str) -> str:
    """The form of a file of lines: for CSV with the columns of its header. Gzip is read to its end."""
    packed = path.lower().endswith(".gz")
    with gzip.open(path) if packed else Path(path).open("rb") as file:
        try:
            head = file.readline(PIECE).decode("utf-8-sig", errors="replace")
            while packed and file.read(PIECE):
                pass
        except GZIP_FAULTS as error:
            raise UnusableInput(f"the gzip data is broken: {error}") from None
    if not head.strip():
        raise UnusableInput("is empty")
    if kind == "json":
        return kind
    columns = [column.strip().lower() for column in next(csv.reader([head]))]
    complete(columns)
    return "csv " + ",".join(columns)


def complete(columns: Sequence[str]) -> None:
    """Raises :class:`UnusableInput` where a needed column is missing, or a known one is there twice."""
    missing = [column for column in NEEDED if column not in columns]
    if missing:
        raise UnusableInput(f"has no column {', '.join(missing)}")
    twice = [column for column in COLUMNS if list(columns).count(column) > 1]
    if twice:
        raise UnusableInput(f"has the column {twice[0]} more than once")
