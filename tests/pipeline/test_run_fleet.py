"""A run over a fleet with good, broken and impossible clusters: what is published and what is set aside."""

from __future__ import annotations

import json
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path
from threading import Event

import pytest
from pyspark.sql import SparkSession
from tests.pipeline.fleets import EXAMPLES, PLANNED, command, files_of, rows_of
from tests.pipeline.standalone import standalone

from equipoise.errors import Stopped, UnusableInput
from equipoise.files.plan_directory import read_plan
from equipoise.files.sources import read_sources
from equipoise.files.wish import read_wish
from equipoise.pipeline.jobs.fleet import FleetRun, run_fleet
from equipoise.pipeline.jobs.store import write_json
from equipoise.pipeline.schemas.tables import HISTORIES, TABLES
from equipoise.planning import make_plan

pytestmark = pytest.mark.spark


def test_every_good_cluster_is_planned(small_run: FleetRun) -> None:
    """What is broken elsewhere in the fleet does not keep a cluster from its plan."""
    outcomes = {row["cluster"]: row["outcome"] for row in small_run.rows}
    assert outcomes == dict.fromkeys(PLANNED, "planned") | {
        "bare": "set aside",
        "junk": "set aside",
        "part": "set aside",
        "stranger": "set aside",
        "misspelt": "set aside",
        "impossible": "impossible",
    }
    assert {folder.name for folder in (small_run.out / "clusters").iterdir()} == set(PLANNED)
    assert not small_run.is_clean


def test_known_answers(small_run: FleetRun) -> None:
    """The example clusters cost what their stories say."""
    costs = {row["cluster"]: (row["data_moves"], row["leadership_changes"]) for row in small_run.rows}
    assert costs["removal"] == (1, 0)
    assert costs["skewed-leaders"] == (0, 11)
    assert costs["racks"][0] == 450


def test_every_reason_is_told(small_run: FleetRun) -> None:
    """A cluster that was not planned has its reason in ``quarantine`` and in ``plan_summary``."""
    whole = {
        row["cluster"]: row["reason"]
        for row in rows_of(small_run.out, "quarantine")
        if row["file"] is None
    }
    assert set(whole) == {"bare", "junk", "part", "stranger", "misspelt", "impossible"}
    assert "a part of a cluster: topic pay lacks 6 of 8 partitions (0, 1, 2, 3, 5 and 1" in whole["part"]
    assert "no source says which brokers hold which partitions" in whole["bare"]
    assert "there is no broker 99" in whole["stranger"]
    assert "equipoise.toml, drian" in whole["misspelt"]
    told = {row["cluster"]: row["reason"] for row in small_run.rows if row["outcome"] != "planned"}
    assert told == whole


def test_broken_lines_are_set_aside_one_by_one(small_run: FleetRun) -> None:
    """The broken lines, file and sample of ``messy``, each with its place; the rest is planned."""
    pieces = [row for row in rows_of(small_run.out, "quarantine") if row["cluster"] == "messy"]
    assert [(row["file"], row["line"]) for row in pieces] == [
        ("brokers.csv", 8),
        ("log-dirs.json", pieces[1]["line"]),
        ("metrics/hourly.csv.gz", 1140),
        ("topics.txt", 5),
        ("topics.txt", 10),
        ("topics.txt", 15),
    ]
    partitions = [row for row in rows_of(small_run.out, "partitions") if row["cluster"] == "messy"]
    assert len(partitions) == 12 + 24 + 18 + 30 - 2


def test_a_part_is_planned_where_that_is_asked_for_or_explained(small_run: FleetRun) -> None:
    """By its wish, or since every missing partition was set aside as a line; both are said to be parts."""
    partial = {row["cluster"]: row for row in small_run.rows if row["partial"]}
    assert set(partial) == {"asked", "messy"}
    assert "topic audit lacks 2 of 12 partitions (3, 8)" in partial["messy"]["warnings"][0]
    assert read_plan(small_run.out / "clusters" / "messy").request["partial"] is True
    assert "a part of a cluster is planned" in (small_run.out / "index.html").read_text()


def test_what_is_not_known_is_null(small_run: FleetRun) -> None:
    """The value of racks without racks, and bytes of unknown size; the page names those clusters on top."""
    rows = {row["cluster"]: row for row in small_run.rows if row["outcome"] == "planned"}
    racks = {name: row["certificate"][0] for name, row in rows.items()}
    unknown = {"goal": "racks", "value": None, "lower_bound": None, "gap": None, "proof": "unknown"}
    assert {name for name, level in racks.items() if level == unknown} == {"asked", "skewed-leaders"}
    assert rows["asked"]["after"]["rack_violations"] is None
    moves = [row for row in rows_of(small_run.out, "moves") if row["cluster"] == "removal"]
    assert [row["bytes"] for row in moves] == [None]
    page = (small_run.out / "index.html").read_text()
    assert page.index("no racks are known of asked, skewed-leaders: two") < page.index("Data moves")


def test_tables_agree_with_the_planner(small_run: FleetRun, small_fleet: Path) -> None:
    """Rows and plan directories are what ``equipoise plan`` makes of the same folders."""
    moves = rows_of(small_run.out, "moves")
    for name in PLANNED:
        cluster = read_sources([small_fleet / name], name=name, set_aside=[])
        wish = read_wish(small_fleet / name).request
        plan = make_plan(cluster, replace(wish, partial=wish.partial or bool(cluster.lacks)))
        own = [row for row in moves if row["cluster"] == name]
        assert [(row["topic"], row["partition"]) for row in own] == [
            (cluster.topics[cluster.topic_idx[row]], int(cluster.partition[row])) for row in plan.changed
        ]
        assert [row["after"] for row in own] == [
            [int(i) for i in ids if i >= 0] for ids in plan.cluster.ids_of(plan.target[plan.changed])
        ]
        assert (read_plan(small_run.out / "clusters" / name).target == plan.target).all()


def test_replicas_lie_where_the_log_dirs_say(small_run: FleetRun) -> None:
    """Each replica of ``racks`` has the log dir and the size that kafka-log-dirs told; none is doubled."""
    replicas = [row for row in rows_of(small_run.out, "replicas") if row["cluster"] == "racks"]
    assert len(replicas) == 1800
    assert {row["log_dir"] for row in replicas} == {"/data/d1"}
    assert all(row["size_bytes"] >= 1 << 20 for row in replicas)
    elsewhere = [row for row in rows_of(small_run.out, "replicas") if row["cluster"] == "removal"]
    assert {(row["log_dir"], row["size_bytes"]) for row in elsewhere} == {(None, None)}


def test_what_is_in_flight(small_run: FleetRun) -> None:
    """A moving partition has its true list, and beside it what comes and goes; a fenced broker is down."""
    partitions = [row for row in rows_of(small_run.out, "partitions") if row["cluster"] == "moving"]
    assert [(row["replicas"], row["adding"], row["removing"]) for row in partitions] == [
        ([1, 2, 3], None, None),
        ([2, 3, 1], [4], [1]),
    ]
    assert {(row["leader"], row["min_isr"], row["replication_factor"]) for row in partitions} == {
        (1, 2, 3),
        (2, 2, 3),
    }
    brokers = [row for row in rows_of(small_run.out, "brokers") if row["cluster"] == "moving"]
    assert [(row["broker"], row["rack"], row["is_up"]) for row in brokers] == [
        (1, "a", True), (2, "b", True), (3, "c", True), (4, "a", False)
    ]  # fmt: skip


def test_who_is_down_is_told(small_run: FleetRun) -> None:
    """A fenced broker is in ``plan_summary``, is the first warning and on the index; nothing goes there."""
    summaries = {row["cluster"]: row for row in rows_of(small_run.out, "plan_summary")}
    sick, well = summaries["moving"], summaries["skewed-leaders"]
    said = "broker 4 is not alive (fenced according to endpoints.txt): no replica and no leader comes to it."
    assert sick["not_alive"] == [4] and sick["warnings"][0].startswith(said)
    assert (sick["without_leader"], sick["under_replicated"], sick["under_min_isr"]) == (0, 0, 0)
    assert (well["not_alive"], well["cannot_move"]) == ([], 0)
    assert summaries["removal"]["under_replicated"] is None  # its source has no Isr
    assert said in (small_run.out / "index.html").read_text()
    moves = [row for row in rows_of(small_run.out, "moves") if row["cluster"] == "moving"]
    assert not any(4 in row["after"] for row in moves)


def test_keys_are_unique(small_run: FleetRun) -> None:
    """No two rows of a table share its key."""
    for name, table in TABLES.items():
        keys = [tuple(row[column] for column in table.key) for row in rows_of(small_run.out, name)]
        assert len(keys) == len(set(keys)), name


def test_running_again_replaces(
    spark: SparkSession, small_run: FleetRun, small_fleet: Path, tmp_path: Path
) -> None:
    """A second full run into the same folder leaves the same files, byte for byte, and nothing else."""
    out = tmp_path / "out"
    shutil.copytree(small_run.out, out)
    run_fleet(spark, small_fleet, out, full=True)
    assert files_of(out) == files_of(small_run.out)
    assert [entry.name for entry in tmp_path.iterdir()] == ["out"]


def test_nothing_foreign_is_replaced(spark: SparkSession, small_fleet: Path, tmp_path: Path) -> None:
    """A folder that is not an earlier run's, or holds more than one, is refused and left as it is."""
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(UnusableInput, match="is not what an earlier run wrote"):
        run_fleet(spark, small_fleet, tmp_path)
    assert [entry.name for entry in tmp_path.iterdir()] == ["notes.txt"]


def test_a_journal_is_not_replaced(
    spark: SparkSession, small_run: FleetRun, small_fleet: Path, tmp_path: Path
) -> None:
    """A plan directory that is being carried out keeps a whole run's folder from being replaced."""
    out = tmp_path / "out"
    shutil.copytree(small_run.out, out)
    (out / "clusters" / "removal" / "journal.jsonl").write_text("{}\n")
    with pytest.raises(UnusableInput, match=r"clusters/removal holds journal.jsonl"):
        run_fleet(spark, small_fleet, out)


def test_what_appears_during_a_run_survives(
    spark: SparkSession,
    small_run: FleetRun,
    small_fleet: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """OUT is looked at again when it is replaced: a journal that came meanwhile keeps it there."""
    out = tmp_path / "out"
    shutil.copytree(small_run.out, out)
    before = files_of(out)
    journal = out / "clusters" / "removal" / "journal.jsonl"

    def begun(path: Path, value: object) -> None:
        write_json(path, value)
        journal.write_text("{}\n")

    monkeypatch.setattr("equipoise.pipeline.jobs.fleet.write_json", begun)
    with pytest.raises(UnusableInput, match=r"clusters/removal holds journal.jsonl"):
        run_fleet(spark, small_fleet, out)
    assert journal.read_text() == "{}\n"
    journal.unlink()
    assert files_of(out) == before
    assert [entry.name for entry in tmp_path.iterdir()] == ["out"]


def test_a_failing_run_publishes_nothing(
    spark: SparkSession,
    small_run: FleetRun,
    small_fleet: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """An interruption while tables are written leaves the earlier run as it was, and nothing beside it."""
    out = tmp_path / "out"
    shutil.copytree(small_run.out, out)
    before = files_of(out)

    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("equipoise.pipeline.jobs.fleet.write_table", interrupted)
    with pytest.raises(KeyboardInterrupt):
        run_fleet(spark, small_fleet, out)
    assert files_of(out) == before
    assert [entry.name for entry in tmp_path.iterdir()] == ["out"]


def test_a_stopped_run_publishes_nothing(spark: SparkSession, small_fleet: Path, tmp_path: Path) -> None:
    """Ctrl-C that comes too late to cancel a job still keeps the result back."""
    stopped = Event()
    stopped.set()
    with pytest.raises(Stopped):
        run_fleet(spark, small_fleet, tmp_path / "out", stopped=stopped)
    assert list(tmp_path.iterdir()) == []


def test_run_json(small_run: FleetRun) -> None:
    """``run.json`` tells what ran, on what, the rows of every table and what was set aside."""
    record = json.loads((small_run.out / "run.json").read_text())
    assert record["in"]["clusters"] == 12
    assert set(record["out"]["rows"]) == set(TABLES)
    assert record["out"]["rows"]["plan_summary"] == 12
    checks = rows_of(small_run.out, "checks")
    assert sum(row["subject"] is None for row in checks) == 7 * len(PLANNED)
    findings = (row for row in checks if row["cluster"] == "moving" and row["subject"])
    found = [(row["check"], row["subject"]) for row in findings]
    assert found == [("in_flight", "pay-1")]
    assert record["set_aside"]["pieces"] == len(record["set_aside"]["first"]) == 13


@pytest.mark.timeout(1800)
@pytest.mark.parametrize("run", ["small_run", pytest.param("demo_run", marks=pytest.mark.long)])
def test_a_spark_cluster_gives_the_same(
    run: str, small_fleet: Path, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    """One master and two workers on loopback: the same rows in every table, the same plans byte for byte."""
    out, local = tmp_path / "out", request.getfixturevalue(run).out
    fleet = {"small_run": small_fleet, "demo_run": EXAMPLES}[run]
    with standalone(tmp_path) as master:
        words = command("run", fleet, "--out", out, "--master", master)
        ran = subprocess.run(words, capture_output=True, text=True, timeout=1500)
        workers = [list((tmp_path / f"worker-{k}").glob("app-*/*/stderr")) for k in range(2)]
    assert ran.stdout.rstrip().endswith(f"{out}/index.html"), ran.stderr
    assert ran.returncode == 1  # something is set aside in both
    assert all(workers), "one of the workers was given nothing to do"
    here, there = files_of(local), files_of(out)
    plans = {name for name in here if not name.startswith("tables/")}
    assert {name: there.get(name) for name in plans} == {name: here[name] for name in plans}
    for table in TABLES.keys() - set(HISTORIES):
        assert rows_of(out, table) == rows_of(local, table), table


@pytest.mark.parametrize(("make", "said"), [(False, "there is no such folder"), (True, "holds no cluster")])
def test_no_fleet(spark: SparkSession, tmp_path: Path, make: bool, said: str) -> None:
    """A fleet that is not there, or has no cluster, is one clear line."""
    fleet = tmp_path / "fleet"
    if make:
        fleet.mkdir()
    with pytest.raises(UnusableInput, match=said):
        run_fleet(spark, fleet, tmp_path / "out")
