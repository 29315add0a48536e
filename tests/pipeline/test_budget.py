"""One budget for a fleet: given where it buys most, kept, proved, and said."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession
from tests.pipeline.fleets import files_of, rows_of

from equipoise.cli.main import run as command
from equipoise.comparing.frontier import frontier
from equipoise.files.sources import read_sources
from equipoise.pipeline.jobs.fleet import FleetRun, run_fleet
from equipoise.planning.problem.request import Request

pytestmark = pytest.mark.spark

MB = 10**6
SIZES = {"cheap": 10 * MB, "dear": 1_000 * MB, "level": 10 * MB, "forced": 10 * MB}
"""Bytes of each partition."""
TOTAL = 2_300 * MB


def written(fleet: Path, name: str, lists: list[list[int]], wish: str = "") -> None:
    """A cluster with these replica lists, and the size of each replica."""
    folder = fleet / name
    folder.mkdir(parents=True)
    rows = [{"topic": "t", "partition": p, "replicas": ids} for p, ids in enumerate(lists)]
    (folder / "current.json").write_text(json.dumps({"version": 1, "partitions": rows}))
    (folder / "equipoise.toml").write_text(wish)
    dirs = [
        {"broker": broker, "logDirs": [{"logDir": "/d", "error": None, "partitions": [
            {"partition": f"t-{p}", "size": SIZES[name], "offsetLag": 0, "isFuture": False}
            for p, ids in enumerate(lists) if broker in ids
        ]}]}
        for broker in (1, 2, 3)
    ]  # fmt: skip
    (folder / "dirs.json").write_text(json.dumps({"version": 1, "brokers": dirs}))


@pytest.fixture(scope="module")
def fleet(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two clusters as uneven as each other, one a hundred times as dear; a level one; one with a drain."""
    fleet = tmp_path_factory.mktemp("budget") / "fleet"
    uneven = [[1]] * 12 + [[2]] * 3 + [[3]] * 3
    written(fleet, "cheap", uneven)
    written(fleet, "dear", uneven)
    written(fleet, "level", [[1], [2], [3]] * 2)
    written(fleet, "forced", [[1], [2], [3]] * 4, "drain = [3]\nrequired-only = true")
    (fleet / "equipoise.toml").write_text(f"max-bytes-total = {TOTAL}\n")
    return fleet


@pytest.fixture(scope="module")
def run(spark: SparkSession, fleet: Path) -> FleetRun:
    return run_fleet(spark, fleet, fleet.parent / "out")


def budgets(out: Path) -> dict[str, dict[str, Any]]:
    return {row["cluster"]: row for row in rows_of(out, "budget")}


def test_it_is_given_where_it_buys_most(spark: SparkSession, run: FleetRun) -> None:
    """What rules force and what is cheap are had in full; the dear cluster gets the rest, and keeps to it."""
    rows = budgets(run.out)
    assert rows["forced"]["max_bytes"] == rows["forced"]["wanted_bytes"] == 4 * SIZES["forced"]
    assert rows["forced"]["goal"] is None and rows["forced"]["reason"]
    assert rows["cheap"]["max_bytes"] == rows["cheap"]["wanted_bytes"] == 6 * SIZES["cheap"]
    assert rows["cheap"]["level"] == 0 and rows["level"]["max_bytes"] == 0
    assert rows["dear"]["max_bytes"] == TOTAL - 100 * MB < rows["dear"]["wanted_bytes"] == 6_000 * MB
    moved = {row["cluster"]: row["bytes_moved"] for row in run.rows}
    assert moved == {"cheap": 60 * MB, "dear": 2_000 * MB, "level": 0, "forced": 40 * MB}
    assert rows["dear"]["lower_bound"] == rows["dear"]["level"] < rows["dear"]["level_before"]


def test_it_is_said(run: FleetRun, fleet: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """In ``run.json``, by fleet-report and by ``run --check``; what is left is no less than its bound."""
    told = json.loads((run.out / "run.json").read_bytes())["budget"]
    assert told["max_bytes_total"] == told["given"] == TOTAL and told["clusters"] == 3
    assert told["lower_bound"] <= told["left"] < 1 / 3
    assert command(["fleet-report", str(run.out)]) == 0
    said = capsys.readouterr().out
    assert "of the unevenness of 3 clusters " in said and "no other way to give them leaves less than" in said
    assert "dear: 2.0 GiB of 5.6 GiB" in said
    assert command(["run", str(fleet), "--check"]) == 0
    assert f"max-bytes-total = {TOTAL}" in capsys.readouterr().out


def test_its_frontier_is_that_of_the_command(spark: SparkSession, run: FleetRun, fleet: Path) -> None:
    """A cluster's plan is on the frontier that ``equipoise frontier`` shows for its budget."""
    row = budgets(run.out)["dear"]
    files = [fleet / "dear" / name for name in ("current.json", "dirs.json")]
    cluster = read_sources(files, name="dear")
    percent = 100 * row["max_bytes"] / row["wanted_bytes"]
    (point,) = frontier(cluster, Request(), [percent], unit="bytes").points
    assert (point.value, point.lower_bound) == (row["level"], row["lower_bound"])


def test_running_again(spark: SparkSession, run: FleetRun, fleet: Path) -> None:
    """With nothing new all is taken over; where one cluster changed all get their parts anew."""
    before = budgets(run.out), files_of(run.out / "clusters")
    again = run_fleet(spark, fleet, run.out)
    assert again.kept == {"cheap", "dear", "level", "forced"}
    assert (budgets(run.out), files_of(run.out / "clusters")) == before
    assert json.loads((run.out / "run.json").read_bytes())["budget"]["given"] == TOTAL
    (fleet / "cheap" / "equipoise.toml").write_text("required-only = true\n")
    changed = run_fleet(spark, fleet, run.out)
    assert changed.kept == frozenset()
    rows = budgets(run.out)
    assert rows["cheap"]["max_bytes"] == 0 and rows["dear"]["max_bytes"] == TOTAL - 40 * MB
