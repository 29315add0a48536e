"""What is in files of Hadoop's file systems, as rows: Spark reads them, whichever worker that is on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from pyspark.sql import functions as F

from equipoise.pipeline.places.hadoop import HadoopPlace

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

AS_THEY_ARE = "__globPaths__"
"""Spark's own streams take paths as they are with this: Hadoop finds no name that has a colon and a bracket,
whether what would be a pattern is escaped or not."""
ONCE = "recursiveFileLookup"
"""Spark's own streams give the files of several folders twice and more where one of them has brackets in its
name; with this they go by the files that were found, each once."""


def with_contents(files: DataFrame, places: Sequence[HadoopPlace]) -> DataFrame:
    """FILES with the column ``content``, which is null where there is a fault; ``places``: those of the rows.

    A file that is gone by now ends the job: what it told would be missing without a word.
    """
    full = [place for place in places if place.n_bytes]
    empty = F.col("path").isin([str(place) for place in places if not place.n_bytes])
    known = files.withColumn("content", F.when(empty, F.lit(b"")))
    if not full:
        return known
    read = contents(files.sparkSession, full).join(F.broadcast(files.where("path is not null")), on="path")
    return read.select(*known.columns).unionByName(known.where("path is null or content is not null"))


def contents(spark: SparkSession, places: Sequence[HadoopPlace]) -> DataFrame:
    """(path, content) of files, but of empty ones: Spark passes over them."""
    reader = spark.read.format("binaryFile").option(AS_THEY_ARE, "false").option(ONCE, "true")
    for option in ("ignoreCorruptFiles", "ignoreMissingFiles"):
        reader = reader.option(option, "false")
    return reader.load([str(place) for place in places]).select("path", "content")
