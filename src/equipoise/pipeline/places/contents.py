"""What is in files of Hadoop's file systems, as rows: Spark reads them, whichever worker that is on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from pyspark.sql import functions as F

from equipoise.pipeline.places.hadoop import HadoopPlace
from equipoise.pipeline.places.literal import literal

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

DIGESTS_AT_ONCE = 20_000
"""Files of one job, so that no answer is too long for the driver."""


def with_contents(files: DataFrame, places: Sequence[HadoopPlace]) -> DataFrame:
    """FILES with the column ``content``, which is null where there is a fault; ``places``: those of the rows.

    A file that is gone by now ends the job: what it told would be missing without a word.
    """
    if not places:
        return files.withColumn("content", F.lit(None).cast("binary"))
    named = files.where("path is not null")
    read = contents(files.sparkSession, places).join(F.broadcast(named), on="path", how="inner")
    rows = read.select(*files.columns, "content")
    return rows.unionByName(files.where("path is null"), allowMissingColumns=True)


def digests(spark: SparkSession, places: Sequence[HadoopPlace]) -> dict[str, str]:
    """SHA-256 of each file by its address, without those that cannot be read now."""
    found: dict[str, str] = {}
    for at in range(0, len(places), DIGESTS_AT_ONCE):
        some = contents(spark, places[at : at + DIGESTS_AT_ONCE], lenient=True)
        rows = some.select("path", F.sha2("content", 256).alias("digest"))
        found |= {row.path: row.digest for row in rows.collect()}
    return found


def contents(spark: SparkSession, places: Sequence[HadoopPlace], *, lenient: bool = False) -> DataFrame:
    """(path, content) of files; a lenient reader leaves out what it cannot read."""
    reader = spark.read.format("binaryFile")
    for option in ("ignoreCorruptFiles", "ignoreMissingFiles"):
        reader = reader.option(option, str(lenient).lower())
    return reader.load([literal(place) for place in places]).select("path", "content")
