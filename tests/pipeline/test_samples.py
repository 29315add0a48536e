"""Samples: read from any kind of file, cleaned, and counters made into rates."""

from __future__ import annotations

import gzip
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import SparkSession
from tests.pipeline.metrics import HOUR, T0, Row, read_back, sample, series, values_of, write_samples

pytestmark = pytest.mark.spark

A_MIX = [
    *series("bytes_in_total", [0, 3_600, 7_200], broker=1),
    *series("size_bytes", [10.5, 20, 30], topic="a.b", partition=7, broker=2),
    *series("kafka_topic_partition_current_offset", [5, 5, 41]),
    *series("bytes_out_per_s", [1, 2], topic=None, partition=None, broker=3),
]


def test_a_counter_that_was_reset(spark: SparkSession, tmp_path: Path) -> None:
    """A broker restarts: the counter falls to 3,600, which came since; the first sample gives no rate."""
    write_samples(tmp_path / "f", "a.csv", series("bytes_in_total", [36_000, 72_000, 3_600, 7_200]))
    frame, pieces = read_back(spark, tmp_path / "f", tmp_path)
    rates = [(HOUR, 10.0), (2 * HOUR, 1.0), (3 * HOUR, 1.0)]
    assert values_of(frame) == [(at, "bytes_in_per_s", rate) for at, rate in rates]
    assert pieces == []


def test_order_and_duplicates(spark: SparkSession, tmp_path: Path) -> None:
    """Samples in any order over overlapping files count once; of two at one time the greater stays."""
    rows = series("bytes_in_total", [0, 3_600, 10_800])
    write_samples(tmp_path / "f", "a.csv", rows[::-1])
    write_samples(tmp_path / "f", "b.jsonl", [*rows[1:], sample(T0 + HOUR, "bytes_in_total", 3_000)])
    frame, pieces = read_back(spark, tmp_path / "f", tmp_path)
    assert values_of(frame) == [(HOUR, "bytes_in_per_s", 1.0), (2 * HOUR, "bytes_in_per_s", 2.0)]
    assert pieces == []


def test_two_exporters_are_two_series(spark: SparkSession, tmp_path: Path) -> None:
    """Counters under two names are never subtracted from each other, though they are the same metric."""
    names = ("log_end_offset", "kminion_kafka_topic_partition_high_water_mark")
    write_samples(tmp_path / "f", "a.csv", [row for name in names for row in series(name, [0, 3_600])])
    frame, _ = read_back(spark, tmp_path / "f", tmp_path)
    assert values_of(frame) == [(HOUR, "offsets_per_s", 1.0)] * 2
    assert {row.told_as for row in frame.select("told_as").collect()} == set(names)


@pytest.mark.parametrize(
    "time",
    [T0, T0 * 1000, str(T0), f"{T0}000", "2026-01-01T00:00:00Z", "2026-01-01 00:00:00", "2026-01-01",
     "2026-01-01T01:00:00+01:00", "2026-01-01T00:00:00.000"],
)  # fmt: skip
@pytest.mark.parametrize("name", ["a.csv", "a.json"])
def test_times(spark: SparkSession, tmp_path: Path, time: object, name: str) -> None:
    """Epoch seconds, epoch milliseconds and ISO times, which are UTC where they name no zone."""
    write_samples(tmp_path / "f", name, [sample(time, "size_bytes", 5)])
    frame, _ = read_back(spark, tmp_path / "f", tmp_path)
    assert values_of(frame) == [(0, "size_bytes", 5.0)]


@pytest.mark.parametrize("name", ["a.parquet", "a.json", "a.jsonl.gz", "a.csv.gz", "a b+c%41.csv"])
def test_every_kind_of_file(spark: SparkSession, tmp_path: Path, name: str) -> None:
    """The same samples as Parquet, CSV or JSON lines, gzipped or not, give the same table."""
    write_samples(tmp_path / "plain", "a.csv", A_MIX)
    write_samples(tmp_path / "other", name, A_MIX)
    plain, _ = read_back(spark, tmp_path / "plain", tmp_path / "1")
    other, pieces = read_back(spark, tmp_path / "other", tmp_path / "2")
    assert pieces == []
    assert sorted(other.collect(), key=repr) == sorted(plain.collect(), key=repr)
    assert other.count() == 2 + 3 + 2 + 2


NANOS = "its times are in nanoseconds, which Spark cannot read; write microseconds"
BROKEN = {
    "no metric is named": sample(T0, "", 1),
    "no metric of this name is known": sample(T0, "cpu", 1),
    "the time cannot be read": sample("12:30", "size_bytes", 1),
    "the value is no number": sample(T0, "size_bytes", "NaN"),
    "the value is negative": sample(T0, "size_bytes", -1),
    "the value is too large": sample(T0, "size_bytes", "Infinity"),
    "the partition is no partition number": sample(T0, "size_bytes", 1, partition="x"),
    "the broker is no broker id": sample(T0, "size_bytes", 1, broker="b1:9092"),
    "a partition without a topic": sample(T0, "size_bytes", 1, topic=None),
    "only a partition can have this metric": sample(T0, "size_bytes", 1, partition=None),
    "neither a topic nor a broker is named": sample(T0, "bytes_in_per_s", 1, topic=None, partition=None),
}


@pytest.mark.parametrize("name", ["a.csv", "a.jsonl"])
def test_what_cannot_be_used(spark: SparkSession, tmp_path: Path, name: str) -> None:
    """One row for each file and reason, with the count and one example; the good sample stays."""
    rows: list[Row] = [*BROKEN.values(), sample(T0, "size_bytes", -2), sample(T0, "size_bytes", 5)]
    write_samples(tmp_path / "f", name, rows)
    frame, pieces = read_back(spark, tmp_path / "f", tmp_path)
    assert values_of(frame) == [(0, "size_bytes", 5.0)]
    assert {piece["reason"] for piece in pieces} == set(BROKEN)
    negative = next(piece for piece in pieces if piece["reason"] == "the value is negative")
    assert (negative["cluster"], negative["file"]) == ("c", f"metrics/{name}")
    assert negative["place"] == "2 samples"
    assert '"value":"-1"' in negative["text"]


def test_types_of_parquet(spark: SparkSession, tmp_path: Path) -> None:
    """Times, text, whole numbers and columns of nothing are read; other types are told."""
    folder = tmp_path / "f" / "c" / "metrics"
    folder.mkdir(parents=True)
    texts, nothing = pa.array(["size_bytes"]).dictionary_encode(), pa.nulls(1)
    columns = {
        "time": pa.array([T0 * 1000], pa.timestamp("ms", "UTC")), "metric": texts,
        "value": pa.array([5], pa.uint64()),
        "topic": pa.array(["pay"], pa.large_string()), "partition": pa.array(["0"]), "broker": nothing,
    }  # fmt: skip
    pq.write_table(pa.table(columns), folder / "good.parquet")
    pq.write_table(pa.table(columns | {"topic": nothing}), folder / "nameless.parquet")
    pq.write_table(pa.table(columns | {"value": pa.array([[1]])}), folder / "list.parquet")
    pq.write_table(pa.table(columns | {"time": pa.array([1], pa.timestamp("ns"))}), folder / "nanos.parquet")
    frame, pieces = read_back(spark, tmp_path / "f", tmp_path)
    assert values_of(frame) == [(0, "size_bytes", 5.0)]
    assert {piece["file"]: piece["reason"] for piece in pieces} == {
        "metrics/nameless.parquet": "a partition without a topic",
        "metrics/list.parquet": "the column value is of type list<element: int64>",
        "metrics/nanos.parquet": NANOS,
    }


def test_broken_files(spark: SparkSession, tmp_path: Path) -> None:
    """A file that cannot be read, to its end, is set aside as a whole; the others are read."""
    folder = write_samples(tmp_path / "f", "good.csv", [sample(T0, "size_bytes", 5)]).parent
    whole = gzip.compress(b"time,metric,value\n" + b"1,size_bytes,2\n" * 1000)
    (folder / "cut.csv.gz").write_bytes(whole[:-20])
    (folder / "cut.parquet").write_bytes(b"PAR1 and no more")
    (folder / "empty.csv").write_bytes(b"")
    (folder / "other.csv").write_text("when,what\n1,2\n")
    (folder / "sheet.xls").write_bytes(b"x")
    (folder / "lines.json").write_text('{"oops\n')
    (folder / "_SUCCESS").write_bytes(b"")
    frame, pieces = read_back(spark, tmp_path / "f", tmp_path)
    assert values_of(frame) == [(0, "size_bytes", 5.0)]
    told = {piece["file"].removeprefix("metrics/"): piece["reason"] for piece in pieces}
    assert told.pop("cut.csv.gz").startswith("the gzip data is broken")
    assert told.pop("cut.parquet").startswith("the Parquet data is broken")
    assert told == {
        "empty.csv": "is empty",
        "other.csv": "has no column time, metric, value",
        "sheet.xls": "is no file of samples by its name (.parquet, .csv, .json, .jsonl)",
        "lines.json": "the line is no JSON object",
    }
