"""A broker that is down, from the files of its cluster to the terminal, the folder and the verdict."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from equipoise.cli.main import app
from equipoise.cluster import Cluster, measures
from equipoise.files.plan_directory import read_plan
from equipoise.files.proposals import read_proposal
from equipoise.files.sources import read_sources
from equipoise.judge.proposal import lay_over
from equipoise.planning import make_plan

SENTENCE = (
    "broker 4 is not alive (in no Isr of describe.txt): no replica and no leader comes to it. --drain 4 "
    "moves its 16 replicas away; --assume-alive 4 plans as if it were up"
)


def topic(lists: list[list[int]], dead: int, min_isr: int = 2) -> str:
    counts = f"PartitionCount: {len(lists)}\tReplicationFactor: {len(lists[0])}"
    lines = [f"Topic: t\t{counts}\tConfigs: min.insync.replicas={min_isr}"]
    for p, held in enumerate(lists):
        isr = [b for b in held if b != dead]
        told = f"Replicas: {','.join(map(str, held))}\tIsr: {','.join(map(str, isr or held))}"
        lines.append(f"\tTopic: t\tPartition: {p}\tLeader: {isr[0] if isr else 'none'}\t{told}")
    return "\n".join(lines) + "\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Nine brokers in zones a, b, c; sixty partitions with a replica in each; broker 4 is in no Isr."""
    chance, lists = Random(7), []
    for _ in range(60):
        held = [chance.choice([z, z + 3] if chance.random() < 0.5 else [z + 6]) for z in (1, 2, 3)]
        chance.shuffle(held)
        lists.append(held)
    source = tmp_path / "zones"
    source.mkdir()
    (source / "describe.txt").write_text(topic(lists, dead=4))
    (source / "racks.csv").write_text("".join(f"{b},{'abc'[(b - 1) % 3]}\n" for b in range(1, 10)))
    return source


@pytest.fixture
def leaderless(tmp_path: Path) -> Path:
    """Two of four partitions have their one replica on broker 3, which is down."""
    (tmp_path / "alone.txt").write_text(topic([[1], [3], [1], [3]], dead=3, min_isr=1))
    return tmp_path / "alone.txt"


def equipoise(*arguments: object) -> Any:
    return CliRunner().invoke(app(), list(map(str, arguments)))


def content(out: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((out / "plan.json").read_text())
    return found


def unfolded(text: str) -> str:
    return " ".join(text.split())


def test_nothing_goes_onto_it_and_it_is_named_first(folder: Path, tmp_path: Path) -> None:
    """Terminal, plan.json and report begin with it; the plan is proved, checked, and a fixed point."""
    run = equipoise("plan", folder, "--out", tmp_path / "out")
    assert run.exit_code == 0, run.output
    told = content(tmp_path / "out")
    assert unfolded(run.stdout).startswith(SENTENCE + " of 60 partitions: 16 under-replicated zones:")
    assert told["warnings"] == [SENTENCE, "of 60 partitions: 16 under-replicated"]
    for move in told["moves"]:
        assert 4 in move["before"] or 4 not in move["after"]
        assert move["after"][0] != 4
    assert told["after"]["leaders_per_broker"]["4"] == 0
    assert told["after"]["replicas_per_broker"]["4"] == 16
    assert "proved best" in run.stdout
    page = (tmp_path / "out" / "report.html").read_text()
    assert page.index("broker 4 is not alive") < page.index("Data moves")

    checked = equipoise("check", tmp_path / "out", "--json")
    verdict = json.loads(checked.stdout)
    assert checked.exit_code == 0 and verdict["verdict"] == "pass"
    assert verdict["notes"] == told["warnings"]
    assert all(level["problem"] == "" for level in verdict["certificate"])

    cluster = read_sources([folder])
    over = lay_over(cluster, read_proposal(tmp_path / "out" / "reassignment.json"))
    assert make_plan(carried_out(over.cluster, over.target)).is_empty


def carried_out(cluster: Cluster, lists: np.ndarray) -> Cluster:
    """The cluster afterwards: preferred leaders lead; who came is in sync, and who was before."""
    came = measures.arrivals(cluster.replicas, lists)
    were = np.logical_or.reduce([lists == column[:, None] for column in cluster.isr.T])
    return replace(
        cluster, replicas=lists, leader=lists[:, 0], isr=np.where((came | were) & (lists >= 0), lists, -1)
    )


def test_the_same_whatever_the_order_of_lines(folder: Path, tmp_path: Path) -> None:
    first = equipoise("plan", folder, "--json").stdout
    lines = (folder / "describe.txt").read_text().splitlines(keepends=True)
    Random(1).shuffle(lines)
    (folder / "describe.txt").write_text("".join(lines))
    assert equipoise("plan", folder, "--json").stdout == first


@pytest.mark.slow
def test_what_is_counted_stands_in_plan_json(folder: Path, leaderless: Path) -> None:
    """Counts are null where nobody tells the Isr, and where no min.insync.replicas is known."""
    assert json.loads(equipoise("plan", folder, "--json").stdout)["health"] == {
        "not_alive": [{"broker": 4, "why": "in no Isr of describe.txt", "replicas": 16}],
        "assumed_alive": [],
        "isr_told": 60,
        "without_leader": 0,
        "under_replicated": 16,
        "under_min_isr": 0,
        "cannot_move": [],
    }
    alone = json.loads(equipoise("plan", leaderless, "--json").stdout)["health"]
    assert alone["without_leader"] == 2 and alone["cannot_move"] == ["t-1", "t-3"]
    leaderless.write_text(leaderless.read_text().replace("min.insync", "some"))
    assert json.loads(equipoise("plan", leaderless, "--json").stdout)["health"]["under_min_isr"] is None
    saved = leaderless.with_name("saved.json")
    saved.write_text('{"version":1,"partitions":[{"topic":"t","partition":0,"replicas":[1,2]}]}')
    assert json.loads(equipoise("plan", saved, "--json").stdout)["health"] == {
        "not_alive": [],
        "assumed_alive": [],
        "isr_told": 0,
        "without_leader": None,
        "under_replicated": None,
        "under_min_isr": None,
        "cannot_move": [],
    }


def test_what_cannot_be_moved_is_listed_and_no_failure(leaderless: Path, tmp_path: Path) -> None:
    """The drain of a broker that is down is done as far as it can be: exit 0, also of the check."""
    run = equipoise("plan", leaderless, "--drain", 3, "--add", "2", "--out", tmp_path / "out")
    assert run.exit_code == 0
    told = content(tmp_path / "out")
    assert {move["partition"] for move in told["moves"]} <= {0, 2}
    assert told["health"]["cannot_move"] == ["t-1", "t-3"]
    assert "stay as they are: t-1, t-3" in unfolded(run.stdout)
    assert equipoise("check", tmp_path / "out").exit_code == 0


def test_a_folder_keeps_who_is_down(folder: Path, tmp_path: Path) -> None:
    """Read again it is the same cluster; a folder of a time before that was kept is read as well."""
    equipoise("plan", folder, "--out", tmp_path / "out")
    cluster, again = read_sources([folder]), read_plan(tmp_path / "out").cluster
    assert again.brokers.down == cluster.brokers.down
    assert again.isr.tolist() == cluster.isr.tolist() and again.isr_told.all()


@pytest.mark.slow
def test_assumed_to_be_alive_by_plan_compare_frontier_and_check(folder: Path, tmp_path: Path) -> None:
    """With the option nothing is said but that; without it every one of them names the broker."""
    onto = tmp_path / "onto.json"
    onto.write_text('{"version":1,"partitions":[{"topic":"t","partition":0,"replicas":[4,5,3]}]}')
    for verb in (
        ("plan", folder),
        ("compare", folder, "--strategy", "greedy"),
        ("frontier", folder, "--budgets", "0,100"),
        ("check", onto, "--no-optimum", "--current", folder),
    ):
        said, assumed = equipoise(*verb), equipoise(*verb, "--assume-alive", 4)
        assert "broker 4 is not alive (in no Isr of describe.txt)" in unfolded(said.stdout)
        assert "not alive" not in assumed.stdout and assumed.exit_code == 0
        counts = "broker 4 counts as alive (--assume-alive), though it is in no Isr of describe.txt"
        assert counts in unfolded(assumed.stdout)


def test_a_reassignment_onto_it_breaks_a_rule(folder: Path, tmp_path: Path) -> None:
    onto = tmp_path / "onto.json"
    onto.write_text('{"version":1,"partitions":[{"topic":"t","partition":0,"replicas":[4,5,3]}]}')
    run = equipoise("check", onto, "--no-optimum", "--current", folder)
    assert run.exit_code == 1 and "t-0: broker 4 gets a replica but is not alive" in run.stdout


def test_what_is_left_to_it_to_lead_breaks_a_rule(folder: Path, tmp_path: Path) -> None:
    """As in a plan, which takes it from there: so nothing that passes is better than what is proved."""
    none = tmp_path / "none.json"
    none.write_text('{"version":1,"partitions":[]}')
    run = equipoise("check", none, "--current", folder)
    assert run.exit_code == 1
    said = "broker 4 stays preferred leader but is not alive (--assume-alive 4, or leave the topic out with"
    assert said in unfolded(run.stdout)
    assumed = equipoise("check", none, "--no-optimum", "--current", folder, "--assume-alive", 4)
    assert assumed.exit_code == 0


@pytest.mark.slow
def test_follow_passes_where_it_leaves_nothing_to_who_is_down(folder: Path, tmp_path: Path) -> None:
    """What another tool proposes is carried out once its lists take the lead from there."""
    equipoise("plan", folder, "--out", tmp_path / "out")
    out = tmp_path / "out" / "reassignment.json"
    followed = equipoise("plan", folder, "--follow", out, "--out", tmp_path / "followed")
    assert followed.exit_code == 0, followed.output
    assert equipoise("check", tmp_path / "followed").exit_code == 0
    none = tmp_path / "none.json"
    none.write_text('{"version":1,"partitions":[]}')
    assert equipoise("plan", folder, "--follow", none).exit_code == 1
    assert equipoise("plan", folder, "--follow", none, "--assume-alive", 4).exit_code == 0


@pytest.mark.slow
def test_a_lower_replication_factor_says_how_the_dead_copies_go_first(folder: Path, tmp_path: Path) -> None:
    """Counts alone would take live replicas away; with the drain that the sentence gives none is."""
    run = equipoise("plan", folder, "--out", tmp_path / "kept", "--replication-factor", "2", "--json")
    assert json.loads(run.stdout)["warnings"][1] == (
        "--replication-factor 2 may take live replicas away and keep those on broker 4: give --drain 4 as "
        "well, and those on it go first (16 partitions)"
    )
    run = equipoise(
        "plan", folder, "--out", tmp_path / "gone", "--replication-factor", "2", "--drain", "4", "--json"
    )
    told = json.loads(run.stdout)
    assert not any("go first" in line for line in told["warnings"])
    assert all(4 not in move["after"] for move in told["moves"])
    run = equipoise(
        "plan", folder, "--out", tmp_path / "other", "--replication-factor", "2", "--topics", "none", "--json"
    )
    assert "go first" not in run.output
