"""A small fleet starts few jobs of Spark, and leaves the session as it was."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from pyspark.sql import SparkSession
from tests.pipeline.metrics import series, write_samples

from equipoise.pipeline.jobs import small
from equipoise.pipeline.jobs.fleet import run_fleet
from equipoise.pipeline.jobs.small import FEW, few_jobs
from equipoise.pipeline.readers.fleet import find_clusters
from equipoise.pipeline.schemas.tables import TABLES

pytestmark = pytest.mark.spark

STEPS = ("parsed", "merged", "told", "rated", "faults", "series", "planned")
"""What passes from step to step, as files."""
LOOKS = ("remarks", "summaries", "set aside", "findings", "left out", "last runs")
"""What the driver looks at: files and addresses that are odd, and what the page shows."""
SENT = (
    "ranks", "clusters with samples", "usual times", "levels of the busiest hour", "plans beside the budget",
    "last runs",
)  # fmt: skip
"""What is so small in any fleet that it is sent to each task of a join."""


@pytest.fixture
def fleet(tmp_path: Path) -> Path:
    """Two clusters of six partitions, one of them with samples."""
    for name in ("a", "b"):
        (tmp_path / "fleet" / name).mkdir(parents=True)
        lists = [[1 + p % 3, 1 + (p + 1) % 3] for p in range(6)]
        rows = [{"topic": "pay", "partition": p, "replicas": ids} for p, ids in enumerate(lists)]
        told = json.dumps({"version": 1, "partitions": rows})
        (tmp_path / "fleet" / name / "current.json").write_text(told)
    write_samples(tmp_path / "fleet", "a.csv", series("bytes_in_total", [0, 3_600, 7_200], broker=1), "a")
    return tmp_path / "fleet"


def n_jobs(spark: SparkSession) -> int:
    """How many jobs a session has started so far: they are numbered."""
    return max(spark.sparkContext.statusTracker().getJobIdsForGroup(), default=-1) + 1


def test_a_small_fleet(spark: SparkSession, fleet: Path, tmp_path: Path) -> None:
    """What is written or looked at is a job each, and not one for each exchange; settings are as before."""
    before, settings = n_jobs(spark), {key: spark.conf.get(key) for key in FEW}
    run = run_fleet(spark, fleet, tmp_path / "out")
    assert {row["outcome"] for row in run.rows} == {"planned"}
    started = n_jobs(spark) - before
    assert len(TABLES) < started <= len(TABLES) + len(STEPS) + len(LOOKS) + len(SENT)
    assert {key: spark.conf.get(key) for key in FEW} == settings != FEW


@pytest.mark.parametrize("case", ["much data", "settings of somebody"])
def test_others(
    spark: SparkSession, fleet: Path, monkeypatch: pytest.MonkeyPatch, case: str
) -> None:
    """Where there is much to read, or where somebody has said how queries are to run, all is as it is."""
    key = "spark.sql.shuffle.partitions"
    before = str(spark.conf.get(key))
    if case == "much data":
        monkeypatch.setattr(small, "SMALL_BYTES", 1)
    else:
        spark.conf.set(key, "23")
    settings = {key: spark.conf.get(key) for key in FEW}
    try:
        with few_jobs(spark, find_clusters(fleet)):
            assert {key: spark.conf.get(key) for key in FEW} == settings
    finally:
        spark.conf.set(key, before)
