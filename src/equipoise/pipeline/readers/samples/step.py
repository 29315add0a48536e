"""The step that reads every file of samples of a fleet, each once and to its end."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePath
from typing import IO, TYPE_CHECKING, Any, cast

from equipoise.errors import UnusableInput
from equipoise.pipeline.readers.samples import csv_file, exposition, json_file, parquet_file
from equipoise.pipeline.readers.samples.blocks import Names, Samples, divided, joined, unpacked
from equipoise.pipeline.readers.samples.columns import CALLED, Piece, standard
from equipoise.pipeline.readers.samples.judged import Judged, judge
from equipoise.pipeline.readers.source import Source
from equipoise.pipeline.schemas.steps import TOLD, Kind, arrow
from equipoise.pipeline.transforms.apart import each
from equipoise.pipeline.transforms.memory import tasks_at_once
from equipoise.pipeline.transforms.set_aside import unexpected
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
AT_A_TIME = 250_000
"""Samples that pass on together: some 5 MB of them in one block, where there is one slot."""
GZIP_FAULTS = (EOFError, gzip.BadGzipFile, zlib.error)


def told(files: DataFrame, slots: Mapping[str, int]) -> DataFrame:
    """Rows of FILES to those of TOLD; ``slots``: how many each cluster has."""
    at_once = tasks_at_once(files.sparkSession)

    def read_batches(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        rows = (
            row | {"slots": slots[row["cluster"]]} for batch in batches for row in batch.to_pylist()
        )
        return each(rows, read_file, lost, at_once)

    return files.mapInArrow(read_batches, TOLD)


def divided_anew(rows: DataFrame, slots: Mapping[str, int]) -> DataFrame:
    """Samples of TOLD, those of each cluster in so many slots, whatever they were in."""

    def divide_batches(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            for row in batch.to_pylist():
                read = Read(slots[row["cluster"]])
                if row["slots"] != read.slots:
                    read.waiting.append(unpacked([row["block"]]))
                    yield from Said(row["cluster"], row["file"]).samples(read)
                else:
                    yield Said(row["cluster"], row["file"]).rows([row])

    return rows.mapInArrow(divide_batches, TOLD)


def read_file(row: Mapping[str, Any]) -> Iterator[pa.RecordBatch]:
    """What one file tells; a fault alone counts where it cannot be read to its end.

    Of a file that is as it was that alone, which its digest says.
    """
    said = Said(row["cluster"], row["file"])
    read = Read(row["slots"])
    fault, source = row["fault"], Source(row)
    is_read = fault is None
    try:
        if fault is None and not source.is_still(row["before"]):
            for piece in pieces_of(source, row["file"]):
                yield from said.about(read.add(piece))
                if read.is_much:
                    yield from said.samples(read)
            yield from said.samples(read)
    except UnusableInput as error:
        fault = error.problem
    except GZIP_FAULTS as error:
        fault = f"the gzip data is broken: {error}"
    except OSError as error:
        fault, is_read = f"cannot be read: {printable(error.strerror or str(error))}", False
    except Exception as error:  # a file that trips a bug must not take the fleet with it
        fault, is_read = unexpected(error), False
    if fault is not None:
        yield lost(row, fault)
    if is_read:
        yield said.rows([{"kind": Kind.READ, "digest": source.digest}])


def lost(row: Mapping[str, Any], reason: str) -> pa.RecordBatch:
    """The row of a file of which nothing counts."""
    return Said(row["cluster"], row["file"]).rows([{"kind": Kind.BROKEN, "reason": reason}])


class Read:
    """The samples of a file that wait to be passed on."""

    def __init__(self, slots: int) -> None:
        self.slots = slots
        self.names = Names(), Names(), Names()
        self.waiting: list[Samples] = []

    def add(self, piece: Piece) -> Judged:
        judged = judge(piece, *self.names)
        if len(judged.usable):
            self.waiting.append(judged.usable)
        return judged

    @property
    def is_much(self) -> bool:
        return sum(map(len, self.waiting)) >= AT_A_TIME

    def passed(self) -> Iterator[tuple[int, bytes]]:
        """Each slot with its samples; none waits then."""
        waiting, self.waiting = self.waiting, []
        if waiting:
            yield from divided(joined(waiting), self.slots)


@dataclass(frozen=True)
class Said:
    """Rows of TOLD of one file."""

    cluster: str
    file: str

    def samples(self, read: Read) -> Iterator[pa.RecordBatch]:
        for slot, block in read.passed():
            yield self.rows([{"kind": Kind.SAMPLES, "slot": slot, "slots": read.slots, "block": block}])

    def about(self, judged: Judged) -> Iterator[pa.RecordBatch]:
        """What is told beside samples: faults, and addresses of brokers."""
        rows: list[dict[str, Any]] = [{"kind": Kind.FAULT} | fault._asdict() for fault in judged.faults]
        rows += [{"kind": Kind.INFO, "broker": broker, "named_by": at} for broker, at in judged.infos]
        if rows:
            yield self.rows(rows)

    def rows(self, rows: Sequence[dict[str, Any]]) -> pa.RecordBatch:
        import pyarrow as pa

        of_file = {"cluster": self.cluster, "file": self.file}
        return pa.RecordBatch.from_pylist([of_file | row for row in rows], schema=arrow("TOLD"))


def pieces_of(source: Source, name: str) -> Iterator[Piece]:
    """The samples of a file, with what the folders that it is in say of all of them where it does not."""
    import pyarrow as pa

    named = labels_of_folders(name)
    for piece in pieces(source, name):
        for label, value in named.items():
            if label not in piece.columns:
                piece.columns[label] = pa.repeat(pa.scalar(value), piece.n)
        if piece.n:
            yield piece


def pieces(source: Source, name: str) -> Iterator[Piece]:
    """The samples of a file, as its name says that they are written."""
    packed = name.lower().endswith(".gz")
    suffix = PurePath(name.lower().removesuffix(".gz")).suffix
    kind = KINDS.get(suffix)
    if kind is None or (packed and kind == "parquet"):
        with source.opened():  # its digest counts all the same
            raise UnusableInput(f"is no file of samples by its name ({', '.join(KINDS)})")
    with source.opened() as plain, cast("IO[bytes]", gzip.open(plain)) if packed else plain as stream:
        if kind == "parquet":
            yield from parquet_file.read(plain)
        elif kind == "csv":
            yield from csv_file.read(stream)
        elif kind == "json":
            yield from json_file.read(stream)
        else:
            yield from exposition.read(stream, name)


def labels_of_folders(name: str) -> dict[str, str]:
    """What folders like ``topic=orders`` say of all samples in them, as Spark and Hive write them."""
    parts = (part.split("=", 1) for part in PurePath(name).parts[1:-1] if "=" in part)
    told = standard(dict(parts))
    return {name: value for name, value in told.items() if value is not None and name in CALLED}

