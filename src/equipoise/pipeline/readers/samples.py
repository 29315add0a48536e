"""Sample files to rows: every kind of file in the same columns."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from itertools import groupby
from typing import TYPE_CHECKING

from pyspark.sql import functions as F
from pyspark.sql.types import StructType

from equipoise.pipeline.readers.sample_files import COLUMNS, SampleFile
from equipoise.pipeline.schemas.tables import TEXT, may
from equipoise.pipeline.transforms.samples import NOT_JSON, judged

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, SparkSession


def read_samples(spark: SparkSession, files: Sequence[SampleFile]) -> DataFrame | None:
    """All samples of a fleet, each with the reason why it is set aside or null; None where there is none.

    Files of the same form are read together, so that the number of forms counts and not that of the files.
    """
    usable = sorted((file for file in files if file.form), key=lambda file: (file.form, file.path))
    frames = [
        judged(of_form(spark, str(form), [file.path for file in group]))
        for form, group in groupby(usable, key=lambda file: file.form)
    ]
    return reduce(lambda one, other: one.unionAll(other), frames) if frames else None


def of_form(spark: SparkSession, form: str, paths: list[str]) -> DataFrame:
    """Files of one form as (cluster, file, time, metric, value, topic, partition, broker).

    What is in lines stays text.
    """
    kind, _, columns = form.partition(" ")
    if kind == "parquet":
        frame = spark.read.parquet(*paths)
    elif kind == "csv":
        named = [c if c in COLUMNS else f"other {k}" for k, c in enumerate(columns.split(","))]
        frame = spark.read.schema(texts(named)).option("header", True).csv(paths)
    else:
        reader = spark.read.option("columnNameOfCorruptRecord", NOT_JSON)
        frame = reader.schema(texts([*COLUMNS, NOT_JSON])).json(paths)
    there = [F.col(c) if c in frame.columns else F.lit(None).cast(TEXT).alias(c) for c in COLUMNS]
    broken = F.col(NOT_JSON) if NOT_JSON in frame.columns else F.lit(None).cast(TEXT).alias(NOT_JSON)
    return frame.select(*place(), *there, broken)


def place() -> list[Column]:
    """Cluster and file from the path, FLEET/CLUSTER/metrics/FILE, in which Spark escapes what URLs escape."""
    path = F.substring_index("_metadata.file_path", "/", -3)
    plain = F.when(path.contains("%"), F.url_decode(F.replace(path, F.lit("+"), F.lit("%2B")))).otherwise(
        path
    )
    return [
        F.substring_index(plain, "/", 1).alias("cluster"),
        F.substring_index(plain, "/", -2).alias("file"),
    ]


def texts(names: Sequence[str]) -> StructType:
    return StructType([may(name, TEXT) for name in names])
