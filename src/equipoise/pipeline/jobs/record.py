"""What a run did, for the page of the fleet, for ``run.json`` and for the terminal."""

from __future__ import annotations

import platform
import time
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pyspark.sql import functions as F

from equipoise import __version__
from equipoise.files.places import Place
from equipoise.files.policy import Policy
from equipoise.pipeline.jobs.earlier import Earlier
from equipoise.pipeline.jobs.span import Span
from equipoise.pipeline.jobs.store import read_table
from equipoise.pipeline.readers.fleet import ClusterFolder
from equipoise.pipeline.schemas.tables import SEVERITIES, TABLES
from equipoise.report import fleet_page
from equipoise.report.fleet_changes import news_of
from equipoise.report.fleet_data import MAX_QUARANTINE
from equipoise.report.fleet_quality import SOURCES

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

Row = dict[str, Any]
COUNTED = {"errors": "error", "warned": "warning"}
"""What is counted of the findings of a cluster, and their severity."""
QUALITY = (*SOURCES, "unknown_sizes", "left_out", "gaps")
"""What is counted of what the figures of a cluster rest on."""
MAX_UNKNOWN = 20
"""Names of unknown metrics that ``run.json`` has."""


def summary_rows(spark: SparkSession, folder: Place) -> list[dict[str, Any]]:
    """The rows of ``plan_summary`` with what other tables count of each cluster."""
    passed = (
        read_table(spark, TABLES["checks"], folder / "checks")
        .where("subject is null")
        .groupBy("cluster")
        .agg(F.struct(F.count_if("passed").alias("passed"), F.count(F.lit(1)).alias("all")).alias("checks"))
    )
    pieces = (
        read_table(spark, TABLES["quarantine"], folder / "quarantine")
        .groupBy("cluster")
        .agg(F.count(F.lit(1)).alias("set_aside"))
    )
    found = (
        read_table(spark, TABLES["checks"], folder / "checks")
        .where("subject is not null")
        .groupBy("cluster")
        .agg(
            *(F.count_if(F.col("severity") == kind).alias(name) for name, kind in COUNTED.items()),
            F.count_if(F.col("check") == "gaps").alias("gaps"),
        )
    )
    source = F.col("bytes_in_per_s.source")
    loads = (
        read_table(spark, TABLES["partition_load"], folder / "partition_load")
        .groupBy("cluster")
        .agg(*(F.count_if(source.isin(*told)).alias(name) for name, told in SOURCES.items()))
    )
    sizes = (
        read_table(spark, TABLES["broker_load"], folder / "broker_load")
        .groupBy("cluster")
        .agg(F.sum("disk_bytes.unknown").alias("unknown_sizes"))
    )
    metrics = (
        read_table(spark, TABLES["left_out"], folder / "left_out")
        .groupBy("cluster")
        .agg(F.count(F.lit(1)).alias("left_out"))
    )
    full = (
        read_table(spark, TABLES["disk_days"], folder / "disk_days")
        .groupBy("cluster")
        .agg(F.min("before.days").alias("days_until_full"))
    )
    summary = read_table(spark, TABLES["plan_summary"], folder / "plan_summary")
    joined = (
        summary.join(passed, on="cluster", how="left")
        .join(pieces, on="cluster", how="left")
        .join(found, on="cluster", how="left")
        .join(full, on="cluster", how="left")
        .join(loads, on="cluster", how="left")
        .join(sizes, on="cluster", how="left")
        .join(metrics, on="cluster", how="left")
        .fillna(0, ["set_aside", *COUNTED, *QUALITY])
    )
    rows = [with_quality(row.asDict(recursive=True)) for row in joined.collect()]
    return sorted(rows, key=lambda row: str(row["cluster"]))


def with_quality(row: Row) -> Row:
    """A row whose counts of what figures rest on stand together."""
    told = {name: row.pop(name) for name in QUALITY} | {"set_aside": row["set_aside"]}
    return row | {"quality": told | {"partitions": sum(told[name] for name in SOURCES)}}


def set_aside(spark: SparkSession, folder: Place) -> list[dict[str, Any]]:
    """The first pieces that were set aside, as many as a page shows; the table has them all."""
    quarantine = read_table(spark, TABLES["quarantine"], folder / "quarantine")
    ordered = quarantine.orderBy(*TABLES["quarantine"].key).limit(MAX_QUARANTINE)
    return [row.asDict() for row in ordered.collect()]


def findings(spark: SparkSession, folder: Place) -> list[dict[str, Any]]:
    """The first findings, errors before warnings, as many as a page shows."""
    rows = read_table(spark, TABLES["checks"], folder / "checks").where("subject is not null")
    rank = F.array_position(F.array(*map(F.lit, SEVERITIES)), F.col("severity"))
    ordered = rows.orderBy(rank, *TABLES["checks"].key).limit(MAX_QUARANTINE)
    return [row.asDict() for row in ordered.collect()]


def unknown_metrics(spark: SparkSession, folder: Place) -> dict[str, Any]:
    """How many samples were left out since nobody knows their metric, and the metrics with the most."""
    rows = read_table(spark, TABLES["left_out"], folder)
    found = rows.groupBy("metric").agg(F.sum("samples").alias("samples")).collect()
    by_name = sorted(((row.metric, row.samples) for row in found), key=lambda pair: (-pair[1], pair[0]))
    first = [{"metric": name, "samples": n} for name, n in by_name[:MAX_UNKNOWN]]
    return {"samples": sum(n for _, n in by_name), "metrics": len(by_name), "first": first}


def taken_over(earlier: Earlier, kept: Collection[str], span: Span) -> Row:
    """What ``run.json`` says of the run before, and which samples count."""
    since, window_s = span.told
    return {
        "since": since,
        "window_s": window_s,
        "before": {"started": earlier.started or None, "taken_over": sorted(kept)},
    }


@dataclass
class Clock:
    """Seconds of each part of a run."""

    started: datetime = field(default_factory=lambda: datetime.now(UTC))
    seconds: dict[str, float] = field(default_factory=dict)
    last: float = field(default_factory=time.monotonic)

    def lap(self, part: str) -> None:
        now = time.monotonic()
        self.seconds[part], self.last = round(now - self.last, 2), now


def index_page(
    fleet: Place,
    clusters: Sequence[ClusterFolder],
    rows: Sequence[Row],
    pieces: Sequence[Row],
    found: Sequence[Row],
    history: Sequence[Row],
    policy: Policy,
    clock: Clock,
) -> str:
    """``index.html``; ``history``: rows of the histories, those of this run among them."""
    facts = {
        "equipoise": __version__,
        "started": clock.started.isoformat(timespec="seconds"),
        "seconds": sum(clock.seconds.values()),
        "fleet": name_of(fleet),
        "clusters": len(clusters),
        "files": sum(len(cluster.files) for cluster in clusters),
        "partitions": sum(row["partitions"] or 0 for row in rows),
    }
    entries = [page_entry(row) | {"group": policy.group_of(row["cluster"])} for row in rows]
    return fleet_page(entries, pieces, facts, found, news_of(history), history)


def name_of(fleet: Place) -> str:
    """What its folder is called, "." too."""
    return fleet.absolute().name if isinstance(fleet, Path) else fleet.name


def page_entry(row: Row) -> Row:
    """A cluster's row in the words of its ``plan.json``."""
    if row["outcome"] != "planned":
        counts = {key: row[key] for key in (*COUNTED, "days_until_full", "quality")}
        return {"cluster": row["cluster"], "outcome": row["outcome"], "error": row["reason"], **counts}
    costs = ("data_moves", "bytes_moved", "leadership_changes", "partitions_changed")
    return {
        "cluster": row["cluster"],
        "source": {"missing": row["missing"]},
        "summary": {key: row[key] for key in costs},
        "before": row["before"],
        "after": row["after"],
        "certificate": row["certificate"],
        "warnings": row["warnings"],
        "request": {"goals": row["goals"]},
        "partial": row["partial"],
        **{key: row[key] for key in (*COUNTED, "days_until_full", "quality")},
    }


def run_record(
    spark: SparkSession,
    fleet: Place,
    clusters: Sequence[ClusterFolder],
    counts: Mapping[str, int],
    rows: Sequence[Row],
    pieces: Sequence[Row],
    clock: Clock,
) -> Row:
    """``run.json``: what ran, on what, row counts in and out, what was set aside and why."""
    named = {row["cluster"]: row for row in rows}
    return {
        "version": 1,
        "equipoise": __version__,
        "python": platform.python_version(),
        "spark": spark.version,
        "master": spark.conf.get("spark.master"),
        "fleet": str(fleet),
        "started": clock.started.isoformat(timespec="seconds"),
        "seconds": clock.seconds,
        "in": {
            "clusters": len(clusters),
            "files": sum(len(cluster.files) for cluster in clusters),
            "bytes": sum(cluster.n_bytes for cluster in clusters),
            "sample_files": sum(len(cluster.metrics) for cluster in clusters),
        },
        "out": {"rows": dict(counts)},
        "clusters": [
            {
                "cluster": cluster.name,
                "files": [file.name for file in cluster.files],
                "bytes": cluster.n_bytes,
            }
            | {key: named[cluster.name][key] for key in ("outcome", "reason", "set_aside")}
            for cluster in sorted(clusters, key=lambda cluster: cluster.name)
        ],
        "set_aside": {"pieces": counts["quarantine"], "first": list(pieces)},
    }
