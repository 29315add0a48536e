"""A published run, read back without Spark."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from equipoise.errors import UnusableInput
from equipoise.formats.object_rows import misfit
from equipoise.formats.shapes import Id
from equipoise.pipeline.jobs.claim import RECORD, TABLE_FOLDER
from equipoise.pipeline.places.addresses import local
from equipoise.pipeline.places.hadoop import hadoop_place
from equipoise.pipeline.places.runs import pointed
from equipoise.pipeline.schemas.tables import SEVERITIES, TABLES
from equipoise.pipeline.session import session, settings_of
from equipoise.wording import cut

Row = dict[str, Any]
READ = ("plan_summary", "checks", "quarantine", "plan_history", "disk_days")
ADVICE = "Give the folder of equipoise run --out"
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


@contextmanager
def run_at(address: str, conf: Sequence[str] = ()) -> Iterator[Path]:
    """The run at an address as a folder of this machine: of one elsewhere what is needed is brought here.

    That takes Spark, with the settings ``conf``. Raises :class:`UnusableInput` where there is none.
    """
    if (here := local(address)) is not None:
        yield here
        return
    settings = settings_of(conf)
    with TemporaryDirectory(prefix="equipoise-run-") as scratch, session("local[1]", conf=settings) as spark:
        run = pointed(hadoop_place(spark, address))
        if run is None:
            raise UnusableInput("holds no run", source=address, advice=ADVICE)
        (run / RECORD).download(Path(scratch))
        (Path(scratch) / TABLE_FOLDER).mkdir()
        for name in READ:
            (run / TABLE_FOLDER / name).download(Path(scratch) / TABLE_FOLDER)
        yield Path(scratch)


def published(out: Path, address: str = "") -> Published:
    """What is in the folder of a run; ``address`` is what messages call it.

    Raises :class:`UnusableInput` where it holds no run of this version.
    """
    try:
        record = told(json.loads((out / RECORD).read_bytes()))
        summary, findings, quarantine, history, disks = (rows(out, name) for name in READ)
    except (OSError, ValueError, RecursionError) as error:
        source = address or str(out)
        raise UnusableInput(f"holds no run ({error})", source=source, advice=ADVICE) from None
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
