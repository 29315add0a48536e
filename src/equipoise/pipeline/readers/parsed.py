"""The step that reads states, leniently, so that what is broken is set aside line by line; each file once."""

from __future__ import annotations

import pickle
from collections.abc import Iterable, Iterator
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any

from equipoise.errors import UnusableInput
from equipoise.files.places import Place
from equipoise.pipeline.places.digests import digest_of
from equipoise.pipeline.schemas.steps import PARSED, arrow
from equipoise.pipeline.transforms.apart import each, is_second_try
from equipoise.pipeline.transforms.memory import tasks_at_once
from equipoise.pipeline.transforms.set_aside import set_aside, unexpected

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame


def parsed(files: DataFrame) -> DataFrame:
    """Rows of FILES to those of PARSED, a file each; of clusters that are as they were digests alone.

    Where there is a column ``content``, nothing is opened.
    """
    at_once = tasks_at_once(files.sparkSession)

    def parse_batches(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        rows = (row for batch in batches for row in batch.to_pylist())
        # On a second try a process of its own is to read what kills whoever reads it.
        return each(rows if is_second_try() else compared(rows), parse_file_row, lost, at_once)

    return files.mapInArrow(parse_batches, PARSED)


def compared(rows: Iterable[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """The rows, with what is in files that may be as they were, and whether all of their cluster ``is_same``.

    Files of one cluster follow each other and are in memory together: if one has changed, all are parsed.
    """
    for (_, may_be), group in groupby(rows, lambda row: (row["cluster"], row["before"] is not None)):
        if not may_be:
            yield from group
            continue
        files = [with_content(row) for row in group]
        is_same = all(file["digest"] == file["before"] for file in files)
        yield from (file | {"is_same": is_same} for file in files)


def with_content(row: dict[str, Any]) -> dict[str, Any]:
    """A row of a file that can be read with its content and digest, of another with its fault."""
    from equipoise.files.sources import read_bytes

    try:
        content = row.get("content")
        content = read_bytes(row["path"], row["file"]) if content is None else bytes(content)
    except UnusableInput as error:
        return row | {"path": None, "fault": error.problem, "digest": None}
    return row | {"content": content, "digest": digest_of(content)}


def digests_of(rows: DataFrame, place: Place) -> dict[tuple[str, str], str]:
    """The digests of the files that could be read, by cluster and name.

    ``place``: the folder where the rows, of PARSED or TOLD, stand.
    """
    import pyarrow.parquet as pq

    wanted = ["cluster", "file", "digest"]
    if isinstance(place, Path):  # without a job of Spark
        told = pq.read_table(place, columns=wanted).to_pylist()
    else:
        told = [row.asDict() for row in rows.select(*wanted).where("digest is not null").collect()]
    return {(row["cluster"], row["file"]): row["digest"] for row in told if row["digest"]}


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
    from equipoise.files.sources import parse_file

    result: dict[str, Any] = head_of(row) | {"faults": []}
    if row["path"] is not None and "digest" not in row:
        row = with_content(row)
    if row["path"] is None:
        if row["file"]:
            return result | {"faults": [{"reason": row["fault"]}]}
        return result | {"unusable": row["fault"]}
    result["digest"] = row["digest"]
    if row.get("is_same"):
        return result
    try:
        fragment = parse_file(row["content"], name=row["file"], lenient=True)
    except UnusableInput as error:
        return result | {"faults": [{"place": error.place or None, "reason": error.problem}]}
    return result | {
        "format": fragment.format or None,
        "fragment": pickle.dumps(fragment, protocol=5),
        "faults": [set_aside(piece) for piece in fragment.quarantined],
    }
