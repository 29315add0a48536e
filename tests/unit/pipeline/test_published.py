"""A folder that is no run, or that of another version, is named, whatever its files hold."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from equipoise.errors import UnusableInput
from equipoise.pipeline.jobs.published import published
from equipoise.pipeline.jobs.shown import READ
from equipoise.pipeline.schemas.tables import HISTORIES, TABLES

RECORD: dict[str, Any] = {
    "fleet": "f",
    "started": "2026-01-01T00:00:00Z",
    "equipoise": "1",
    "set_aside": {"pieces": 0},
    "seconds": {"read": 1.5},
    "before": {"taken_over": []},
}


@pytest.fixture
def out(tmp_path: Path) -> Path:
    """A run over no cluster."""
    (tmp_path / "run.json").write_text(json.dumps(RECORD))
    for name in (*READ, *HISTORIES):
        kinds = {
            "bytes_in_per_s": pa.struct({"source": pa.string()}),
            "disk_bytes": pa.struct({"unknown": pa.int64()}),
            "before": pa.struct({"days": pa.float64()}),
            "samples": pa.int64(),
        }
        columns = {c: pa.array([], kinds.get(c, pa.string())) for c in TABLES[name].schema.names}
        (tmp_path / "tables" / name).mkdir(parents=True)
        pq.write_table(pa.table(columns), tmp_path / "tables" / name / "0.parquet")
    return tmp_path


def test_what_is_there_is_read(out: Path) -> None:
    assert published(out).record == RECORD and published(out).clusters == []


@pytest.mark.parametrize(
    "change",
    [{name: None} for name in RECORD]
    + [{"seconds": {"read": "long"}}, {"set_aside": {"pieces": -1}}, {"budget": {"given": 1}}],
)
def test_a_record_of_another_shape_is_named(out: Path, change: dict[str, Any]) -> None:
    (out / "run.json").write_text(json.dumps(RECORD | change))
    with pytest.raises(UnusableInput, match=r"holds no run \(run\.json: "):
        published(out)


@pytest.mark.parametrize("text", ["", "[]", "[" * 100_000, "{"])
def test_a_record_that_is_none_is_named(out: Path, text: str) -> None:
    (out / "run.json").write_text(text)
    with pytest.raises(UnusableInput, match=r"holds no run \("):
        published(out)


def test_a_table_of_another_version_is_named(out: Path) -> None:
    pq.write_table(pa.table({"cluster": ["a"]}), out / "tables" / "plan_summary" / "0.parquet")
    with pytest.raises(UnusableInput, match=r"holds no run \(table plan_summary has no "):
        published(out)
