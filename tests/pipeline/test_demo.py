"""The example fleet, as ``equipoise demo`` plans it: its stories come true."""

from __future__ import annotations

import json
import random
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession
from tests.pipeline.fleets import EXAMPLES, command, files_of

from equipoise.pipeline.jobs.fleet import FleetRun, run_fleet

pytestmark = [pytest.mark.spark, pytest.mark.timeout(1800)]  # whole runs of a fleet, beside tests on brokers


@pytest.fixture(scope="module")
def growth(demo_run: FleetRun) -> dict[str, Any]:
    return next(row for row in demo_run.rows if row["cluster"] == "growth")


def equipoise(*arguments: str | Path, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    """The command line in a process of its own."""
    return subprocess.run(command(*arguments), capture_output=True, text=True, cwd=cwd, timeout=550)


def test_growth_moves_what_it_must(growth: dict[str, Any]) -> None:
    """The published counts need 11,005 data moves, and get level to within one, replicas and leaders."""
    after = growth["after"]
    assert growth["data_moves"] == 11_005
    assert (after["replicas_min"], after["replicas_max"]) == (6589, 6590)
    assert after["leaders_max"] - after["leaders_min"] <= 1


def test_growth_is_proved(growth: dict[str, Any]) -> None:
    """Every goal of ``growth`` has a gap of 0, and all seven checks pass."""
    assert {level["goal"]: level["gap"] for level in growth["certificate"] if level["gap"]} == {}
    assert growth["checks"] == {"passed": 7, "all": 7}


def test_page_and_terminal_claim_the_same(demo_run: FleetRun) -> None:
    """Without racks, or of a part of a cluster, a plan is proved best in neither without saying so."""
    run = equipoise("fleet-report", demo_run.out)
    assert "5 clusters, 5 planned, 2 proved best" in run.stdout
    assert ">2 of 5 proved best<" in (demo_run.out / "index.html").read_text()
    badges = {line.split()[0]: line for line in run.stdout.splitlines() if "→" in line}
    assert "proved best, racks not known" in badges["growth"] and "best for this part" in badges["messy"]
    assert "proved best  " in badges["removal"]


def test_planning_again_is_empty(spark: SparkSession, demo_run: FleetRun, tmp_path: Path) -> None:
    """A fleet that is where its plans lead needs no move and no election, whatever the cluster."""
    fleet = tmp_path / "moved"
    for source in EXAMPLES.iterdir():
        folder = fleet / source.name
        folder.mkdir(parents=True)
        for file in source.iterdir():
            if file.name in ("brokers.csv", "racks.txt", "equipoise.toml"):
                shutil.copy(file, folder)
        if source.name == "messy":  # two of its partitions cannot be read
            (folder / "equipoise.toml").write_text("partial = true")
        lists = (demo_run.out / "clusters" / source.name / "migrated").glob("*.json")
        rows = [row for path in lists for row in json.loads(path.read_text())["partitions"]]
        (folder / "current.json").write_text(json.dumps({"version": 1, "partitions": rows}))
    again = run_fleet(spark, fleet, tmp_path / "out")
    told = [(row["cluster"], row["outcome"], row["partitions_changed"]) for row in again.rows]
    assert told == [(name, "planned", 0) for name in sorted(path.name for path in EXAMPLES.iterdir())]


def test_the_order_of_input_rows_does_not_matter(
    spark: SparkSession, demo_run: FleetRun, tmp_path: Path
) -> None:
    """Partitions and brokers in any order: every plan is the same, byte for byte."""
    fleet = tmp_path / "shuffled"
    for name in ("racks", "removal"):
        shutil.copytree(EXAMPLES / name, fleet / name)
    draw = random.Random(1)

    described = fleet / "racks" / "topics.txt"
    topics = re.split(r"^(?=Topic:)", described.read_text(), flags=re.MULTILINE)[1:]
    draw.shuffle(topics)
    described.write_text("".join(mixed(topic, draw) for topic in topics))

    listed = fleet / "removal" / "current.json"
    content = json.loads(listed.read_text())
    draw.shuffle(content["partitions"])
    listed.write_text(json.dumps(content))

    brokers = fleet / "removal" / "brokers.csv"
    brokers.write_text(mixed(brokers.read_text(), draw))

    run_fleet(spark, fleet, tmp_path / "out")
    for name in ("racks", "removal"):
        there = files_of(tmp_path / "out" / "clusters" / name)
        assert there == files_of(demo_run.out / "clusters" / name)


def mixed(text: str, draw: random.Random) -> str:
    """The lines after the first in another order."""
    first, *lines = text.splitlines(keepends=True)
    draw.shuffle(lines)
    return first + "".join(lines)


def test_no_fleet(tmp_path: Path) -> None:
    """A fleet that is not there is one line, exit 2, and costs no start of Spark."""
    ran = equipoise("run", tmp_path / "nowhere", "--out", tmp_path / "out")
    assert ran.returncode == 2
    assert ran.stderr == f"equipoise: {tmp_path}/nowhere: there is no such folder\n"
