"""What to look at first in a fleet, and what is new in it since the run before."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from equipoise.report.words import number, plural

Row = Mapping[str, Any]
MEASURES = (
    ("brokers", "broker"),
    ("partitions", "partition"),
    ("data_moves", "data move"),
    ("leadership_changes", "leadership change"),
    ("set_aside", "piece set aside"),
)
"""Columns of ``plan_history`` that are told when they change."""
PIECES = "pieces set aside"


def worst_first(rows: Sequence[Row]) -> list[Row]:
    """Clusters in the order in which somebody should look at them.

    ``rows`` may have ``outcome``, ``errors``, ``warned``, ``days_until_full`` (None: not known) and
    ``data_moves``. First comes what has no plan, then most errors, the disk that is full soonest, most
    warnings, most moves.
    """

    def rank(row: Row) -> tuple[bool, int, float, int, int, str]:
        days, moves = row.get("days_until_full"), row.get("summary", row).get("data_moves")
        return (
            row.get("outcome", "planned") == "planned",
            -row.get("errors", 0),
            float("inf") if days is None else days,
            -row.get("warned", 0),
            -(moves or 0),
            str(row["cluster"]),
        )

    return sorted(rows, key=rank)


def news_of(history: Sequence[Row]) -> list[str] | None:
    """What is new in the last run of ``plan_history``; None where it is the first."""
    runs = sorted({row["run"] for row in history})
    if len(runs) < 2:
        return None
    now, before = (
        sorted((row for row in history if row["run"] == run), key=lambda row: str(row["cluster"]))
        for run in (runs[-1], runs[-2])
    )
    return changes(now, before)


def changes(now: Sequence[Row], before: Sequence[Row]) -> list[str]:
    """Sentences on what differs between two runs, rows of ``plan_history`` each; none for the same."""
    was = {row["cluster"]: row for row in before}
    found = [line for row in now for line in of_cluster(row, was.get(row["cluster"]))]
    gone = sorted(was.keys() - {row["cluster"] for row in now})
    return found + [f"{cluster}: is gone" for cluster in gone]


def of_cluster(now: Row, was: Row | None) -> Iterator[str]:
    """What differs in one cluster."""
    name = now["cluster"]
    if was is None:
        yield f"{name}: is new"
    elif now["outcome"] != was["outcome"]:
        reason = f": {now['reason']}" if now["reason"] else ""
        yield f"{name}: {now['outcome']}, before {was['outcome']}{reason}"
    else:
        differ = [
            f"{PIECES if column == 'set_aside' else plural(now[column] or 0, noun).split(' ', 1)[1]} "
            f"{number(now[column])}, before {number(was[column])}"
            for column, noun in MEASURES
            if now[column] != was[column]
        ]
        if differ:
            yield f"{name}: {'; '.join(differ)}"
