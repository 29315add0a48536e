"""Samples in Parquet, in batches."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, BinaryIO

from equipoise.errors import UnusableInput
from equipoise.pipeline.readers.samples.columns import (
    COLUMNS,
    KNOWN,
    NOT_UTF8,
    Piece,
    as_text,
    chosen,
    complete,
    is_number,
)
from equipoise.pipeline.readers.samples.labels import Labels, is_labels
from equipoise.wording import first_line

if TYPE_CHECKING:
    import pyarrow as pa
    import pyarrow.parquet as pq

NAMES = ("metric", "__name__", "topic", "topic_name", "name")
"""Columns that are text and nothing else."""
TIMES = ("time", "timestamp", "ts")
BATCH = 1 << 17
"""Rows at a time."""


def read(stream: BinaryIO) -> Iterator[Piece]:
    """The samples of a file with their rows, counted from 1."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        texts = [field.name for field in pq.read_schema(stream) if is_text(field.type)]
        with pq.ParquetFile(stream, read_dictionary=texts) as file:
            schema = file.schema_arrow
            labels = Labels([field for field in schema if is_labels(field)])
            plain = [field for field in schema if not is_labels(field)]
            complete([field.name.lower() for field in plain], within=labels.names)
            counts = [field for field in plain if field.name.lower() in KNOWN]
            for field in (*counts, *labels.flat):
                check_type(field)
            columns = [field.name for field in (*counts, *labels.fields)]
            first = 1
            for group in range(file.num_row_groups):
                yield from of_group(file, group, first, columns, labels)
                first += file.metadata.row_group(group).num_rows
    except (pa.ArrowException, OSError) as error:
        raise UnusableInput(f"the Parquet data is broken: {first_line(error)}") from None


def of_group(
    file: pq.ParquetFile, group: int, first: int, columns: list[str], labels: Labels
) -> Iterator[Piece]:
    """The samples of a row group, whose rows begin with ``first``; a fault for each row that cannot be read.

    Groups stand by themselves: what is broken in one says nothing of the next.
    """
    import pyarrow as pa

    row, end = first, first + file.metadata.row_group(group).num_rows
    try:
        for batch in file.iter_batches(BATCH, row_groups=[group], columns=columns):
            yield piece(labels.spread(batch), row)
            row += batch.num_rows
    except (pa.ArrowException, OSError) as error:
        reason = f"row group {group + 1} of {file.num_row_groups} is broken: {first_line(error)}"
        yield Piece({}, row=range(row, end), fault=[reason] * (end - row))


def check_type(field: pa.Field) -> None:
    """Raises :class:`UnusableInput` where a column is of a type that says nothing of this kind."""
    import pyarrow as pa

    kind = field.type.value_type if pa.types.is_dictionary(field.type) else field.type
    is_time = field.name.lower() in TIMES and pa.types.is_timestamp(kind)
    is_figure = is_number(kind) and field.name.lower() not in NAMES
    if not (is_text(kind) or pa.types.is_null(kind) or is_figure or is_time):
        raise UnusableInput(f"the column {field.name} is of type {field.type}")


def is_text(kind: pa.DataType) -> bool:
    import pyarrow as pa

    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind))


def piece(batch: pa.RecordBatch, first: int) -> Piece:
    """The rows of a batch."""
    columns: dict[str, pa.Array] = {}
    broken: list[bool] = []
    for name, array in zip(batch.schema.names, batch.columns, strict=True):
        columns[name.lower()], faulty = plain(array)
        if faulty:
            broken = [one or other for one, other in zip(broken or faulty, faulty, strict=True)]
    fault = [NOT_UTF8 if is_broken else None for is_broken in broken] if broken else None
    found = {name: array for name, array in chosen(columns).items() if name in COLUMNS}
    return Piece(found, row=range(first, first + batch.num_rows), fault=fault)


def plain(array: pa.Array) -> tuple[pa.Array, list[bool]]:
    """Text as strings; and which of them are bytes that are no text, where any are. Numbers stay."""
    import pyarrow as pa

    if pa.types.is_dictionary(array.type):
        values, faulty = plain(array.dictionary)
        if not faulty:
            return pa.DictionaryArray.from_arrays(array.indices, values), []
        return plain(array.dictionary_decode())
    if pa.types.is_null(array.type):
        return array.cast(pa.string()), []
    if not is_text(array.type):
        return array, []
    try:
        array.validate(full=True)
        return as_text(array), []
    except pa.ArrowInvalid:
        values = array.cast(pa.large_binary()).to_pylist()
    texts = [None if value is None else value.decode(errors="replace") for value in values]
    return pa.array(texts, pa.string()), [value is not None and not is_utf8(value) for value in values]


def is_utf8(value: bytes) -> bool:
    try:
        value.decode()
    except UnicodeDecodeError:
        return False
    return True
