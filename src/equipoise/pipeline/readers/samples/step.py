"""The step that reads every file of samples of a fleet, each once and to its end."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Iterator
from io import BufferedReader, BytesIO, RawIOBase
from pathlib import Path, PurePath
from typing import IO, TYPE_CHECKING, Any, cast

from equipoise.errors import UnusableInput
from equipoise.pipeline.readers.parsed import source_of
from equipoise.pipeline.readers.samples import csv_file, exposition, json_file, parquet_file
from equipoise.pipeline.readers.samples.columns import CALLED, COLUMNS, Piece, standard
from equipoise.pipeline.schemas.steps import TOLD, arrow
from equipoise.pipeline.transforms.apart import each
from equipoise.pipeline.transforms.memory import tasks_at_once
from equipoise.pipeline.transforms.rows import unexpected
from equipoise.wording import printable

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame

KINDS = {
    ".csv": "csv",
    ".json": "json",
    ".jsonl": "json",
    ".parquet": "parquet",
    ".prom": "text",
    ".txt": "text",
}
"""How a file is written, by the end of its name."""
GZIP_FAULTS = (EOFError, gzip.BadGzipFile, zlib.error)


def told(files: DataFrame) -> DataFrame:
    """(cluster, rank, task, file, path, fault) to the rows of TOLD, a sample each."""
    at_once = tasks_at_once(files.sparkSession)

    def read_batches(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        rows = (row for batch in batches for row in batch.to_pylist())
        return each(rows, read_file, lost, at_once)

    return files.mapInArrow(read_batches, TOLD)


def read_file(row: dict[str, Any]) -> Iterator[pa.RecordBatch]:
    """The samples of one file; a row with a fault alone where it cannot be read to its end."""
    fault = row["fault"]
    if fault is None:
        named = labels_of_folders(row["file"])
        try:
            for piece in pieces(source_of(row), row["file"]):
                yield from batch_of(row, piece, named)
        except UnusableInput as error:
            fault = error.problem
        except GZIP_FAULTS as error:
            fault = f"the gzip data is broken: {error}"
        except OSError as error:
            fault = f"cannot be read: {printable(error.strerror or str(error))}"
        except Exception as error:  # a file that trips a bug must not take the fleet with it
            fault = unexpected(error)
    if fault is not None:
        yield lost(row, fault)


def lost(row: dict[str, Any], reason: str) -> pa.RecordBatch:
    """The row of a file of which nothing counts."""
    return next(batch_of(row, Piece({}, fault=[reason]), {}))


def pieces(source: str | bytes, name: str) -> Iterator[Piece]:
    """The samples of a file (its path or its content), as its name says that they are written."""
    packed = name.lower().endswith(".gz")
    suffix = PurePath(name.lower().removesuffix(".gz")).suffix
    kind = KINDS.get(suffix)
    if kind is None or (packed and kind == "parquet"):
        raise UnusableInput(f"is no file of samples by its name ({', '.join(KINDS)})")
    if kind == "parquet":
        yield from parquet_file.read(source)
        return
    with opened(source) as plain, cast("IO[bytes]", gzip.open(plain)) if packed else plain as stream:
        if kind == "csv":
            yield from csv_file.read(stream)
        elif kind == "json":
            yield from json_file.read(stream)
        else:
            yield from exposition.read(stream, name)


def opened(source: str | bytes) -> BufferedReader:
    """A file, or its content as if it were one."""
    if isinstance(source, bytes):
        return BufferedReader(cast("RawIOBase", BytesIO(source)))
    return Path(source).open("rb")


def labels_of_folders(name: str) -> dict[str, str]:
    """What folders like ``topic=orders`` say of all samples in them, as Spark and Hive write them."""
    parts = (part.split("=", 1) for part in PurePath(name).parts[1:-1] if "=" in part)
    told = standard(dict(parts))
    return {name: value for name, value in told.items() if value is not None and name in CALLED}


def batch_of(row: dict[str, Any], piece: Piece, named: dict[str, str]) -> Iterator[pa.RecordBatch]:
    """A piece as rows of TOLD; what folders say counts where the file does not."""
    import pyarrow as pa

    schema = arrow("TOLD")
    given: list[Any] = [*piece.columns.values(), piece.line, piece.row, piece.fault]
    n = next(len(values) for values in given if values is not None)
    constant = {"cluster": row["cluster"], "file": row["file"]}
    constant |= {name: value for name, value in named.items() if name not in piece.columns}
    told = piece.columns | {"line": piece.line, "row": piece.row, "fault": piece.fault, "text": piece.text}
    columns = []
    for field in schema:
        values = told.get(field.name)
        if field.name in constant:
            columns.append(pa.repeat(pa.scalar(constant[field.name]), n))
        elif values is None:
            columns.append(pa.nulls(n, field.type))
        else:
            columns.append(values if field.name in COLUMNS else pa.array(values, field.type))
    if n:  # Spark takes an empty batch for the end of all of them
        yield pa.RecordBatch.from_arrays(columns, schema=schema)
