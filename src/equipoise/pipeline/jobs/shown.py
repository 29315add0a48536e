"""What pages and reports show of the tables of a run, read without Spark."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from equipoise.files.places import Place
from equipoise.pipeline.jobs.store import in_key_order
from equipoise.pipeline.places.hadoop import HadoopPlace
from equipoise.pipeline.schemas.tables import HISTORIES, SEVERITIES, TABLES
from equipoise.report.fleet_quality import SOURCES

if TYPE_CHECKING:
    import pyarrow as pa

Row = dict[str, Any]
READ = (
    "plan_summary", "checks", "quarantine", "disk_days", "budget", "broker_load", "partition_load",
    "left_out",
)  # fmt: skip
"""Tables that are read here, beside the histories."""
COUNTED = {"errors": "error", "warned": "warning"}
"""What is counted of the findings of a cluster, and their severity."""
SHOWN_RUNS = 30
"""Runs of which the page of a fleet shows how it went."""
MAX_UNKNOWN = 20
"""Names of unknown metrics that ``run.json`` has."""


@contextmanager
def at_hand(tables: Place, names: Sequence[str] = READ) -> Iterator[Path]:
    """Tables of a run in a folder of this machine: of those elsewhere the named ones are brought here."""
    if isinstance(tables, Path):
        yield tables
    elif isinstance(tables, HadoopPlace):
        with TemporaryDirectory(prefix="equipoise-tables-") as scratch:
            for name in names:
                (tables / name).download(Path(scratch))
            yield Path(scratch)


def table(tables: Path, name: str) -> pa.Table:
    """A small table as a whole; raises ``ValueError`` where it lacks a column."""
    import pyarrow.parquet as pq

    found = pq.read_table(tables / name, coerce_int96_timestamp_unit="us")
    if lacks := sorted(set(TABLES[name].schema.names) - set(found.column_names)):
        raise ValueError(f"table {name} has no {lacks[0]}")
    return found


def columns(tables: Path, name: str, *wanted: str) -> pa.Table:
    """Some columns, or fields of them, by their last names; raises ``ValueError`` where one lacks."""
    import pyarrow.parquet as pq

    found = pq.read_table(tables / name, columns=list(wanted))
    if found.column_names != [column.rpartition(".")[2] for column in wanted]:
        raise ValueError(f"table {name} has no {', '.join(wanted)}")
    return found


def tally(rows: pa.Table, *keys: str) -> Counter[tuple[Any, ...]]:
    """How many rows have the same values in some columns."""
    counted = rows.group_by(list(keys)).aggregate([([], "count_all")]).to_pylist()
    return Counter({tuple(row[key] for key in keys): row["count_all"] for row in counted})


def clusters(tables: Path) -> list[Row]:
    """The rows of ``plan_summary`` in name order with what other tables tell of each cluster.

    ``checks`` (``passed`` of ``all``), ``set_aside``, ``errors`` and ``warned`` (findings),
    ``days_until_full`` (of the disk that is full first, None where that is not known), and in ``quality``
    what its figures rest on.
    """
    import pyarrow.compute as pc

    checks = columns(tables, "checks", "cluster", "check", "subject", "severity", "passed")
    of_clusters = pc.is_null(checks["subject"])
    passed = tally(checks.filter(of_clusters), "cluster", "passed")
    found = checks.filter(pc.invert(of_clusters))
    severities, gaps = tally(found, "cluster", "severity"), tally(found, "cluster", "check")
    aside = tally(columns(tables, "quarantine", "cluster"), "cluster")
    left_out = tally(columns(tables, "left_out", "cluster"), "cluster")
    loads = columns(tables, "partition_load", "cluster", "bytes_in_per_s.source")
    sources = tally(loads, "cluster", "source")
    sizes = of_each(columns(tables, "broker_load", "cluster", "disk_bytes.unknown"), "sum")
    days = of_each(columns(tables, "disk_days", "cluster", "before.days"), "min")

    def told(row: Row) -> Row:
        name = row["cluster"]
        parts = {key: sum(sources[name, one] for one in many) for key, many in SOURCES.items()}
        pieces = aside[name,]
        return {
            **row,
            "checks": {"passed": passed[name, True], "all": passed[name, True] + passed[name, False]},
            "set_aside": pieces,
            **{key: severities[name, severity] for key, severity in COUNTED.items()},
            "days_until_full": days.get(name),
            "quality": {
                **parts,
                "unknown_sizes": sizes.get(name) or 0,
                "left_out": left_out[name,],
                "gaps": gaps[name, "gaps"],
                "set_aside": pieces,
                "partitions": sum(parts.values()),
            },
        }

    rows = table(tables, "plan_summary").to_pylist()
    return sorted(map(told, rows), key=lambda row: str(row["cluster"]))


def of_each(rows: pa.Table, what: str) -> dict[str, Any]:
    """The sum, or the least, of the second column for each cluster."""
    key, value = rows.column_names
    found = rows.group_by(key).aggregate([(value, what)]).to_pylist()
    return {row[key]: row[f"{value}_{what}"] for row in found}


def findings(tables: Path, most: int | None = None) -> list[Row]:
    """The rows of ``checks`` with a subject, or the first of them, errors before warnings."""
    import pyarrow as pa
    import pyarrow.compute as pc

    rows = table(tables, "checks")
    rows = rows.filter(pc.is_valid(rows["subject"]))
    ranks = pc.index_in(rows["severity"], pa.array(SEVERITIES))
    ranked = in_key_order(rows.append_column("rank", ranks), ("rank", *TABLES["checks"].key))
    return list(ranked[:most].drop_columns("rank").to_pylist())


def pieces(tables: Path, most: int | None = None) -> list[Row]:
    """What was set aside, or the first of it."""
    return list(in_key_order(table(tables, "quarantine"), TABLES["quarantine"].key)[:most].to_pylist())


def runs(tables: Path, most: int | None = None) -> list[Row]:
    """Rows of ``plan_history`` beside those of ``load_history``, or those of the last runs."""
    plans, loads = (table(tables, name).to_pylist() for name in HISTORIES)
    last = sorted({row["run"] for row in plans})[-most if most else None :]
    held = {(row["run"], row["cluster"]): row for row in loads}
    nothing = dict.fromkeys(TABLES["load_history"].schema.names)
    shown = [row for row in plans if row["run"] in last]
    return [{**nothing, **held.get((row["run"], row["cluster"]), {}), **row} for row in shown]


def unknown_metrics(tables: Path) -> Row:
    """How many samples were left out since nobody knows their metric, and the metrics with the most."""
    samples = of_each(columns(tables, "left_out", "metric", "samples"), "sum")
    by_name = sorted(samples.items(), key=lambda pair: (-pair[1], pair[0]))
    told = [{"metric": name, "samples": n} for name, n in by_name[:MAX_UNKNOWN]]
    return {"samples": sum(samples.values()), "metrics": len(by_name), "first": told}
