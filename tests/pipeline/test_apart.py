"""No cluster costs another, nothing is passed over, and plans know the loads: one small fleet, one run."""

from __future__ import annotations

import json
from io import StringIO
from pathlib import Path

import pytest
from pyspark.sql import SparkSession
from rich.console import Console
from tests.pipeline.fleets import rows_of
from tests.pipeline.metrics import HOUR, T0, Row, sample, series, write_samples

from equipoise.pipeline.jobs.fleet import FleetRun, run_fleet
from equipoise.pipeline.jobs.progress import TerminalProgress

pytestmark = pytest.mark.spark


def written(fleet: Path, name: str, rows: list[Row], wish: str = "") -> None:
    folder = fleet / name
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "current.json").write_text(json.dumps({"version": 1, "partitions": rows}))
    (folder / "equipoise.toml").write_text(wish)


def lists(n: int, *brokers: int, width: int = 2) -> list[Row]:
    """Partitions of one topic, each on the brokers that come next."""
    return [
        {"topic": "pay", "partition": p, "replicas": [brokers[(p + k) % len(brokers)] for k in range(width)]}
        for p in range(n)
    ]


def one_each(*brokers: int) -> list[Row]:
    """A partition on each broker named."""
    return [{"topic": "pay", "partition": p, "replicas": [broker]} for p, broker in enumerate(brokers)]


@pytest.fixture(scope="module")
def fleet(tmp_path_factory: pytest.TempPathFactory) -> Path:
    fleet = tmp_path_factory.mktemp("fleets") / "a[part"
    written(fleet, "late", lists(500, *range(1, 25), width=3), 'brokers = "1-30"\ntime-limit = 0.001')
    written(fleet, "thirsty", lists(500, *range(1, 25), width=3), 'memory-limit = "1MB"')
    for name in ("prod[eu]", "a{b,c}", "c*", "2026-01-01T00:00:00"):
        written(fleet, name, lists(10, 1, 2, 3))
    given_twice = [*one_each(1, 2), {"topic": "pay", "partition": 0, "replicas": [2]}]
    written(fleet, "dup", [*given_twice, {"topic": "pay", "partition": 2, "replicas": [1]}], "partial = true")
    (fleet / "gone").symlink_to("nowhere")
    (fleet / "round").symlink_to("round")
    (fleet / "dup" / "old.json").symlink_to("nowhere")
    for figure in ("mean", "peak"):
        name = f"by {figure}"
        wish = f'balance = "network-in"\nload = "{figure}"\ntolerance = 0'
        written(fleet, name, one_each(1, 1, 2, 2), wish)
        write_samples(fleet, "a.csv", rates(), name)
    written(fleet, "unknown", one_each(1, 1, 2, 2), 'balance = "network-in"')
    write_samples(fleet, "a.csv", [sample(T0, "size_bytes", 5)], "unknown")
    return fleet


def rates() -> list[Row]:
    """Of four partitions: on the mean the first two have most, at their peak the first and the third have."""
    told = {0: [10e6, 10e6, 10e6, 10e6], 1: [6e6, 6e6, 6e6, 6e6], 2: [0, 0, 0, 10e6], 3: [0, 0, 0, 6e6]}
    return [row for p, values in told.items() for row in series("bytes_in_per_s", values, HOUR, partition=p)]


@pytest.fixture(scope="module")
def told() -> StringIO:
    return StringIO()


@pytest.fixture(scope="module")
def run(
    spark: SparkSession, fleet: Path, told: StringIO, tmp_path_factory: pytest.TempPathFactory
) -> FleetRun:
    out = tmp_path_factory.mktemp("runs") / "out{put}"
    with TerminalProgress(Console(file=told, markup=False, width=200)) as progress:
        return run_fleet(spark, fleet, out, progress)


def test_outcomes(run: FleetRun) -> None:
    """A planner that is late or too large, a link that leads nowhere: a row; the others have plans."""
    reasons = {row["cluster"]: row["reason"] for row in run.rows if row["outcome"] != "planned"}
    assert reasons.pop("late") == "its planning takes longer than its time-limit of 0.001 seconds"
    assert reasons.pop("thirsty").startswith("its planning ")  # solvers do not always live to say more
    assert "the inbound rates of 4 partitions are not known" in reasons.pop("unknown")
    assert reasons == {"gone": "the folder is a link to nothing", "round": "the folder is a link to nothing"}
    planned = {row["cluster"] for row in run.rows if row["outcome"] == "planned"}
    assert planned == {"prod[eu]", "a{b,c}", "c*", "2026-01-01T00:00:00", "dup", "by mean", "by peak"}
    assert {folder.name for folder in (run.out / "clusters").iterdir()} == planned


def test_names_are_shown_as_they_are(run: FleetRun, told: StringIO) -> None:
    """Brackets are no markup."""
    assert "  prod[eu]: planned\n" in told.getvalue()


def test_of_two_lists_neither_is_taken(run: FleetRun) -> None:
    """The partition is not planned, and both places are told; so is a link to nothing."""
    rows = [row for row in rows_of(run.out, "partitions") if row["cluster"] == "dup"]
    assert [(row["partition"], row["replicas"]) for row in rows] == [(1, [2]), (2, [1])]
    pieces = [row for row in rows_of(run.out, "quarantine") if row["cluster"] == "dup"]
    assert [(row["file"], row["place"]) for row in pieces] == [
        ("current.json", "partitions[2]"),
        ("old.json", None),
    ]


def test_plans_know_the_loads(run: FleetRun) -> None:
    """By their means one of the first two partitions moves; by their peaks they are level as they are."""
    summaries = {row["cluster"]: row for row in run.rows}
    assert summaries["by mean"]["data_moves"] >= 1
    assert summaries["by peak"]["data_moves"] == 0
    used = {name: summaries[name]["loads"] for name in ("by mean", "by peak")}
    rate = {"figure": "bytes_in_per_s", "statistic": "peak", "source": "measured", "partitions": 4}
    assert rate in used["by peak"] and rate | {"statistic": "mean"} in used["by mean"]
    assert summaries["prod[eu]"]["loads"] == []
    page = (run.out / "clusters" / "by peak" / "report.html").read_text()
    assert "bytes in: peak of 4 partitions measured" in page
