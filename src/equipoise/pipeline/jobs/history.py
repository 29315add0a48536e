"""What each run found, a row for each cluster: the tables ``plan_history`` and ``load_history``."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

from pyspark.sql import functions as F

from equipoise.files.places import Place
from equipoise.pipeline.jobs.earlier import Earlier
from equipoise.pipeline.jobs.store import read_table, write_table
from equipoise.pipeline.schemas.tables import EXACT, HISTORIES, PLAN_HISTORY, SPREAD, TABLES, TIME
from equipoise.pipeline.transforms.figures import nine_digits

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, SparkSession


def write_histories(
    spark: SparkSession,
    folder: Place,
    earlier: Earlier,
    started: datetime,
    rows: Sequence[Mapping[str, Any]],
    kept: Collection[str],
) -> dict[str, int]:
    """Add this run to what ``earlier`` ones found; how many rows each table has.

    ``rows``: those of ``plan_summary`` with ``set_aside``; ``kept``: clusters that were taken over.
    """
    broker_load = read_table(spark, TABLES["broker_load"], folder / "broker_load")
    new = {
        "plan_history": spark.createDataFrame(
            [plan_row(row, started, row["cluster"] in kept) for row in rows], PLAN_HISTORY
        ),
        "load_history": load_rows(broker_load, started),
    }
    counts = {}
    for name in HISTORIES:
        before = earlier.history(spark, name)
        whole = new[name] if before is None else before.unionByName(new[name])
        counts[name] = write_table(whole.coalesce(1), TABLES[name], folder / name)
    return counts


def plan_row(row: Mapping[str, Any], started: datetime, taken_over: bool) -> dict[str, Any]:
    """A row of ``plan_summary`` as one of ``plan_history``."""
    spreads = {
        side: row[side] and {name: row[side][name] for name in SPREAD.fieldNames()}
        for side in ("before", "after")
    }
    told = dict(row) | spreads | {"run": started, "taken_over": taken_over}
    return {name: told[name] for name in PLAN_HISTORY.fieldNames()}


def load_rows(broker_load: DataFrame, started: datetime) -> DataFrame:
    """The table ``broker_load`` to this run's rows of ``load_history``."""

    def total(column: str, figure: str) -> Column:
        return nine_digits(F.sum(F.col(column)[figure].try_cast(EXACT)))

    def unknown(column: str) -> Column:
        return F.sum(F.col(column)["unknown"])

    micros = int(started.timestamp() * 1_000_000)
    return broker_load.groupBy("cluster").agg(
        F.timestamp_micros(F.lit(micros)).cast(TIME).alias("run"),
        total("disk_bytes", "mean").alias("disk_bytes"),
        total("disk_bytes", "growth_per_day").alias("disk_growth_per_day"),
        total("leader_bytes_in_per_s", "mean").alias("bytes_in_per_s"),
        total("bytes_out_per_s", "mean").alias("bytes_out_per_s"),
        unknown("disk_bytes").alias("unknown_sizes"),
        unknown("leader_bytes_in_per_s").alias("unknown_bytes_in"),
    )
