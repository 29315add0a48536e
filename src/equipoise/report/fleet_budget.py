"""What became of the bytes that all clusters of a fleet share, in sentences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from equipoise.report import words
from equipoise.report.words import percent, plural

Row = Mapping[str, Any]


def budget_lines(record: Row | None, rows: Sequence[Row]) -> list[str]:
    """``record``: what ``run.json`` says of the budget, None where there is none; ``rows``: of ``budget``."""
    if record is None:
        return []
    total, given, wanted = (words.size(record[key]) for key in ("max_bytes_total", "given", "wanted"))
    return [f"{given} of {total} given, {wanted} wished for", *what_is_left(record), *map(cluster_line, rows)]


def what_is_left(record: Row) -> list[str]:
    """How good the way is in which the bytes were given."""
    if record.get("left") is None:
        return []
    of = f"of the unevenness of {plural(record['clusters'], 'cluster')} {percent(record['left'])} is left"
    if record.get("lower_bound") is None:
        return [f"{of}; how little any other way would leave is not known"]
    return [f"{of}, and no other way to give them leaves less than {percent(record['lower_bound'])}"]


def cluster_line(row: Row) -> str:
    """What one cluster got, and what that bought."""
    wanted = "an unknown number" if row["wanted_bytes"] is None else words.size(row["wanted_bytes"])
    got = f"{row['cluster']}: {words.size(row['max_bytes'])} of {wanted}"
    if row["goal"] is None:
        return f"{got}, for what it wishes"
    if row["level"] is None:
        return f"{got}, no plan"
    if not row["level_before"]:
        return f"{got}, {row['goal']} level as it was"
    return f"{got}, {percent(row['level'] / row['level_before'])} of the unevenness of {row['goal']} left"
