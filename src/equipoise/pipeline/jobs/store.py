"""Tables as folders of Parquet files."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager

from pyspark.sql import DataFrame, Observation, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.types import StructType

from equipoise.files.places import Place
from equipoise.pipeline.places.literal import literal
from equipoise.pipeline.schemas.conform import conform
from equipoise.pipeline.schemas.tables import Table

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
    ordered.observe(seen, F.count(F.lit(1)).alias("rows")).write.mode("errorifexists").parquet(str(folder))
    tidy(folder)
    return int(seen.get["rows"])


def read_table(spark: SparkSession, table: Table, folder: Place) -> DataFrame:
    return spark.read.schema(table.schema).parquet(literal(folder))


def tidy(folder: Place) -> None:
    """Name the data files by their number alone and drop Hadoop's marks, which tell a run from another."""
    for file in folder.iterdir():
        if file.suffix == ".parquet":
            number = file.name.split("-")[1]
            file.rename(folder / f"part-{number}.parquet")
        else:
            file.unlink()


def write_json(path: Place, value: object) -> None:
    path.write_text(json.dumps(value, indent=2, ensure_ascii=False) + "\n", "utf-8")
