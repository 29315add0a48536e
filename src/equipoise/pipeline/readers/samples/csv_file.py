"""Samples in CSV with a header, in blocks."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from typing import IO, TYPE_CHECKING

from equipoise.errors import UnusableInput
from equipoise.pipeline.readers.samples.columns import (
    COLUMNS,
    KNOWN,
    NOT_UTF8,
    Piece,
    chosen,
    complete,
    piece_of,
)
from equipoise.wording import cut

if TYPE_CHECKING:
    import pyarrow as pa

BLOCK = 4 << 20
"""Bytes of lines at a time; no line may be longer."""


def read(stream: IO[bytes]) -> Iterator[Piece]:
    """Its samples with their lines; a line of another number of columns, or without meaning, has a fault."""
    import pyarrow as pa
    import pyarrow.csv as pc

    head = stream.readline(BLOCK).decode("utf-8-sig", errors="replace")
    if not head.strip():
        raise UnusableInput("is empty")
    try:
        columns = [column.strip().lower() for column in next(csv.reader([head]))]
    except csv.Error as error:
        raise UnusableInput(f"the header cannot be read: {error}") from None
    complete(columns)
    odd: list[tuple[int, str, int]] = []

    def skip(row: pc.InvalidRow) -> str:
        odd.append((row.number, row.text, row.actual_columns))
        return "skip"

    unique = [name if name in KNOWN else f"column {k}" for k, name in enumerate(columns)]
    counts = [name for name in unique if name in KNOWN]
    try:
        batches = pc.open_csv(
            stream,
            read_options=pc.ReadOptions(use_threads=False, block_size=BLOCK, column_names=unique),
            parse_options=pc.ParseOptions(invalid_row_handler=skip, ignore_empty_lines=False),
            convert_options=pc.ConvertOptions(
                column_types=dict.fromkeys(counts, pa.binary()),
                include_columns=counts,
                strings_can_be_null=True,
                null_values=[""],
            ),
        )
        number = 1  # of the row that comes next, as the parser counts them
        for batch in batches:
            numbers, number = numbered(number, batch.num_rows, {row for row, _, _ in odd})
            yield from piece(batch, [n + 1 for n in numbers])
    except pa.ArrowInvalid as error:
        if "Empty CSV file" not in str(error):
            raise UnusableInput(f"the CSV cannot be read: {cut(str(error))}") from None
    if odd:
        yield piece_of(
            [{}] * len(odd),
            line=[n + 1 for n, _, _ in odd],
            fault=[f"the line has {has} columns and the header {len(columns)}" for _, _, has in odd],
            text=[cut(text) for _, text, _ in odd],
        )


def numbered(first: int, n: int, left_out: set[int]) -> tuple[list[int], int]:
    """The numbers of so many rows that were not left out, from ``first`` on, and the one after them."""
    found: list[int] = []
    while len(found) < n:
        if first not in left_out:
            found.append(first)
        first += 1
    return found, first


def piece(batch: pa.RecordBatch, line: list[int]) -> Iterator[Piece]:
    """The rows of a block without its blank lines; with a fault where the bytes are no text."""
    import pyarrow as pa

    columns, broken = {}, [False] * batch.num_rows
    for name, array in zip(batch.schema.names, batch.columns, strict=True):
        try:
            columns[name] = array.cast(pa.string())
        except pa.ArrowInvalid:
            texts = [decoded(value) for value in array.to_pylist()]
            broken = [is_broken or text == "" for is_broken, text in zip(broken, texts, strict=True)]
            columns[name] = pa.array(texts, pa.string())
    found = chosen(columns)
    empty = [array.is_null().to_pylist() for array in columns.values()]
    blank = [all(row) for row in zip(*empty, strict=True)]
    kept = pa.array([not is_blank for is_blank in blank])
    lines = [n for n, is_blank in zip(line, blank, strict=True) if not is_blank]
    fault = text = None
    if any(broken):
        bytes_of = [b",".join(value or b"" for value in row.values()) for row in batch.to_pylist()]
        marks = [k for k, is_blank in enumerate(blank) if not is_blank]
        fault = [NOT_UTF8 if broken[k] else None for k in marks]
        text = [cut(bytes_of[k].decode(errors="replace")) if broken[k] else None for k in marks]
    if lines:
        yield Piece({c: a.filter(kept) for c, a in found.items() if c in COLUMNS}, lines, None, fault, text)


def decoded(value: bytes | None) -> str | None:
    """Text of bytes; "", which no value is, where they are none."""
    try:
        return None if value is None else value.decode()
    except UnicodeDecodeError:
        return ""
