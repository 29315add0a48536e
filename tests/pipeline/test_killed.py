"""A run that is killed: OUT is there all the time, and the next run clears what it left."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from pyspark.sql import SparkSession
from tests.pipeline.fleets import EXAMPLES, files_of, rows_of

from equipoise.pipeline.jobs.fleet import run_fleet
from equipoise.pipeline.schemas.tables import HISTORIES, TABLES

pytestmark = pytest.mark.spark


def plans_of(out: Path) -> dict[str, str]:
    return files_of(out / "clusters")


def test_the_next_run_clears_what_a_killed_one_left(spark: SparkSession, tmp_path: Path) -> None:
    """SIGKILL while tables are written: the run before stands; the next one leaves nothing beside its own."""
    fleet, out = tmp_path / "fleet", tmp_path / "out"
    for name in ("removal", "skewed-leaders"):
        shutil.copytree(EXAMPLES / name, fleet / name)
    run_fleet(spark, fleet, out)
    before = plans_of(out)
    (fleet / "removal" / "equipoise.toml").write_text("drain = [18]")
    command = [sys.executable, "-m", "equipoise.cli.main", "run", str(fleet), "--out", str(out)]
    with subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True) as process:
        assert process.stderr is not None
        said = next((line for line in process.stderr if line.startswith("writing the tables")), "")
        process.kill()
    assert said
    found = plans_of(out)
    run_fleet(spark, fleet, out)
    assert found in (before, plans_of(out))  # the latter where the kill came when all was done
    assert {entry.name for entry in tmp_path.iterdir()} == {"fleet", "out"}
    full = run_fleet(spark, fleet, tmp_path / "full", full=True)
    for name in TABLES.keys() - set(HISTORIES):
        assert rows_of(spark, out, name) == rows_of(spark, full.out, name), name
