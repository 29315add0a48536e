"""How a fleet went from run to run, and what its figures rest on."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from equipoise.report.fleet_quality import HEADINGS, cells, quality_lines
from equipoise.report.fleet_trends import trend_lines, trends
from equipoise.report.spark import line

QUALITY = {
    "partitions": 4, "measured": 2, "split": 1, "from_retention": 0, "unknown": 1, "unknown_sizes": 3,
    "left_out": 2, "gaps": 1, "set_aside": 5,
}  # fmt: skip


def run(day: int, cluster: str, held: float | None, moves: int | None = 1) -> dict[str, Any]:
    time = datetime(2026, 1, day, tzinfo=UTC)
    return {"run": time, "cluster": cluster, "disk_bytes": held, "bytes_in_per_s": None, "data_moves": moves}


def test_sums_over_clusters() -> None:
    """Each run counts once, whatever the order of its rows; what nobody knows in two runs is left out."""
    history = [run(2, "b", 2 << 30), run(1, "a", 1 << 30), run(2, "a", 1 << 30), run(1, "c", None, None)]
    found = trends(history)
    assert found is not None and found["runs"] == 2 and list(found["clusters"]) == ["a"]
    assert [one["title"] for one in found["fleet"]] == ["Bytes held", "Data moves planned"]
    assert trend_lines(history) == [
        "2 runs since 2026-01-01",
        "bytes held: 1.0 GiB → 3.0 GiB, from 1.0 GiB to 3.0 GiB",
        "data moves planned: 1 → 2, from 1 to 2",
    ]


def test_a_first_run_has_no_trend() -> None:
    assert trends([run(1, "a", 5.0), run(1, "b", 5.0)]) is None and trend_lines([]) == []


def test_a_line_with_a_gap() -> None:
    """From 0 at the foot to the greatest at the top; what is not known is not drawn."""
    assert line([0, 2]) == "M0.0 29.0L132.0 1.0"
    assert line([1, None, 1, 1]) == "M0.0 1.0M88.0 1.0L132.0 1.0"
    assert line([1, None]) is None and line([0, 0]) == "M0.0 29.0L132.0 29.0"


def test_what_figures_rest_on() -> None:
    """Shares of partitions and counts; only what is missing is said in the terminal."""
    assert dict(zip(HEADINGS, cells(QUALITY), strict=True)) == {
        "Bytes in measured": "50 %", "split": "25 %", "from retention": "0 %", "not known": "25 %",
        "Replicas of unknown size": "3", "Metrics left out": "2", "Gaps": "1", "Pieces set aside": "5",
    }  # fmt: skip
    assert cells(dict.fromkeys(QUALITY, 0))[0] == "–"
    well = QUALITY | dict.fromkeys(("unknown", "unknown_sizes", "left_out", "gaps"), 0)
    said = quality_lines([{"cluster": "a", "quality": QUALITY}, {"cluster": "b", "quality": well}])
    parts = "bytes in of 25 % of the partitions are not known; 3 replicas of unknown size"
    assert said == [f"a: {parts}; 2 metrics left out; 1 gap"]
