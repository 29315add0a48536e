"""One Spark session for all tests of the pipeline, and a small fleet with everything that can go wrong."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from pyspark.sql import SparkSession
from tests.pipeline.fleets import EXAMPLES, GOOD, MOVING, UNHEALTHY

from equipoise.pipeline.jobs.fleet import FleetRun, run_fleet
from equipoise.pipeline.session import session


@pytest.fixture(scope="session")
def spark() -> Iterator[SparkSession]:
    with session("local[2]") as started:
        yield started


def copied_fleet(folder: Path) -> Path:
    """Four example clusters, one with a move in flight, a part that is to be planned as one, and six clusters
    that cannot be planned for six reasons."""
    for cluster in GOOD:
        shutil.copytree(EXAMPLES / cluster, folder / cluster)
    (folder / "moving").mkdir()
    for name, text in MOVING.items():
        (folder / "moving" / name).write_text(text)
    for name, wish in (("part", ""), ("asked", "partial = true")):
        (folder / name).mkdir()
        (folder / name / "topics.txt").write_text(UNHEALTHY)
        (folder / name / "equipoise.toml").write_text(wish)
    (folder / "bare").mkdir()
    (folder / "junk").mkdir()
    (folder / "junk" / "topics.txt").write_bytes(bytes(range(256)) * 10)
    wishes = {"impossible": 'brokers = "0"', "stranger": "drain = [99]", "misspelt": "drian = [19]"}
    for cluster, wish in wishes.items():
        shutil.copytree(EXAMPLES / "removal", folder / cluster)
        (folder / cluster / "equipoise.toml").write_text(wish)
    return folder


@pytest.fixture(scope="session")
def small_fleet(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return copied_fleet(tmp_path_factory.mktemp("fleets") / "small")


@pytest.fixture(scope="session")
def small_run(spark: SparkSession, small_fleet: Path, tmp_path_factory: pytest.TempPathFactory) -> FleetRun:
    return run_fleet(spark, small_fleet, tmp_path_factory.mktemp("runs") / "out")


@pytest.fixture(scope="session")
def demo_run(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> FleetRun:
    """The fleet that is shipped, planned."""
    return run_fleet(spark, EXAMPLES, tmp_path_factory.mktemp("demo") / "out")
