"""Loads of partitions and brokers, and where each figure comes from."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession
from tests.pipeline.fleets import MOVING, rows_of
from tests.pipeline.metrics import DAY, HOUR, T0, Row, loads, sample, series, write_samples

from equipoise.pipeline.jobs.fleet import FleetRun, run_fleet
from equipoise.pipeline.schemas.steps import SERIES_FIGURES
from equipoise.pipeline.schemas.tables import TABLES
from equipoise.pipeline.transforms.broker_load import totals

pytestmark = pytest.mark.spark

UNKNOWN = dict.fromkeys(("mean", "p95", "peak", "growth_per_day", "growth_error")) | {
    "samples": 0, "source": "unknown",
}  # fmt: skip


def partition(number: int = 0, **told: Any) -> Row:
    return {"topic": "pay", "partition": number, "leader": 1} | told


def test_measured(spark: SparkSession, tmp_path: Path) -> None:
    """Of the sizes 1 to 100: mean, the 95th of 100 and the peak; 24 an hour apart are 24 a day."""
    write_samples(tmp_path / "f", "a.csv", series("size_bytes", range(1, 101)))
    load = loads(spark, tmp_path / "f", tmp_path, [partition()])["pay", 0]
    assert load["disk_bytes"] == {
        "mean": 50.5, "p95": 95.0, "peak": 100.0, "growth_per_day": 24.0, "growth_error": 0.0,
        "samples": 100, "source": "measured",
    }  # fmt: skip
    assert load["bytes_in_per_s"] == load["bytes_out_per_s"] == UNKNOWN


def test_means_count_by_time(spark: SparkSession, tmp_path: Path) -> None:
    """An hour at 100 MB/s and 23 at 1 MB/s are 5.1 MB/s, however often one looks; a gap weighs little."""
    write_samples(tmp_path / "f", "a.csv", [
        sample(T0, "bytes_in_total", 0),
        sample(T0 + HOUR, "bytes_in_total", 3.6e11),
        sample(T0 + DAY, "bytes_in_total", 4.428e11),
        *series("bytes_in_per_s", [100e6] * 61, every=60, partition=1),
        *(sample(T0 + k * HOUR, "bytes_in_per_s", 1e6, partition=1) for k in range(2, 25)),
        *series("bytes_in_per_s", [1e6] * 60, every=60, partition=2),
        sample(T0 + DAY, "bytes_in_per_s", 100e6, partition=2),
    ])  # fmt: skip
    found = loads(spark, tmp_path / "f", tmp_path, [partition(0), partition(1), partition(2)])
    counter, gauge, gap = (found["pay", k]["bytes_in_per_s"] for k in range(3))
    assert (counter["mean"], counter["p95"], counter["peak"]) == (5.125e6, 1e6, 100e6)
    assert gauge["mean"] == pytest.approx(5.125e6, rel=0.02)
    assert gauge["p95"] == 1e6
    assert gap["mean"] == pytest.approx(2.6e6, rel=0.02)


def test_growth_needs_a_day(spark: SparkSession, tmp_path: Path) -> None:
    """Less than a day may be the rhythm of the day; a level series has no growth at all."""
    write_samples(tmp_path / "f", "a.csv", series("size_bytes", [1, 2, 3]))
    write_samples(tmp_path / "f", "b.csv", series("bytes_in_per_s", [0.1] * 1000))
    load = loads(spark, tmp_path / "f", tmp_path, [partition()])["pay", 0]
    assert load["disk_bytes"]["growth_per_day"] is None
    assert load["bytes_in_per_s"]["growth_per_day"] == 0.0
    assert load["bytes_in_per_s"]["mean"] == 0.1


def test_the_leaders_own_samples_count(spark: SparkSession, tmp_path: Path) -> None:
    """Followers count nothing in, and are not mixed in; without the leader, what has most samples counts."""
    rows = [*series("bytes_in_per_s", [0, 0, 0], broker=2), *series("bytes_in_per_s", [7, 7], broker=1)]
    write_samples(tmp_path / "f", "a.csv", rows)
    led_by = {
        leader: loads(spark, tmp_path / "f", tmp_path / str(leader), [partition(leader=leader)])["pay", 0]
        for leader in (1, 3)
    }
    assert led_by[1]["bytes_in_per_s"]["mean"] == 7.0
    assert led_by[3]["bytes_in_per_s"]["samples"] == 3


def test_split_by_offsets(spark: SparkSession, tmp_path: Path) -> None:
    """Broker 1 leads two of three partitions and takes 40 a second: by 3 to 1 records, as they gain them."""
    rates = {0: 3, 1: 1, 2: 2}
    rows = [
        *series("bytes_in_per_s", [40, 40], partition=None, broker=1),
        *series("bytes_out_per_s", [90, 90], partition=None),
        *(
            row
            for n, rate in rates.items()
            for row in series("log_end_offset", [0, rate * HOUR], partition=n)
        ),
    ]
    write_samples(tmp_path / "f", "a.csv", rows)
    table = [partition(0), partition(1), partition(2, leader=2)]
    found = loads(spark, tmp_path / "f", tmp_path, table)
    told = [(load["bytes_in_per_s"], load["bytes_out_per_s"]) for _, load in sorted(found.items())]
    assert [(i["mean"], i["source"]) for i, _ in told] == [
        (30.0, "split by offsets"), (10.0, "split by offsets"), (None, "unknown"),
    ]  # fmt: skip
    assert [(o["mean"], o["peak"], o["source"]) for _, o in told] == [
        (45.0, 45.0, "split by offsets"), (15.0, 15.0, "split by offsets"), (30.0, 30.0, "split by offsets"),
    ]  # fmt: skip


@pytest.mark.parametrize("known", [{}, {0: 5}, {0: 0, 1: 0}])
def test_split_evenly(spark: SparkSession, tmp_path: Path, known: dict[int, int]) -> None:
    """No offsets, those of one partition alone, or none that grow: every partition has as much."""
    offsets = [row for n, rate in known.items() for row in series("log_end_offset", [0, rate], partition=n)]
    write_samples(tmp_path / "f", "a.csv", [*series("bytes_in_per_s", [40, 60], partition=None), *offsets])
    found = loads(spark, tmp_path / "f", tmp_path, [partition(0), partition(1)])
    told = [load["bytes_in_per_s"] for load in found.values()]
    assert [(load["mean"], load["samples"], load["source"]) for load in told] == [
        (25.0, 2, "split evenly")
    ] * 2


def test_sizes_of_whole_topics(spark: SparkSession, tmp_path: Path) -> None:
    """A topic's size is that of all its replicas, a partition's own goes first, a broker's total is its."""
    topic, broker = (f"kminion_kafka_{of}_log_dir_size_total_bytes" for of in ("topic", "broker"))
    write_samples(tmp_path / "f", "a.csv", [
        sample(T0, topic, 800, partition=None), sample(T0, "size_bytes", 7, partition=1),
        sample(T0, broker, 900, topic=None, partition=None, broker=1),
    ])  # fmt: skip
    rows = [partition(k, replication_factor=2, replicas=[1, 2]) for k in range(2)]
    found = loads(spark, tmp_path / "f", tmp_path, rows)
    sizes = [found["pay", k]["disk_bytes"] for k in range(2)]
    assert [(size["mean"], size["source"]) for size in sizes] == [(200.0, "split evenly"), (7.0, "measured")]
    series = spark.read.schema(SERIES_FIGURES).parquet(str(tmp_path / "series"))
    (total,) = totals(series).collect()
    assert (total["broker"], total["own_size_bytes"]["mean"]) == (1, 900.0)


def test_from_retention(spark: SparkSession, tmp_path: Path) -> None:
    """864 MB kept for a day came at 10 kB/s; without a retention that ends, nothing is said.

    Nor of what is as large as ``retention.bytes`` lets it be.
    """
    write_samples(tmp_path / "f", "a.csv", series("size_bytes", [864e6, 864e6], partition=1))
    table = [
        partition(0, size_bytes=864_000_000, retention_s=float(DAY)),
        partition(1, retention_s=float(DAY)),
        partition(2, size_bytes=864_000_000, retention_s=float("inf")),
        partition(3, retention_s=float(DAY)),
        partition(4, size_bytes=5, retention_s=float(DAY), bytes_in_per_s=3.0),
        partition(5, size_bytes=864_000_000, retention_s=float(DAY), retention_bytes=864e6),
        partition(6, size_bytes=864_000_000, retention_s=float(DAY), retention_bytes=900e6),
    ]
    found = loads(spark, tmp_path / "f", tmp_path, table)
    told = [
        (load["bytes_in_per_s"]["mean"], load["bytes_in_per_s"]["source"])
        for _, load in sorted(found.items())
    ]
    assert told == [
        (10_000.0, "from retention"), (10_000.0, "from retention"), (None, "unknown"), (None, "unknown"),
        (3.0, "measured"), (None, "unknown"), (10_000.0, "from retention"),
    ]  # fmt: skip
    assert found["pay", 0]["disk_bytes"]["samples"] == 1


@pytest.fixture(scope="module")
def measured_fleet(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two clusters of two partitions, one of them with samples; partition 1 of it is being moved.

    Their names differ in length: of files of exactly one size Spark reads whichever the folder lists first.
    """
    fleet = tmp_path_factory.mktemp("fleets") / "measured"
    for cluster in ("moving", "quiet"):
        (fleet / cluster).mkdir(parents=True)
        for name, text in MOVING.items():
            (fleet / cluster / name).write_text(text)
    rows = [
        *series("bytes_in_total", [0.1 * k * k for k in range(300)], every=900),
        *series("bytes_in_per_s", [8.0, 9.0], partition=1, every=DAY),
        *series("size_bytes", [k * 1e9 / 7 for k in range(300)], every=900, broker=1),
        *series("bytes_in_total", [HOUR * k for k in range(50)], topic=None, partition=None, broker=2),
    ]
    write_samples(fleet, "one.csv", rows[::2], "moving")
    write_samples(fleet, "two.parquet", rows[1::2], "moving")
    write_samples(fleet, "three.json", rows[::3], "moving")
    write_samples(fleet, "four.csv", series("jvm_threads", [1, 2, 3]), "moving")
    return fleet


@pytest.fixture(scope="module")
def measured_run(
    spark: SparkSession, measured_fleet: Path, tmp_path_factory: pytest.TempPathFactory
) -> FleetRun:
    return run_fleet(spark, measured_fleet, tmp_path_factory.mktemp("runs") / "out")


def test_every_partition_and_broker_has_a_row(measured_run: FleetRun) -> None:
    """Clusters without samples too, where nothing is known; nothing was set aside, and samples of a metric
    that nobody needs are counted and no fault."""
    assert measured_run.is_clean
    load = rows_of(measured_run.out, "partition_load")
    assert [(row["cluster"], row["partition"]) for row in load] == [
        ("moving", 0), ("moving", 1), ("quiet", 0), ("quiet", 1)
    ]  # fmt: skip
    assert load[2]["disk_bytes"] == load[3]["bytes_in_per_s"] == UNKNOWN
    assert len(rows_of(measured_run.out, "broker_load")) == 8
    record = json.loads((measured_run.out / "run.json").read_text())
    assert record["out"]["rows"]["samples"] == 299 + 2 + 300 + 49
    assert record["in"]["sample_files"] == 4
    assert record["left_out"]["samples"] == 3


def test_what_brokers_carry(measured_run: FleetRun) -> None:
    """Means add up, peaks do not; a broker's own totals are measured; what is unknown is counted."""
    first, second, third, fourth = (
        row for row in rows_of(measured_run.out, "broker_load") if row["cluster"] == "moving"
    )
    one, two = (row["bytes_in_per_s"] for row in rows_of(measured_run.out, "partition_load")[:2])
    assert first["leader_bytes_in_per_s"] == {
        "mean": one["mean"], "p95": None, "peak": None, "growth_per_day": one["growth_per_day"],
        "growth_error": one["growth_error"], "samples": 299, "unknown": 0, "source": "summed",
    }  # fmt: skip
    assert first["disk_bytes"]["unknown"] == 1
    assert second["leader_bytes_in_per_s"]["source"] == "measured"
    assert second["leader_bytes_in_per_s"]["peak"] == 1.0
    assert third["follower_bytes_in_per_s"]["mean"] == pytest.approx(one["mean"] + two["mean"])
    assert third["leader_bytes_in_per_s"]["mean"] == 0.0
    assert third["bytes_out_per_s"] == third["leader_bytes_in_per_s"]
    assert fourth["disk_bytes"]["mean"] == 0.0


def test_a_plan_says_which_loads_are_of_samples(measured_run: FleetRun) -> None:
    """The cluster with samples names them; of the other nothing is known, and nothing said."""
    plans = measured_run.out / "clusters"
    told = json.loads((plans / "moving" / "plan.json").read_text())["loads"]
    assert told == {
        "disk": [
            {"source": "mean of samples, measured", "partitions": 1}, {"source": "unknown", "partitions": 1},
        ],
        "network-in": [{"source": "mean of samples, measured", "partitions": 2}],
    }  # fmt: skip
    assert "loads" not in json.loads((plans / "quiet" / "plan.json").read_text())


def test_keys_are_unique(measured_run: FleetRun) -> None:
    """No two rows of a table share its key."""
    for name in ("samples", "partition_load", "broker_load"):
        keys = [tuple(row[c] for c in TABLES[name].key) for row in rows_of(measured_run.out, name)]
        assert len(keys) == len(set(keys)), name


@pytest.mark.parametrize("settings", [
    {"spark.sql.shuffle.partitions": "5", "spark.sql.adaptive.enabled": "false"},
    {
        "spark.sql.files.maxPartitionBytes": "2000",
        "spark.sql.shuffle.partitions": "3",
    },
])  # fmt: skip
def test_however_the_work_is_spread(
    spark: SparkSession,
    measured_run: FleetRun,
    measured_fleet: Path,
    tmp_path: Path,
    settings: dict[str, str],
) -> None:
    """Any number of shuffle partitions and of pieces of files, sorted or hashed: the same rows.

    A small fleet has one partition and no adaptive execution where nobody has set either.
    """
    before = {name: spark.conf.get(name) for name in settings}
    for name, value in settings.items():
        spark.conf.set(name, value)
    try:
        run_fleet(spark, measured_fleet, tmp_path / "out")
    finally:
        for name, value in before.items():
            spark.conf.set(name, str(value))
    for table in ("samples", "partition_load", "broker_load"):
        assert rows_of(tmp_path / "out", table) == rows_of(measured_run.out, table), table
