"""Tables as folders of Parquet files."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from pyspark.sql import DataFrame, Observation, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.types import StructType

from equipoise.files.places import Place
from equipoise.pipeline.jobs.claim import Somewhere
from equipoise.pipeline.places.literal import literal
from equipoise.pipeline.schemas.conform import conform
from equipoise.pipeline.schemas.tables import Table

if TYPE_CHECKING:
    import pyarrow as pa

ROWS_IN_FILE = 250_000
"""Of a table, at most: of a file of few clusters more is as it was when some of a fleet have changed."""
ROWS_AT_A_TIME, FEW = "spark.sql.parquet.columnarReaderBatchSize", "32"


def materialize(frame: DataFrame, schema: StructType, folder: Place) -> DataFrame:
    """Write a step's rows and read them back: what follows does not run the step again."""
    frame.write.mode("errorifexists").parquet(str(folder))
    tidy(folder)
    return frame.sparkSession.read.schema(schema).parquet(literal(folder))


@contextmanager
def large_rows(spark: SparkSession) -> Iterator[None]:
    """While the block runs, Spark reads few rows of a file at a time: those of many samples are large."""
    before = spark.conf.get(ROWS_AT_A_TIME)
    spark.conf.set(ROWS_AT_A_TIME, FEW)
    try:
        yield
    finally:
        spark.conf.set(ROWS_AT_A_TIME, str(before))


def write_table(frame: DataFrame, table: Table, folder: Place) -> int:
    """Write a table in key order within its files; the number of its rows."""
    seen = Observation()
    ordered = conform(frame, table.schema).sortWithinPartitions(*table.key)
    counted = ordered.observe(seen, F.count(F.lit(1)).alias("rows"))
    counted.write.mode("errorifexists").option("maxRecordsPerFile", ROWS_IN_FILE).parquet(str(folder))
    tidy(folder)
    return int(seen.get["rows"])


def read_table(spark: SparkSession, table: Table, folder: Place) -> DataFrame:
    return spark.read.schema(table.schema).parquet(literal(folder))


def tidy(folder: Place) -> None:
    """Name the data files by their number alone and drop Hadoop's marks, which tell a run from another."""
    files = parts(folder)
    for file in folder.iterdir():
        if file.suffix != ".parquet":
            file.unlink()
    for number, file in enumerate(files):
        file.rename(folder / f"part-{number:05}.parquet")


def parts(folder: Somewhere) -> list[Somewhere]:
    """The files of a table in the order of their numbers."""
    return sorted(
        (file for file in folder.iterdir() if file.suffix == ".parquet"), key=lambda file: file.name
    )


def in_key_order(rows: pa.Table, key: Sequence[str]) -> pa.Table:
    """Rows as Spark would order them: null before all else."""
    import pyarrow.compute as pc

    keys = [(column, "ascending", "at_start") for column in key]
    return rows.take(pc.sort_indices(rows, sort_keys=keys))


def write_json(path: Place, value: object) -> None:
    path.write_text(json.dumps(value, indent=2, ensure_ascii=False) + "\n", "utf-8")
