"""A run over twenty clusters with injected faults of known truth: each is found, and nothing else."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from bench.faulty import CAPACITY, COPIES, FAULTS, HOURS, NOW, PARTITIONS, START, Truth, judged, make
from pyspark.sql import SparkSession
from tests.pipeline.fleets import rows_of

from equipoise.cli.main import run as command
from equipoise.pipeline.jobs.fleet import run_fleet
from equipoise.pipeline.jobs.published import Published, published

pytestmark = [pytest.mark.spark, pytest.mark.timeout(1800)]  # one fixture makes all the runs
N = 20
Rows = list[dict[str, Any]]


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("faulty")


@pytest.fixture(scope="module")
def truths(place: Path) -> list[Truth]:
    return make(place / "fleet", N)


@pytest.fixture(scope="module")
def found(spark: SparkSession, place: Path, truths: list[Truth]) -> Published:
    run_fleet(spark, place / "fleet", place / "out")
    return published(place / "out")


@pytest.fixture(scope="module")
def by_fault(truths: list[Truth]) -> dict[str, str]:
    """The first cluster with each fault."""
    return {truth.fault: truth.name for truth in reversed(truths)}


def of(rows: Rows, cluster: str) -> Iterator[dict[str, Any]]:
    return (row for row in rows if row["cluster"] == cluster)


def test_every_fault_is_found(place: Path, truths: list[Truth], found: Published) -> None:
    """The checks, the broken files, rates and growths within their error; no finding without a fault."""
    assert {truth.fault for truth in truths} == set(FAULTS)
    assert judged(truths, found, rows_of(place / "out", "partition_load")) == []


def test_findings_say_how_much(found: Published, by_fault: dict[str, str]) -> None:
    """Severity, figure and words of each kind."""
    told = {
        row["check"]: (row["severity"], row["value"], row["detail"])
        for fault in ("out_of_sync", "in_flight", "sizes", "ahead", "gap", "silent")
        for row in of(found.findings, by_fault[fault])
    }
    assert told["replicas_out_of_sync"] == ("warning", 1.0, "not in sync on 3")
    assert told["in_flight"] == ("note", 1.0, "a reassignment adds [1] and removes [4]")
    sizes = ("warning", float(NOW - NOW // 10), f"replicas hold from {NOW // 10:,} to {NOW:,} bytes")
    assert told["replica_sizes"] == sizes
    day = ("warning", 86_400.0, "its newest sample is 86,400 seconds ahead of those of the other brokers")
    assert told["clocks_apart"] == day
    gap = "no sample for 32,400 seconds; they come every 3,600 seconds"
    assert told["gaps"] == ("warning", 9 * 3600.0, gap)
    assert told["brokers_without_metrics"] == ("warning", 0.0, "no sample names this broker")


def test_disks_are_full_in_time(
    place: Path, truths: list[Truth], found: Published, by_fault: dict[str, str]
) -> None:
    """What is free, divided by the growth of what a broker holds; of its only dir the same before."""
    well = next(truth for truth in truths if truth.fault == "nothing")
    rows = list(of(rows_of(place / "out", "disk_days"), well.name))
    assert len(rows) == 8
    for broker in (1, 2, 3, 4):
        whole, part = (row for row in rows if row["broker"] == broker)
        held = [p for p in range(PARTITIONS) if (broker - 1 - p) % 4 < COPIES]
        growth = sum(well.growths[p] for p in held)
        before = whole["before"]
        assert before["bytes"] == pytest.approx(len(held) * NOW, rel=1e-8)
        assert whole["capacity_bytes"] == CAPACITY
        assert before["growth_per_day"] == pytest.approx(growth, abs=5 * before["growth_error"])
        free = CAPACITY - len(held) * NOW
        assert before["days"] == pytest.approx(free / before["growth_per_day"])
        assert before["days_at_least"] < before["days"] < before["days_at_most"]
        assert part["log_dir"] == "/data" and part["before"] == before
        assert whole["after"]["bytes"] >= 0


def test_the_busiest_hour(place: Path, truths: list[Truth], found: Published) -> None:
    """The hour in which the counters of all partitions together rise most, and by how much."""
    well = next(truth for truth in truths if truth.fault == "nothing")
    samples = of(rows_of(place / "out", "samples"), well.name)
    totals = dict.fromkeys(range(HOURS), 0.0)
    for row in samples:
        if row["metric"] == "bytes_in_per_s":
            totals[(int(row["time"].timestamp()) - START) // 3600 - 1] += row["value"]
    most = max(totals, key=lambda k: totals[k])
    (told,) = of(rows_of(place / "out", "busiest_hour"), well.name)
    assert (int(told["hour"].timestamp()) - START) // 3600 == most
    assert told["mean"] == pytest.approx(totals[most]) and told["of"] == "partitions"
    assert told["usual"] == pytest.approx(sum(totals.values()) / HOURS)


def test_the_report(
    place: Path, found: Published, by_fault: dict[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    """Worst first, with findings and what is new; 1, since pieces were set aside."""
    assert command(["fleet-report", str(place / "out"), "--all"]) == 1
    said = capsys.readouterr().out
    assert "20 clusters, 20 planned" in said and "there is no run before this one" in said
    assert f"warning: {by_fault['gap']}, broker" in said
    assert said.index("warning: ") < said.index("note: ")
