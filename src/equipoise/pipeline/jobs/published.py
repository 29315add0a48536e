"""A published run, read back without Spark."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from equipoise.errors import UnusableInput
from equipoise.files.places import on_this_machine
from equipoise.formats.object_rows import misfit
from equipoise.formats.shapes import Id
from equipoise.pipeline.jobs.claim import RECORD, TABLE_FOLDER
from equipoise.pipeline.schemas.tables import SEVERITIES, TABLES
from equipoise.wording import cut

Row = dict[str, Any]
SHAPE = {
    "fleet": str,
    "started": str,
    "equipoise": str,
    "set_aside": {"pieces": Id},
    "seconds": {},
    "before": {"taken_over": [str]},
}
"""What a short report takes from ``run.json``."""


@dataclass(frozen=True)
class Published:
    """What a run published, as far as a short report needs it."""

    record: Row
    """``run.json``."""
    clusters: list[Row]
    """Rows of ``plan_summary`` with ``set_aside``, ``errors``, ``warned`` (findings of ``checks``) and
    ``days_until_full`` (of the disk that is full first, None where that is not known)."""
    findings: list[Row]
    """Rows of ``checks`` with a subject, errors first."""
    quarantine: list[Row]
    now: list[Row]
    """Rows of ``plan_history`` of this run."""
    before: list[Row]
    """Those of the run before it."""


def published(out: Path) -> Published:
    """Raises :class:`UnusableInput` where ``out`` holds no run of this version."""
    on_this_machine(out)
    try:
        record = told(json.loads((out / RECORD).read_bytes()))
        summary, findings, quarantine, history, disks = (
            rows(out, name) for name in ("plan_summary", "checks", "quarantine", "plan_history", "disk_days")
        )
    except (OSError, ValueError, RecursionError) as error:
        advice = "Give the folder of equipoise run --out"
        raise UnusableInput(f"holds no run ({error})", source=str(out), advice=advice) from None
    order = ("severity", "cluster", "check", "subject")
    found = sorted(
        (row for row in findings if row["subject"] is not None),
        key=lambda row: (SEVERITIES.index(row["severity"]), *(row[name] for name in order)),
    )
    runs = sorted({row["run"] for row in history})
    now, before = (
        sorted((row for row in history if row["run"] == run), key=lambda row: str(row["cluster"]))
        for run in (runs[-1] if runs else None, runs[-2] if len(runs) > 1 else None)
    )
    return Published(record, joined(summary, found, now, disks), found, quarantine, now, before)


def told(record: Any) -> Row:
    """What ``run.json`` holds; raises ``ValueError`` where a short report could not be made of it."""
    place, problem = misfit(record, SHAPE) or ("", "")
    seconds = {} if problem else record["seconds"]
    if not problem and not all(isinstance(took, int | float) for took in seconds.values()):
        place, problem = "seconds", f"{cut(str(seconds))} are not all numbers"
    if problem:
        raise ValueError(": ".join(filter(None, [RECORD, place, problem])))
    return dict(record)


def joined(summary: list[Row], findings: list[Row], now: list[Row], disks: list[Row]) -> list[Row]:
    """The rows of clusters with what other tables tell of them."""
    counts = Counter((row["cluster"], row["severity"]) for row in findings)
    aside = {row["cluster"]: row["set_aside"] for row in now}
    days: dict[str, float] = {}
    for row in disks:
        if row["before"] is not None and row["before"]["days"] is not None:
            days[row["cluster"]] = min(row["before"]["days"], days.get(row["cluster"], float("inf")))
    return [
        row
        | {
            "set_aside": aside.get(row["cluster"], 0),
            "errors": counts[row["cluster"], "error"],
            "warned": counts[row["cluster"], "warning"],
            "days_until_full": days.get(row["cluster"]),
        }
        for row in summary
    ]


def rows(out: Path, table: str) -> list[Row]:
    """All rows of a small table; raises ``ValueError`` where it lacks a column."""
    import pyarrow.parquet as pq

    found = pq.read_table(out / TABLE_FOLDER / table)
    if lacks := sorted(set(TABLES[table].schema.names) - set(found.column_names)):
        raise ValueError(f"table {table} has no {lacks[0]}")
    return list(found.to_pylist())
