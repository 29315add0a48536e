"""How much the figures of a cluster rest on: where its loads come from, and what is missing."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from equipoise.report.words import number, percent, plural

Row = Mapping[str, Any]
SOURCES = {
    "measured": ("measured",),
    "split": ("split by offsets", "split evenly"),
    "from_retention": ("from retention",),
    "unknown": ("unknown",),
}
"""Sources of ``partition_load`` by what they are called here."""
HEADINGS = (
    "Bytes in measured", "split", "from retention", "not known", "Replicas of unknown size",
    "Metrics left out", "Gaps", "Pieces set aside",
)  # fmt: skip


def cells(quality: Row) -> list[str]:
    """One cluster below `HEADINGS`; parts are of its partitions."""
    n = quality["partitions"]
    parts = [percent(quality[source] / n) if n else "–" for source in SOURCES]
    return [*parts, *(number(quality[key]) for key in ("unknown_sizes", "left_out", "gaps", "set_aside"))]


def quality_lines(rows: Iterable[Row]) -> list[str]:
    """A sentence for each cluster of which something is missing, for a terminal."""
    return [f"{row['cluster']}: {'; '.join(said)}" for row in rows if (said := lacks(row["quality"]))]


def lacks(quality: Row) -> list[str]:
    """What is missing."""
    n, found = quality["partitions"], []
    if quality["measured"] and quality["unknown"]:
        found.append(f"bytes in of {percent(quality['unknown'] / n)} of the partitions are not known")
    if quality["measured"] and quality["unknown_sizes"]:
        found.append(f"{plural(quality['unknown_sizes'], 'replica')} of unknown size")
    if quality["left_out"]:
        found.append(f"{plural(quality['left_out'], 'metric')} left out")
    if quality["gaps"]:
        found.append(plural(quality["gaps"], "gap"))
    return found
