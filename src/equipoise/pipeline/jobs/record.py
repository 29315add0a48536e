"""What a run did, for the page of the fleet, for ``run.json`` and for the terminal."""

from __future__ import annotations

import platform
import time
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from equipoise import __version__
from equipoise.files.places import Place
from equipoise.files.policy import Policy
from equipoise.pipeline.jobs.earlier import Earlier
from equipoise.pipeline.jobs.shown import COUNTED
from equipoise.pipeline.jobs.span import Span
from equipoise.pipeline.readers.fleet import ClusterFolder
from equipoise.report import fleet_page
from equipoise.report.fleet_changes import news_of

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

Row = dict[str, Any]


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
