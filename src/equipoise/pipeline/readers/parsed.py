"""The first Python step: each file once, leniently, so that what is broken is set aside line by line."""

from __future__ import annotations

import pickle
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from equipoise.errors import UnusableInput
from equipoise.files.places import Place
from equipoise.pipeline.places.digests import digest_of
from equipoise.pipeline.schemas.steps import PARSED, arrow
from equipoise.pipeline.transforms.apart import each
from equipoise.pipeline.transforms.memory import tasks_at_once
from equipoise.pipeline.transforms.set_aside import set_aside, unexpected

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame


def parsed(files: DataFrame) -> DataFrame:
    """(cluster, rank, task, file, path, fault) to the rows of PARSED, a file each.

    Where there is a column ``content``, nothing is opened.
    """
    at_once = tasks_at_once(files.sparkSession)

    def parse_batches(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        rows = (row for batch in batches for row in batch.to_pylist())
        return each(rows, parse_file_row, lost, at_once)

    return files.mapInArrow(parse_batches, PARSED)


def digests_of(parsed_files: DataFrame, place: Place) -> dict[tuple[str, str], str]:
    """The digests of the files that could be read, by cluster and name.

    ``place``: the folder where the rows of PARSED stand.
    """
    import pyarrow.parquet as pq

    wanted = ["cluster", "file", "digest"]
    if isinstance(place, Path):  # without a job of Spark
        rows = pq.read_table(place, columns=wanted).to_pylist()
    else:
        rows = [row.asDict() for row in parsed_files.select(*wanted).collect()]
    return {(row["cluster"], row["file"]): row["digest"] for row in rows if row["digest"]}


def parse_file_row(row: dict[str, Any]) -> Iterator[pa.RecordBatch]:
    """One batch a file, so that one fragment at a time is in memory."""
    import pyarrow as pa

    try:
        yield pa.RecordBatch.from_pylist([parse_row(row)], schema=arrow("PARSED"))
    except Exception as error:  # a file that trips a bug must not take the fleet with it
        yield lost(row, unexpected(error))


def lost(row: dict[str, Any], reason: str) -> pa.RecordBatch:
    """A file that tells nothing."""
    import pyarrow as pa

    told = head_of(row) | {"faults": [{"reason": reason}]}
    return pa.RecordBatch.from_pylist([told], schema=arrow("PARSED"))


def head_of(row: dict[str, Any]) -> dict[str, Any]:
    """Which file it is."""
    return {key: row[key] for key in ("cluster", "rank", "file")}


def parse_row(row: dict[str, Any]) -> dict[str, Any]:
    """A file's row with what it tells; a file that cannot be read at all has a fault and no fragment."""
    from equipoise.files.sources import parse_file, read_bytes

    result: dict[str, Any] = head_of(row) | {"faults": []}
    if row["path"] is None:
        if row["file"]:
            return result | {"faults": [{"reason": row["fault"]}]}
        return result | {"unusable": row["fault"]}
    try:
        content = row.get("content")
        content = read_bytes(row["path"], row["file"]) if content is None else bytes(content)
        result["digest"] = digest_of(content)
        fragment = parse_file(content, name=row["file"], lenient=True)
    except UnusableInput as error:
        return result | {"faults": [{"place": error.place or None, "reason": error.problem}]}
    return result | {
        "format": fragment.format or None,
        "fragment": pickle.dumps(fragment, protocol=5),
        "faults": [set_aside(piece) for piece in fragment.quarantined],
    }
