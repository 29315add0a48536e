"""A run that is killed: OUT is there all the time, and the next run clears what it left."""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from pyspark.sql import SparkSession
from tests.pipeline.fleets import EXAMPLES, command, files_of, rows_of
from tests.pipeline.metrics import T0, sample, write_samples

from equipoise.pipeline.jobs.fleet import FleetRun, run_fleet
from equipoise.pipeline.schemas.tables import HISTORIES, TABLES

pytestmark = pytest.mark.spark


N_BUSY = 20_000
"""Partitions of a cluster that is planned for some seconds."""


@pytest.fixture(scope="module")
def busy_fleet(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two small clusters, and one that keeps its planner at work."""
    fleet = tmp_path_factory.mktemp("killed") / "fleet"
    for name, n in (("busy", N_BUSY), ("a", 12), ("b", 12)):
        lists = [[1 + (p + k) % 24 for k in range(3)] for p in range(n)]
        rows = [{"topic": "t", "partition": p, "replicas": ids} for p, ids in enumerate(lists)]
        (fleet / name).mkdir(parents=True)
        (fleet / name / "current.json").write_text(json.dumps({"version": 1, "partitions": rows}))
        (fleet / name / "equipoise.toml").write_text('brokers = "1-30"')
    return fleet


def descendants(pid: int) -> Iterator[int]:
    """The processes below one, children before theirs."""
    for task in Path(f"/proc/{pid}/task").glob("*/children"):
        for child in map(int, task.read_text().split()):
            yield child
            with suppress(OSError):
                yield from descendants(child)


def planners() -> list[int]:
    """Processes below this one that plan."""
    found = []
    for pid in descendants(os.getpid()):
        with suppress(OSError):
            if b"solver_process" in Path(f"/proc/{pid}/cmdline").read_bytes():
                found.append(pid)
    return found


def parent(pid: int) -> int:
    return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])


def disturbed(spark: SparkSession, fleet: Path, out: Path, victims: Callable[[], Iterable[int]]) -> FleetRun:
    """A run of which some processes are killed once the busy cluster alone is being planned."""
    killed: list[int] = []

    def states() -> dict[str, str]:
        found = {}
        with suppress(OSError):
            for path in out.parent.glob(".*/.work/states/*"):
                found[path.name] = path.read_text()
        return found

    def kill() -> None:
        end_at = time.monotonic() + 600
        while states() != {"busy": "planning", "a": "planned", "b": "planned"} and time.monotonic() < end_at:
            time.sleep(0.01)
        for pid in victims():
            os.kill(pid, signal.SIGKILL)
            killed.append(pid)

    killer = threading.Thread(target=kill)
    killer.start()
    run = run_fleet(spark, fleet, out)
    killer.join()
    assert killed
    return run


def test_a_planner_that_is_killed(spark: SparkSession, busy_fleet: Path, tmp_path: Path) -> None:
    """As the kernel does where memory is short: a row with the reason, and the others are planned."""
    run = disturbed(spark, busy_fleet, tmp_path / "out", planners)
    assert {row["cluster"]: row["outcome"] for row in run.rows} == {
        "busy": "set aside", "a": "planned", "b": "planned"
    }  # fmt: skip
    (row,) = rows_of(run.out, "quarantine")
    assert row["cluster"] == "busy" and row["reason"].startswith("its planning was killed by signal 9")
    assert {place.name for place in (run.out / "clusters").iterdir()} == {"a", "b"}


def test_a_worker_that_is_killed(spark: SparkSession, busy_fleet: Path, tmp_path: Path) -> None:
    """The process of a task: the task is tried again, and nothing is lost or there twice."""
    run = disturbed(spark, busy_fleet, tmp_path / "out", lambda: {parent(pid) for pid in planners()})
    assert {row["outcome"] for row in run.rows} == {"planned"} and run.is_clean
    assert len(rows_of(run.out, "partitions")) == N_BUSY + 24


DEADLY = """
import os, signal
from equipoise.files import sources
from equipoise.pipeline.readers.samples import step

def deadly(what, name_of):
    def judged(*given, **named):
        if name_of(*given, **named).startswith(("deadly", "metrics/deadly")):
            os.kill(os.getpid(), signal.SIGKILL)
        return what(*given, **named)
    return judged

sources.parse_file = deadly(sources.parse_file, lambda source, name, **_: name)
sources.merge = deadly(sources.merge, lambda fragments, name, **_: name)
step.pieces = deadly(step.pieces, lambda source, name: name)
"""
"""What Python loads first: a file, or all files of a cluster, of this name kill whoever reads them."""


def test_what_kills_whoever_reads_it(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On both tries of its task: a file, a file of samples and a cluster have a reason; all else is there."""
    (tmp_path / "python").mkdir()
    (tmp_path / "python" / "sitecustomize.py").write_text(DEADLY)
    monkeypatch.setitem(spark.sparkContext.environment, "PYTHONPATH", str(tmp_path / "python"))
    fleet = tmp_path / "fleet"
    rows = [{"topic": "t", "partition": p, "replicas": [1 + p % 3, 1 + (p + 1) % 3]} for p in range(6)]
    for name in ("a", "b", "c", "deadly"):
        (fleet / name).mkdir(parents=True)
        (fleet / name / "current.json").write_text(json.dumps({"version": 1, "partitions": rows}))
    shutil.copy(fleet / "a" / "current.json", fleet / "b" / "deadly.json")
    told = [sample(T0, "size_bytes", 5, topic="t", partition=0)]
    for file in ("deadly.csv", "good.csv"):
        write_samples(fleet, file, told, "c")
    run = run_fleet(spark, fleet, tmp_path / "out")
    assert {row["cluster"]: row["outcome"] for row in run.rows} == {
        "a": "planned", "b": "planned", "c": "planned", "deadly": "set aside",
    }  # fmt: skip
    killed = "cannot be read: reading it was killed by signal 9: out of memory, perhaps"
    assert {(row["cluster"], row["file"]): row["reason"] for row in rows_of(run.out, "quarantine")} == {
        ("b", "deadly.json"): killed, ("c", "metrics/deadly.csv"): killed, ("deadly", None): killed,
    }  # fmt: skip
    assert len(rows_of(run.out, "partitions")) == 18 and len(rows_of(run.out, "samples")) == 1


@pytest.mark.long
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("seed", range(10))
def test_a_driver_that_is_killed(
    spark: SparkSession, demo_run: FleetRun, seed: int, tmp_path: Path
) -> None:
    """At any moment of a run: run again, the tables are those of a run that nobody disturbed."""
    words = command("run", EXAMPLES, "--out", tmp_path / "out")
    stages = ("starting", "reading", "planning", "growth", "writing")
    draw = random.Random(seed)
    stage, more = draw.choice(stages), draw.uniform(0, 5)
    with subprocess.Popen(words, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True) as process:
        assert process.stderr is not None
        said = any(line.strip().startswith(stage) for line in process.stderr)
        with suppress(subprocess.TimeoutExpired):
            process.wait(more)
        process.kill()
    assert said
    run_fleet(spark, EXAMPLES, tmp_path / "out")
    for name in TABLES.keys() - set(HISTORIES):
        assert rows_of(tmp_path / "out", name) == rows_of(demo_run.out, name), name
    assert plans_of(tmp_path / "out") == plans_of(demo_run.out)
    assert {entry.name for entry in tmp_path.iterdir()} == {"out"}


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
    words = command("run", fleet, "--out", out)
    with subprocess.Popen(words, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True) as process:
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
        assert rows_of(out, name) == rows_of(full.out, name), name
