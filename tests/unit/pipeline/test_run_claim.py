"""What a run over a fleet replaces at OUT: an earlier run of the same fleet, and nothing else unasked."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from equipoise.cluster import Brokers, Plan, build_cluster
from equipoise.errors import UnusableInput
from equipoise.files.folders import claimed
from equipoise.files.plan_directory import write_plan
from equipoise.pipeline.jobs.claim import run_claim


@pytest.fixture
def out(tmp_path: Path) -> Path:
    """What a run over ``fleet`` published: a page, its record, one table and one plan."""
    cluster = build_cluster("c", Brokers.of([1, 2]), ["t"], [0], [[1]])
    plan = Plan(cluster, cluster.brokers.index_of(np.array([[2]])), np.ones(2, dtype=bool))
    out = tmp_path / "out"
    write_plan(plan, out / "clusters/c", extra={"report.html": b"<html>"})
    (out / "index.html").write_text("<html>")
    (out / "run.json").write_text(json.dumps({"fleet": str(tmp_path / "fleet")}))
    (out / "tables/moves").mkdir(parents=True)
    (out / "tables/moves/part-00000.parquet").write_bytes(b"")
    (out / "state/told/run=1").mkdir(parents=True)
    (out / "state/told/run=1/part-00000.parquet").write_bytes(b"")
    (out / "state/inputs.json").write_text("{}")
    return out


def refusal(out: Path, *, fleet: str = "fleet", force: bool = False) -> str:
    """What is said to a run over a fleet beside ``out``; "" where it may begin."""
    try:
        claimed(out, run_claim(out.parent / fleet), force=force)
    except UnusableInput as error:
        return str(error)
    return ""


def test_the_same_fleet_is_replaced(out: Path) -> None:
    """A run every night needs no option."""
    assert refusal(out) == ""


@pytest.mark.parametrize(
    "name",
    [
        "thesis.txt",
        "tables/thesis.txt",
        "tables/mine/part-00000.parquet",
        "tables/moves/thesis.txt",
        "tables/moves/more/part-00000.parquet",
        "state/thesis.txt",
        "state/told/thesis.txt",
        "state/told/run=1/thesis.txt",
        "clusters/thesis.txt",
        "clusters/c/thesis.txt",
        "clusters/c/waves/thesis.txt",
        "clusters/mine/thesis.txt",
    ],
)
def test_nothing_foreign_is_replaced(out: Path, name: str) -> None:
    """A file that no run wrote, however deep, keeps the whole folder, forced or not."""
    (out / name).parent.mkdir(exist_ok=True)
    (out / name).write_text("precious")
    assert "Choose another --out" in refusal(out)
    assert refusal(out, force=True) == refusal(out)


def test_a_journal_or_a_changed_plan_goes_by_force_alone(out: Path) -> None:
    """Plans that somebody has begun to carry out, or has edited, are named with their cluster."""
    (out / "clusters/c/rollback.json").write_text("{}")
    assert "clusters/c holds rollback.json, which was changed" in refusal(out)
    (out / "clusters/c/journal.jsonl").write_text("{}\n")
    assert "clusters/c holds journal.jsonl" in refusal(out)
    assert "Give --force" in refusal(out)
    assert refusal(out, force=True) == ""


def test_another_fleet_goes_by_force_alone(out: Path) -> None:
    """A run over another fleet is named; the same fleet by another path is the same."""
    (out.parent / "link").symlink_to("fleet")
    assert refusal(out, fleet="link") == ""
    assert f"holds the run of another fleet ({out.parent}/fleet)" in refusal(out, fleet="other")
    assert refusal(out, fleet="other", force=True) == ""


@pytest.mark.parametrize("record", ["", "[]", "{}", '{"fleet": 5}'])
def test_a_record_that_tells_nothing(out: Path, record: str) -> None:
    """What cannot be known to be of this fleet is asked about."""
    (out / "run.json").write_text(record)
    assert "holds the run of another fleet" in refusal(out)


def test_a_link_in_place_of_a_part_is_foreign(out: Path) -> None:
    """What leads elsewhere was not published by a run."""
    (out / "clusters").rename(out.parent / "mine")
    (out / "clusters").symlink_to("../mine")
    assert "holds clusters, which no run wrote" in refusal(out)


@pytest.mark.parametrize("record", ["", "[]", "[" * 100_000])
def test_a_record_that_is_none_is_of_no_fleet(out: Path, record: str) -> None:
    """Whatever it holds, what was published there is asked about."""
    (out / "run.json").write_text(record)
    assert "fleet" in refusal(out)
