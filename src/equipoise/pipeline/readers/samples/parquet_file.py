"""Samples in Parquet, in batches."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from equipoise.errors import UnusableInput
from equipoise.pipeline.readers.samples.columns import COLUMNS, KNOWN, NOT_UTF8, Piece, chosen, complete
from equipoise.pipeline.readers.samples.labels import Labels, is_labels
from equipoise.wording import first_line

if TYPE_CHECKING:
    import pyarrow as pa
    import pyarrow.parquet as pq

NAMES = ("metric", "__name__", "topic", "topic_name", "name")
"""Columns that are text and nothing else."""
TIMES = ("time", "timestamp", "ts")
MICROS = {"s": 1_000_000, "ms": 1_000, "us": 1}
MOST_MICROS = 2**63 - 1


def read(source: str | bytes) -> Iterator[Piece]:
    """The samples of a file (its path or its content) with their rows, counted from 1."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        with pq.ParquetFile(pa.BufferReader(source) if isinstance(source, bytes) else source) as file:
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
        for batch in file.iter_batches(row_groups=[group], columns=columns):
            yield piece(labels.spread(batch), row)
            row += batch.num_rows
    except (pa.ArrowException, OSError) as error:
        reason = f"row group {group + 1} of {file.num_row_groups} is broken: {first_line(error)}"
        yield Piece({}, row=range(row, end), fault=[reason] * (end - row))


def check_type(field: pa.Field) -> None:
    """Raises :class:`UnusableInput` where a column is of a type that says nothing of this kind."""
    import pyarrow as pa

    kind = field.type.value_type if pa.types.is_dictionary(field.type) else field.type
    is_text = pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_null(kind)
    is_number = pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind)
    is_time = field.name.lower() in TIMES and pa.types.is_timestamp(kind)
    if not (is_text or (is_number and field.name.lower() not in NAMES) or is_time):
        raise UnusableInput(f"the column {field.name} is of type {field.type}")


def piece(batch: pa.RecordBatch, first: int) -> Piece:
    """The rows of a batch as text."""
    columns, broken = {}, [False] * batch.num_rows
    for name, array in zip(batch.schema.names, batch.columns, strict=True):
        columns[name.lower()], faulty = text_of(array)
        broken = [one or other for one, other in zip(broken, faulty, strict=True)] if faulty else broken
    fault = [NOT_UTF8 if is_broken else None for is_broken in broken] if any(broken) else None
    found = {name: array for name, array in chosen(columns).items() if name in COLUMNS}
    return Piece(found, row=range(first, first + batch.num_rows), fault=fault)


def text_of(array: pa.Array) -> tuple[pa.Array, list[bool]]:
    """Any values as text, times in ISO form; and which of them are bytes that are no text, where any are."""
    import pyarrow as pa

    if pa.types.is_dictionary(array.type):
        array = array.dictionary_decode()
    if pa.types.is_timestamp(array.type):
        return written_times(array), []
    is_text = pa.types.is_string(array.type) or pa.types.is_large_string(array.type)
    if not is_text:
        return array.cast(pa.string()), []
    try:
        array.validate(full=True)
        return array.cast(pa.string()), []
    except pa.ArrowInvalid:
        values = array.cast(pa.large_binary()).to_pylist()
    texts = [None if value is None else value.decode(errors="replace") for value in values]
    return pa.array(texts, pa.string()), [value is not None and not is_utf8(value) for value in values]


def written_times(array: pa.Array) -> pa.Array:
    """Times in ISO form; what would be no microseconds is told as it is, which is no time to anybody."""
    import pyarrow as pa
    import pyarrow.compute as pc

    unit, zone = array.type.unit, array.type.tz and "UTC"
    micros = pa.timestamp("us", zone)
    if unit == "ns":
        return array.cast(micros, safe=False).cast(pa.string())
    number = array.cast(pa.int64())
    most = MOST_MICROS // MICROS[unit]
    fits = pc.and_(pc.less_equal(number, most), pc.greater_equal(number, -most))
    told = pc.if_else(fits, array, pa.scalar(None, array.type)).cast(micros).cast(pa.string())
    odd = pc.binary_join_element_wise(number.cast(pa.string()), unit, " ")
    return pc.if_else(fits, told, odd)


def is_utf8(value: bytes) -> bool:
    try:
        value.decode()
    except UnicodeDecodeError:
        return False
    return True
