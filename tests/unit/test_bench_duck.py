"""What DuckDB is asked beside Spark is what Spark answers: exact means, counters that begin anew, growth."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from bench.duck import figures


def test_figures_of_a_counter_and_of_sizes(tmp_path: Path) -> None:
    """A counter that falls was reset and counted from 0; its mean is its increase divided by the time."""
    folder = tmp_path / "fleet" / "cluster-0" / "metrics"
    folder.mkdir(parents=True)
    counter = [(60 * k, "bytes_in_total", value) for k, value in enumerate([0.0, 100.0, 250.0, 50.0, 150.0])]
    sizes = [(86_400 * k, "size_bytes", 10.0 + 3 * k) for k in range(5)]
    time, metric, value = zip(*counter, *sizes, strict=True)
    columns = {"time": time, "metric": metric, "value": value, "topic": ["t"] * 10, "partition": [0] * 10}
    pq.write_table(pa.table(columns | {"broker": [1] * 10}), folder / "a.parquet")
    figures(str(tmp_path / "fleet"), str(tmp_path / "out.parquet"))
    found = {row["metric"]: row for row in pq.read_table(tmp_path / "out.parquet").to_pylist()}
    assert found["bytes_in_total"]["mean"] == pytest.approx(400 / 240)
    assert found["bytes_in_total"]["peak"] == pytest.approx(150 / 60)
    assert (found["size_bytes"]["mean"], found["size_bytes"]["p95"]) == (16.0, 22.0)
    assert found["size_bytes"]["growth_per_day"] == pytest.approx(3.0)
    assert {row["cluster"] for row in found.values()} == {"cluster-0"}
