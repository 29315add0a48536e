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
from equipoise.report.fleet_quality import SOURCES
from equipoise.wording import cut

Row = dict[str, Any]
ADVICE = "Give the folder of equipoise run --out"
SHAPE = {
    "fleet": str,
    "started": str,
    "equipoise": str,
    "set_aside": {"pieces": Id},
    "seconds": {},
    "before": {"taken_over": [str]},
    "budget?": {
        "max_bytes_total": int, "given": int, "wanted": int, "clusters": int, "left?": float,
        "lower_bound?": float,
    },
}
"""What a short report takes from ``run.json``."""
READ = (
    "plan_summary", "checks", "quarantine", "plan_history", "disk_days", "budget", "load_history",
    "broker_load", "left_out",
)  # fmt: skip


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
    history: list[Row]
    """Rows of ``plan_history`` beside those of ``load_history``."""
    budget: list[Row]
    """Rows of ``budget``: what each cluster got of the fleet's bytes; none where there is no such limit."""


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
        for name in (*READ, "partition_load"):
            (run / TABLE_FOLDER / name).download(Path(scratch) / TABLE_FOLDER)
        yield Path(scratch)


def published(out: Path, address: str = "") -> Published:
    """What is in the folder of a run; ``address`` is what messages call it.

    Raises :class:`UnusableInput` where it holds no run of this version.
    """
    try:
        record = told(json.loads((out / RECORD).read_bytes()))
        summary, findings, quarantine, plans, disks, budget, loads, sizes, left_out = (
            rows(out, name) for name in READ
        )
        sources = sources_of(out)
    except (OSError, ValueError, RecursionError) as error:
        source = address or str(out)
        raise UnusableInput(f"holds no run ({error})", source=source, advice=ADVICE) from None
    order = ("severity", "cluster", "check", "subject")
    found = sorted(
        (row for row in findings if row["subject"] is not None),
        key=lambda row: (SEVERITIES.index(row["severity"]), *(row[name] for name in order)),
    )
    last = max((row["run"] for row in plans), default=None)
    now = [row for row in plans if row["run"] == last]
    clusters = joined(summary, found, now, disks)
    quality = qualities(clusters, sources, sizes, left_out, found)
    clusters = [row | {"quality": quality[row["cluster"]]} for row in clusters]
    return Published(record, clusters, found, quarantine, beside(plans, loads), budget)


def beside(plans: list[Row], loads: list[Row]) -> list[Row]:
    """The rows of both histories, by run and cluster."""
    held = {(row["run"], row["cluster"]): row for row in loads}
    nothing = dict.fromkeys(TABLES["load_history"].schema.names)
    return [{**nothing, **held.get((row["run"], row["cluster"]), {}), **row} for row in plans]


def qualities(
    clusters: list[Row],
    sources: Counter[tuple[str, str]],
    sizes: list[Row],
    left_out: list[Row],
    findings: list[Row],
) -> dict[str, Row]:
    """What the figures of each cluster rest on."""
    metrics = Counter(row["cluster"] for row in left_out)
    gaps = Counter(row["cluster"] for row in findings if row["check"] == "gaps")
    unknown: Counter[str] = Counter()
    for row in sizes:
        unknown[row["cluster"]] += row["disk_bytes"]["unknown"]
    found = {}
    for row in clusters:
        name = row["cluster"]
        parts = {key: sum(sources[name, one] for one in told) for key, told in SOURCES.items()}
        counts = {"unknown_sizes": unknown[name], "left_out": metrics[name], "gaps": gaps[name]}
        more = {"set_aside": row["set_aside"], "partitions": sum(parts.values())}
        found[name] = parts | counts | more
    return found


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


def sources_of(out: Path) -> Counter[tuple[str, str]]:
    """How many partitions of each cluster have their bytes in from each source."""
    import pyarrow.parquet as pq

    wanted = ["cluster", "bytes_in_per_s.source"]
    found = pq.read_table(out / TABLE_FOLDER / "partition_load", columns=wanted)
    if found.column_names != ["cluster", "source"]:
        raise ValueError(f"table partition_load has no {', '.join(wanted)}")
    counted = found.group_by(found.column_names).aggregate([([], "count_all")]).to_pylist()
    return Counter({(row["cluster"], row["source"]): row["count_all"] for row in counted})


def rows(out: Path, table: str) -> list[Row]:
    """All rows of a small table; raises ``ValueError`` where it lacks a column."""
    import pyarrow.parquet as pq

    found = pq.read_table(out / TABLE_FOLDER / table)
    if lacks := sorted(set(TABLES[table].schema.names) - set(found.column_names)):
        raise ValueError(f"table {table} has no {lacks[0]}")
    return list(found.to_pylist())
