"""When the disks of brokers and of single log dirs are full, before the plan and after it."""

from __future__ import annotations

from typing import Any

import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from equipoise.pipeline.transforms.disk_days import disk_days

pytestmark = pytest.mark.spark

PER_PARTITION = "cluster string, topic string, partition int"
PER_REPLICA = f"{PER_PARTITION}, broker int, log_dir string"
FIGURES = "struct<peak: double, growth_per_day: double, growth_error: double>"


def outlooks(spark: SparkSession, placed: list[tuple[str, str, int, int, str]]) -> dict[Any, Any]:
    """(bytes before, days before, bytes after, days after) by broker and dir of a small cluster.

    Broker 1 has t-0 (100 bytes) and t-1 (200) in /a; t-2 (300) comes to it, to stand in /b if it is placed.
    """
    replicas = [("c", "t", 0, 1, "/a", 100), ("c", "t", 1, 1, "/a", 200), ("c", "t", 2, 2, "/z", 300)]
    partitions = [("c", "t", p, [broker], size) for _, _, p, broker, _, size in replicas]
    dirs = [("c", 1, "/a", 1000.0), ("c", 1, "/b", 1000.0), ("c", 2, "/z", 2000.0)]
    load = [("c", "t", p, (None, float(p + 1), 0.0)) for p in range(3)]

    def frame(rows: list[Any], schema: str) -> DataFrame:
        return spark.createDataFrame(rows, schema)

    found = disk_days(
        frame([("c", 1, 2000.0), ("c", 2, 2000.0)], "cluster string, broker int, disk_bytes double"),
        frame(dirs, "cluster string, broker int, log_dir string, total_bytes double"),
        frame(partitions, f"{PER_PARTITION}, replicas array<int>, size_bytes long"),
        frame(replicas, f"{PER_REPLICA}, size_bytes long"),
        frame([("c", "t", 2, [1])], f"{PER_PARTITION}, after array<int>"),
        frame(placed, PER_REPLICA),
        frame(load, f"{PER_PARTITION}, disk_bytes {FIGURES}"),
    ).select("broker", "log_dir", F.struct("before.bytes", "before.days", "after.bytes", "after.days"))
    return {(row[0], row[1]): tuple(row[2]) for row in found.collect()}


def test_a_dir_that_a_plan_fills(spark: SparkSession) -> None:
    """A replica counts in the dir that the plan names, be it new on the broker or from another dir."""
    placed = [("c", "t", 2, 1, "/b"), ("c", "t", 0, 1, "/b")]
    never = float("inf")
    assert outlooks(spark, placed) == {
        (1, None): (300.0, pytest.approx(1700 / 3), 600.0, pytest.approx(1400 / 6)),
        (1, "/a"): (300.0, pytest.approx(700 / 3), 200.0, 400.0),
        (1, "/b"): (0.0, never, 400.0, 150.0),
        (2, None): (300.0, pytest.approx(1700 / 3), 0.0, never),
        (2, "/z"): (300.0, pytest.approx(1700 / 3), 0.0, never),
    }


def test_a_dir_that_is_left_to_kafka(spark: SparkSession) -> None:
    """Where nothing says which dir takes a replica, no dir of its broker has figures afterwards."""
    found = outlooks(spark, [])
    assert found[1, "/a"] == (300.0, pytest.approx(700 / 3), None, None)
    assert found[2, "/z"][2:] == (0.0, float("inf"))
    assert (1, "/b") not in found
