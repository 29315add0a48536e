"""Rows of clusters that are taken over from the run before, put beside those that were made anew.

On this machine a file of which all clusters are taken over is linked, and what is kept of others is written
anew without Spark: a run over a fleet of which little has changed costs little. In a file system of Hadoop,
where there are no links, Spark writes them.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from pyspark.sql import functions as F

from equipoise.errors import UnusableInput
from equipoise.files.places import Place
from equipoise.pipeline.jobs.claim import Somewhere
from equipoise.pipeline.jobs.store import ROWS_IN_FILE, in_key_order, parts, read_table, write_table
from equipoise.pipeline.places.taking import link_or_copy
from equipoise.pipeline.schemas.tables import Table
from equipoise.wording import first_line

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import SparkSession

WORTH_A_FILE = ROWS_IN_FILE // 4
"""Rows from which on a file is linked; smaller ones become one, so that there are few after many runs."""


def add_kept(
    spark: SparkSession, table: Table, before: Place, kept: Collection[str], folder: Place, work: Place
) -> int:
    """Put what ``before`` has of some clusters beside the files in ``folder``; how many rows that is.

    ``work`` is a folder that may be made, in the same file system.
    """
    if isinstance(before, Path) and isinstance(folder, Path):
        n_rows = sum(add_file(one, table, folder) for one in kept_files(before, kept))
        if not parts(folder):  # a table without rows has its columns all the same
            add_file(parts(before)[0], table, folder)
        return n_rows
    rows = read_table(spark, table, before).where(F.col("cluster").isin(sorted(kept)))
    n_rows = write_table(rows, table, work)
    for file in parts(work):
        file.rename(next_part(folder))
    return n_rows


def kept_files(before: Path, kept: Collection[str]) -> Iterator[Path | pa.Table]:
    """Files that stay as they are, and rows of others, as many as a file has."""
    import pyarrow as pa

    # Which columns may be null differs from file to file, as Spark tells it of a query; types never do.
    together = partial(pa.concat_tables, promote_options="default")
    wanted = pa.array(sorted(kept), pa.string())
    loose: list[pa.Table] = []
    for path in parts(before):
        found = kept_of(path, wanted)
        if isinstance(found, Path):
            yield found
            continue
        loose.append(found)
        if sum(rows.num_rows for rows in loose) >= ROWS_IN_FILE:
            yield together(loose)
            loose = []
    if any(rows.num_rows for rows in loose):
        yield together(loose)


def kept_of(path: Path, clusters: pa.Array) -> Path | pa.Table:
    """A file that is worth it and has those clusters alone, else their rows in it.

    Raises :class:`UnusableInput` where it cannot be read any more.
    """
    import pyarrow.compute as pc
    import pyarrow.parquet as pq

    try:
        with pq.ParquetFile(path, coerce_int96_timestamp_unit="us") as file:
            is_kept = pc.is_in(file.read(columns=["cluster"])["cluster"], clusters)
            if len(is_kept) >= WORTH_A_FILE and pc.all(is_kept).as_py():
                return path
            return file.read().filter(is_kept)
    except (OSError, ValueError) as error:  # PyArrow tells of broken files by both
        advice = "Run again with --full, which takes over nothing"
        problem = f"cannot be read any more ({first_line(error)})"
        raise UnusableInput(problem, source=str(path), advice=advice) from None


def add_file(kept: Path | pa.Table, table: Table, folder: Path) -> int:
    """A file as it is, or rows in a new one, in key order as Spark would have written them; how many rows."""
    import pyarrow.parquet as pq

    to = next_part(folder)
    if isinstance(kept, Path):
        link_or_copy(str(kept), str(to))
        return int(pq.read_metadata(to).num_rows)
    pq.write_table(in_key_order(kept, table.key), to, use_deprecated_int96_timestamps=True)
    return int(kept.num_rows)


def next_part(folder: Somewhere) -> Somewhere:
    """A file that is not there yet."""
    return folder / f"part-{len(parts(folder)):05}.parquet"
