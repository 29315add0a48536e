"""``equipoise plan --follow``: another tool's reassignment becomes a plan folder, once it breaks no rule."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from equipoise.cli.main import app
from equipoise.errors import UnusableInput
from equipoise.files.following import followed, request_to_follow
from equipoise.files.sources import read_sources
from equipoise.planning import Request

STATE = """\
Topic: pay\tPartitionCount: 3\tReplicationFactor: 2\tConfigs: 
\tTopic: pay\tPartition: 0\tLeader: 1\tReplicas: 1,2\tIsr: 1,2
\tTopic: pay\tPartition: 1\tLeader: 1\tReplicas: 1,3\tIsr: 1,3
\tTopic: pay\tPartition: 2\tLeader: 1\tReplicas: 1,4\tIsr: 1,4
"""


@pytest.fixture
def state(tmp_path: Path) -> Path:
    """Three partitions, all led by broker 1."""
    path = tmp_path / "describe.txt"
    path.write_text(STATE)
    return path


def theirs(tmp_path: Path, **lists: list[int]) -> Path:
    """A reassignment of some partitions of ``pay``, as any tool writes it."""
    rows = [{"topic": "pay", "partition": int(p[1:]), "replicas": ids} for p, ids in lists.items()]
    path = tmp_path / "theirs.json"
    path.write_text(json.dumps({"version": 1, "partitions": rows}))
    return path


def equipoise(*arguments: object) -> Any:
    return CliRunner().invoke(app(), list(map(str, arguments)))


def test_their_lists_are_carried_out_in_our_waves(state: Path, tmp_path: Path) -> None:
    """The folder has their lists exactly, a way back and throttled waves; it passes the check of a folder."""
    wanted = {"p0": [2, 3], "p1": [4, 3]}
    out = tmp_path / "out"
    run = equipoise(
        "plan", state, "--follow", theirs(tmp_path, **wanted), "--out", out, "--max-inflight", "1",
        "--throttle", "1MB",
    )  # fmt: skip
    assert run.exit_code == 0, run.output
    plan = json.loads((out / "plan.json").read_text())
    assert {f"p{move['partition']}": move["after"] for move in plan["moves"]} == wanted
    assert plan["strategy"] == "follow" and {m["why"] for m in plan["moves"]} == {"so asks theirs.json"}
    assert all(level["proof"] in ("none", "unknown") for level in plan["certificate"])
    assert "no proof" in run.stdout and "proved best" not in run.stdout
    assert [path.name for path in sorted((out / "waves").glob("0*.json"))] == ["0001.json", "0002.json"]
    back = json.loads((out / "rollback.json").read_text())["partitions"]
    assert {row["partition"]: row["replicas"] for row in back} == {0: [1, 2], 1: [1, 3]}
    assert equipoise("check", out).exit_code == 0


@pytest.mark.slow
def test_what_breaks_a_rule_is_not_followed(state: Path, tmp_path: Path) -> None:
    """The verdict says why, the exit code is that of a check, and nothing is written."""
    out = tmp_path / "out"
    for options, lists, words in (
        (("--drain", "4"), {"p0": [2, 3]}, "pay-2: broker 4 keeps a replica"),
        ((), {"p0": [2, 2]}, "pay-0: broker 2 is in the replica list twice"),
        ((), {"p0": [2, 9]}, "pay-0"),
        ((), {"p7": [2, 3]}, "pay-7: the cluster has no such partition"),
    ):
        run = equipoise("plan", state, "--follow", theirs(tmp_path, **lists), "--out", out, *options)
        assert run.exit_code == 1 and words in run.output, run.output
        assert "breaks rules, no plan is made" in run.output and not out.exists()
    run = equipoise("plan", state, "--follow", theirs(tmp_path, p0=[2, 2]), "--json")
    assert json.loads(run.stdout)["verdict"] == "fail"


@pytest.mark.slow
def test_a_file_that_is_none_and_a_strategy_beside_it_are_refused(state: Path, tmp_path: Path) -> None:
    for options, words in (
        (("--follow", tmp_path / "nothing.json"), "nothing.json"),
        (("--follow", theirs(tmp_path, p0=[2, 3]), "--strategy", "wix"), "--follow: plans nothing"),
        (("--strategy", "follow"), "there is no strategy 'follow'"),
    ):
        run = equipoise("plan", state, *options)
        assert isinstance(run.exception, UnusableInput) and words in str(run.exception)


def test_another_file_is_another_request(state: Path, tmp_path: Path) -> None:
    """A folder of a plan is not taken by the plan of another file without a word."""
    out, first = tmp_path / "out", theirs(tmp_path, p0=[2, 3])
    assert equipoise("plan", state, "--follow", first, "--out", out).exit_code == 0
    assert equipoise("plan", state, "--follow", first, "--out", out).exit_code == 0
    other = first.rename(tmp_path / "other.json")
    run = equipoise("plan", state, "--follow", other, "--out", out)
    assert isinstance(run.exception, UnusableInput) and "--force" in str(run.exception)


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("strategy", "wix"),
        ("required_only", True),
        ("log_dirs", "level"),
        ("drain_dir", ((1, "/d"),)),
        ("effort", "quick"),
    ],
)
def test_what_only_who_plans_can_do_is_refused(option: str, value: Any) -> None:
    """Nothing would come of it."""
    with pytest.raises(UnusableInput, match=f"--follow: .* Take --{option.replace('_', '-')} away"):
        request_to_follow(replace(Request(), **{option: value}), "theirs.json")


def test_what_is_to_be_created_has_to_be_placed(state: Path, tmp_path: Path) -> None:
    """Lists without it are not what was asked for."""
    run = equipoise("plan", state, "--follow", theirs(tmp_path, p0=[2, 3]), "--create", "new:1:2")
    assert run.exit_code == 1
    assert "new-0: 0 replicas where 2 are wanted" in run.stdout


def test_no_name_is_the_folder_one_is_in(state: Path) -> None:
    """What cannot be read has a name."""
    with pytest.raises(UnusableInput, match=r"^\.: it cannot be read"):
        followed(read_sources([state]), Request(follow=""))
