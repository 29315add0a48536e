"""How a fleet and its clusters went from run to run."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from equipoise.report import spark, words

Row = Mapping[str, Any]
SHOWN = {
    "disk_bytes": ("Bytes held", words.size),
    "bytes_in_per_s": ("Bytes in a second", words.rate),
    "data_moves": ("Data moves planned", words.number),
}
"""What is added up over the clusters of a run: its title, and how it is written."""
OF_CLUSTERS = "disk_bytes"
"""What is drawn for each cluster."""


def trends(history: Iterable[Row]) -> dict[str, Any] | None:
    """Drawings and sentences of rows with ``run``, ``cluster`` and what `SHOWN` names; None for one run."""
    rows = list(history)
    runs = sorted({row["run"] for row in rows})
    if len(runs) < 2:
        return None
    fleet = [
        series(title, [total(rows, run, key) for run in runs], show) for key, (title, show) in SHOWN.items()
    ]
    by_cluster: dict[str, dict[Any, float | None]] = {}
    for row in rows:
        by_cluster.setdefault(row["cluster"], {})[row["run"]] = row[OF_CLUSTERS]
    lines = {name: spark.line([told.get(run) for run in runs]) for name, told in by_cluster.items()}
    return {
        "runs": len(runs),
        "since": runs[0].date().isoformat(),
        "fleet": [one for one in fleet if one is not None],
        "clusters": {name: path for name, path in sorted(lines.items()) if path is not None},
    }


def total(rows: Iterable[Row], run: Any, key: str) -> float | None:
    """The sum over the clusters of one run; None where it is known of none."""
    known = [row[key] for row in rows if row["run"] == run and row[key] is not None]
    return float(sum(known)) if known else None


def series(
    title: str, values: Sequence[float | None], show: Callable[[float], str]
) -> dict[str, Any] | None:
    """One figure of the fleet from run to run; None where it is known of fewer than two."""
    path, known = spark.line(values), [value for value in values if value is not None]
    if path is None:
        return None
    said = f"{show(known[0])} → {show(known[-1])}, from {show(min(known))} to {show(max(known))}"
    return {"title": title, "path": path, "said": said}


def trend_lines(history: Iterable[Row]) -> list[str]:
    """The same for a terminal."""
    found = trends(history)
    if found is None:
        return []
    head = f"{words.plural(found['runs'], 'run')} since {found['since']}"
    return [head, *(f"{one['title'].lower()}: {one['said']}" for one in found["fleet"])]
