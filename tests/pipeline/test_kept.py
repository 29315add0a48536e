"""Rows of clusters that are taken over: files of theirs alone are linked, others are filtered."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from pyspark.sql import Row, SparkSession
from pyspark.sql import functions as F

from equipoise.errors import UnusableInput
from equipoise.pipeline.jobs import kept, store
from equipoise.pipeline.jobs.kept import add_kept
from equipoise.pipeline.jobs.store import parts, read_table, write_table
from equipoise.pipeline.schemas.tables import TABLES

pytestmark = pytest.mark.spark
SAMPLES = TABLES["samples"]
EACH = 40


def sample(cluster: str, k: int) -> tuple[object, ...]:
    """Every third is of a broker, not of a partition; each at a time of its own."""
    topic, partition = (None, None) if k % 3 == 0 else (f"topic-{k % 7}", k)
    time = datetime(2026, 11, 1, 0, 0, k, 250_000, tzinfo=UTC)
    return cluster, topic, partition, 1, "size", time, "size_bytes", float(k), None


@pytest.fixture(autouse=True)
def small_files(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A file has 40 rows: one cluster's."""
    for module in (store, kept):
        monkeypatch.setattr(module, "ROWS_IN_FILE", EACH)
    monkeypatch.setattr(kept, "WORTH_A_FILE", EACH // 4)
    yield


def written(spark: SparkSession, clusters: str, folder: Path) -> None:
    rows = [sample(cluster, k) for cluster in clusters for k in range(EACH)]
    write_table(spark.createDataFrame(rows, SAMPLES.schema).coalesce(1), SAMPLES, folder)


def told(spark: SparkSession, folder: Path) -> list[Row]:
    return sorted(read_table(spark, SAMPLES, folder).collect(), key=str)


def test_files_of_kept_clusters_are_linked(spark: SparkSession, tmp_path: Path) -> None:
    """Of a, b, c and d, each with a file of its own, c has changed: three files are the very ones."""
    written(spark, "abcd", tmp_path / "before")
    written(spark, "c", tmp_path / "now")
    assert add_kept(spark, SAMPLES, tmp_path / "before", "abd", tmp_path / "now", tmp_path / "w") == 3 * EACH
    inodes = [{path.stat().st_ino for path in parts(tmp_path / name)} for name in ("before", "now")]
    assert len(inodes[0] & inodes[1]) == 3 and len(inodes[1]) == 4
    assert told(spark, tmp_path / "now") == told(spark, tmp_path / "before")


def test_files_that_differ_in_what_may_be_null(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Spark writes a column as never null where a query shows it, which another run's query may not do.

    Here the partitions of c are such, for a number was put in for missing ones.
    """
    for limit in ("ROWS_IN_FILE", "WORTH_A_FILE"):
        monkeypatch.setattr(kept, limit, 1000)
    written(spark, "a", tmp_path / "before")
    rows = spark.createDataFrame([sample("c", k) for k in range(EACH)], SAMPLES.schema)
    filled = rows.withColumn("partition", F.coalesce("partition", F.lit(-1)))
    write_table(filled.coalesce(1), SAMPLES, tmp_path / "c")
    parts(tmp_path / "c")[0].rename(tmp_path / "before" / "part-00001.parquet")
    nullable = [pq.read_schema(path).field("partition").nullable for path in parts(tmp_path / "before")]
    assert nullable == [True, False]
    written(spark, "d", tmp_path / "now")
    assert add_kept(spark, SAMPLES, tmp_path / "before", "ac", tmp_path / "now", tmp_path / "w") == 2 * EACH
    assert {row.cluster for row in told(spark, tmp_path / "now")} == {"a", "c", "d"}


def test_of_mixed_files_what_is_kept_is_written_anew(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One file of all: what Spark reads afterwards is the same to the microsecond, nulls and order too."""
    monkeypatch.setattr(store, "ROWS_IN_FILE", 1000)
    written(spark, "abcd", tmp_path / "before")
    written(spark, "c", tmp_path / "now")
    assert add_kept(spark, SAMPLES, tmp_path / "before", "bd", tmp_path / "now", tmp_path / "w") == 2 * EACH
    assert len(parts(tmp_path / "now")) == 2
    whole = [row for row in told(spark, tmp_path / "before") if row.cluster != "a"]
    assert told(spark, tmp_path / "now") == whole
    one, other = (pq.read_schema(path) for path in parts(tmp_path / "now"))
    assert one == other and one.metadata == other.metadata
    rows = read_table(spark, SAMPLES, parts(tmp_path / "now")[1]).collect()
    assert [row.cluster for row in rows] == ["b"] * EACH + ["d"] * EACH
    assert [row.topic for row in rows[:EACH]] == sorted((row.topic for row in rows[:EACH]), key=str_or_none)


def str_or_none(topic: str | None) -> tuple[bool, str]:
    return topic is not None, topic or ""


def test_small_files_become_one(spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One cluster after another changes: there are two files each time, not one more."""
    monkeypatch.setattr(kept, "ROWS_IN_FILE", 1000)
    monkeypatch.setattr(kept, "WORTH_A_FILE", 1000)
    written(spark, "abcd", tmp_path / "0")
    for run, changed in enumerate("abcd", 1):
        before, now = tmp_path / str(run - 1), tmp_path / str(run)
        written(spark, changed, now)
        add_kept(spark, SAMPLES, before, set("abcd") - {changed}, now, tmp_path / "w")
        assert len(parts(now)) == 2
        assert told(spark, now) == told(spark, tmp_path / "0")


def test_a_file_that_is_broken_is_named(spark: SparkSession, tmp_path: Path) -> None:
    """Its bytes are others now: the error says which file, and what takes over nothing."""
    written(spark, "a", tmp_path / "before")
    (tmp_path / "now").mkdir()
    path = parts(tmp_path / "before")[0]
    path.write_bytes(path.read_bytes()[:4] + bytes(200) + path.read_bytes()[204:])
    with pytest.raises(UnusableInput, match=f"{path}: cannot be read any more .*--full"):
        add_kept(spark, SAMPLES, tmp_path / "before", "a", tmp_path / "now", tmp_path / "w")


def test_a_table_without_rows(spark: SparkSession, tmp_path: Path) -> None:
    """Nothing has changed, and there was nothing: the file that tells the columns stays."""
    written(spark, "", tmp_path / "before")
    (tmp_path / "now").mkdir()
    assert add_kept(spark, SAMPLES, tmp_path / "before", "ab", tmp_path / "now", tmp_path / "w") == 0
    assert pq.read_table(tmp_path / "now").column_names == SAMPLES.schema.names
