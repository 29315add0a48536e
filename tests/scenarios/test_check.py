"""``equipoise check`` as people run it: other tools' files, plan directories, and what goes wrong."""

from __future__ import annotations

import hashlib
import json
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

DESCRIBE = """\
Topic: pay\tPartitionCount: 3\tReplicationFactor: 2\tConfigs: 
\tTopic: pay\tPartition: 0\tLeader: 1\tReplicas: 1,2\tIsr: 1,2
\tTopic: pay\tPartition: 1\tLeader: 1\tReplicas: 1,3\tIsr: 1,3
\tTopic: pay\tPartition: 2\tLeader: 1\tReplicas: 1,4\tIsr: 1,4
"""
RACKS = "1:a,2:b,3:a,4:b"


@pytest.fixture
def state(tmp_path: Path) -> Path:
    """Three partitions, all led by broker 1."""
    path = tmp_path / "describe.txt"
    path.write_text(DESCRIBE)
    return path


@pytest.fixture(scope="module")
def planned(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The plan folder of these partitions, made once."""
    folder = tmp_path_factory.mktemp("planned")
    (folder / "describe.txt").write_text(DESCRIBE)
    assert equipoise("plan", folder / "describe.txt", "--out", folder / "plan").returncode == 0
    return folder / "plan"


def equipoise(*arguments: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "equipoise.cli.main", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def proposed(tmp_path: Path, *entries: tuple[str, int, list[int]]) -> Path:
    """A reassignment file as any tool writes it."""
    partitions = [
        {"topic": t, "partition": p, "replicas": ids, "log_dirs": ["any"] * len(ids)} for t, p, ids in entries
    ]
    path = tmp_path / "reassignment.json"
    path.write_text(json.dumps({"version": 1, "partitions": partitions}))
    return path


def verdict(*arguments: object, code: int) -> dict[str, Any]:
    """The JSON verdict of a run that ends with ``code``."""
    run = equipoise("check", *arguments, "--json")
    assert run.returncode == code, run.stderr
    assert run.stderr == ""
    found: dict[str, Any] = json.loads(run.stdout)
    assert found.keys() >= {
        "verdict", "violations", "data_moves", "leadership_changes", "before", "after", "from_optimum",
    }  # fmt: skip
    return found


@pytest.mark.slow
def test_a_sound_reassignment(tmp_path: Path, state: Path) -> None:
    """Moving one leader elsewhere passes; costs, levels and the distance from the best plan are told."""
    found = verdict(proposed(tmp_path, ("pay", 0, [2, 1])), "--current", state, code=0)
    assert found["verdict"] == "pass"
    assert found["violations"] == []
    assert (found["data_moves"], found["leadership_changes"]) == (0, 1)
    assert found["before"]["leaders_per_broker"] == {"1": 3, "2": 0, "3": 0, "4": 0}
    assert found["after"]["leaders_per_broker"] == {"1": 2, "2": 1, "3": 0, "4": 0}
    far = {entry["goal"]: entry for entry in found["from_optimum"]}
    assert far["replicas"] == {"goal": "replicas", "value": 1, "optimum": 0, "distance": 1, "apart": [2, 1]}
    assert far["moves"]["optimum"] == 1


@pytest.mark.slow
def test_checks_are_sentences_and_a_mark_is_a_remark(tmp_path: Path, state: Path) -> None:
    """No name of a check of Wix is printed, and what ✗ means stands above them, under "No rule is broken"."""
    run = equipoise("check", proposed(tmp_path, ("pay", 0, [2, 1])), "--current", state, "--no-optimum")
    lines = [line.strip() for line in run.stdout.splitlines()]
    head = lines.index("How good it is, by the checks of Wix. ✗ is a remark: no rule is broken by it.")
    assert lines[0].startswith("No rule is broken: ")
    marked = lines[head + 1 : head + 8]
    assert {line[:2] for line in marked} == {"✓ ", "✗ "}
    asked = "each broker's replicas are within 15 % of the median, or one: broker"
    assert any(line.startswith(f"✗ {asked}") for line in marked)
    assert not re.search(r"\b[a-z]+_[a-z_]+\b", run.stdout)


@pytest.mark.slow
def test_broken_rules_are_named(tmp_path: Path, state: Path) -> None:
    """Each broken rule is one line with partition and broker, and the exit code is 1."""
    file = proposed(tmp_path, ("pay", 0, [1, 3]), ("pay", 1, [1, 9]), ("pay", 2, [4, 4]), ("log", 0, [1]))
    run = equipoise("check", file, "--current", state, "--racks", RACKS, "--no-optimum")
    assert run.returncode == 1
    for line in (
        "log-0: the cluster has no such partition",
        "pay-0: rack a has 2 replicas (brokers 1, 3), at most 1 allowed",
        "pay-1: broker 9 is not in the cluster",
        "pay-2: broker 4 is in the replica list twice",
    ):
        assert line in run.stdout


@pytest.mark.slow
def test_rules_given_as_options(tmp_path: Path, state: Path) -> None:
    """The options of ``plan`` are the rules: brokers to drain must end empty, a factor may be asked for."""
    file = proposed(tmp_path, ("pay", 2, [1, 2]))
    assert verdict(file, "--current", state, "--drain", 4, code=0)["after"]["replicas_per_broker"]["4"] == 0
    found = verdict(file, "--current", state, "--brokers", "1-2", code=1)
    assert [violation["broker"] for violation in found["violations"]] == [3]
    wider = proposed(tmp_path, *(("pay", p, [1, 2, 3]) for p in range(3)))
    assert verdict(wider, "--current", state, "--replication-factor", 3, code=0)["data_moves"] == 4
    assert verdict(wider, "--current", state, code=1)["violations"][0]["rule"] == "replication-factor"


@pytest.mark.slow
def test_what_kafkas_own_tool_proposes(tmp_path: Path, state: Path) -> None:
    """Of the text that ``--generate`` prints, the proposal is judged, not the current state."""
    lists = [
        {"topic": "pay", "partition": 0, "replicas": ids, "log_dirs": ["any", "any"]}
        for ids in ([1, 2], [3, 2])
    ]
    now, then = (json.dumps({"version": 1, "partitions": [entry]}) for entry in lists)
    path = tmp_path / "generate.txt"
    headings = "Current partition replica assignment", "Proposed partition reassignment configuration"
    path.write_text(f"{headings[0]}\n{now}\n\n{headings[1]}\n{then}\n")
    assert verdict(path, "--current", state, code=0)["data_moves"] == 1


@pytest.mark.slow
def test_several_sources_and_standard_input(tmp_path: Path, state: Path) -> None:
    """Any number of sources may follow ``--current``, and the reassignment may come from a pipe."""
    (tmp_path / "brokers.csv").write_text("broker,rack\n1,a\n2,b\n3,a\n4,b\n")
    file = proposed(tmp_path, ("pay", 0, [1, 3]))
    found = verdict(file, "--current", state, tmp_path / "brokers.csv", code=1)
    assert found["violations"][0]["rule"] == "racks"
    command = [sys.executable, "-m", "equipoise.cli.main", "check", "-", "--current", str(state)]
    piped = subprocess.run(command, input=file.read_text(), capture_output=True, text=True, check=False)
    assert piped.returncode == 0, piped.stderr


@pytest.mark.parametrize(
    ("content", "place"),
    [
        ("", "empty"),
        ("no JSON here", "no reassignment JSON"),
        ('{"version":1,"partitions":[{"topic":"pay"', "JSON"),
        ('{"version":1,"partitions":[{"topic":"pay","partition":"x","replicas":[1]}]}', "partitions[0]"),
        ('{"version":1,"partitions":[{"topic":"pay","partition":0}]}', "partitions[0]"),
        ('{"version":9,"partitions":[]}', "version"),
    ],
)
@pytest.mark.slow
def test_what_cannot_be_read(tmp_path: Path, state: Path, content: str, place: str) -> None:
    """A file that is no reassignment ends with exit 2 and one line that names it and the place."""
    file = tmp_path / "bad.json"
    file.write_text(content)
    run = equipoise("check", file, "--current", state)
    assert run.returncode == 2
    assert run.stderr.count("\n") == 1
    assert str(file) in run.stderr
    assert place in run.stderr
    assert "Traceback" not in run.stderr


@pytest.mark.slow
def test_missing_arguments(tmp_path: Path, state: Path) -> None:
    """No file, no state, no such folder: exit 2 and what to give."""
    assert equipoise("check", tmp_path / "none.json", "--current", state).returncode == 2
    alone = equipoise("check", proposed(tmp_path, ("pay", 0, [1, 2])))
    assert alone.returncode == 2
    assert "--current" in alone.stderr


@pytest.mark.slow
def test_a_plan_directory(tmp_path: Path, state: Path) -> None:
    """Our own plan passes by itself, with nothing but its directory; its distance from the best is 0."""
    out = tmp_path / "plan"
    assert equipoise("plan", state, "--racks", RACKS, "--out", out).returncode == 0
    state.unlink()
    found = verdict(out, code=0)
    assert {entry["distance"] for entry in found["from_optimum"]} == {0}
    assert {level["problem"] for level in found["certificate"]} == {""}
    assert "No rule is broken" in equipoise("check", out).stdout


@pytest.mark.slow
def test_compared_with_the_plan_of_the_goals_asked_for(tmp_path: Path, state: Path) -> None:
    """Where moves come first nothing moves: that is the best plan for those goals, in the order given.

    A plan of the default goals would move one replica, and is not what was asked for.
    """
    out, goals = tmp_path / "plan", "moves,elections,replicas"
    assert equipoise("plan", state, "--goals", goals, "--out", out).returncode == 0
    by_file = verdict(out / "reassignment.json", "--current", state, "--goals", goals, code=0)
    of_folder = verdict(out, code=0)
    for found in (by_file, of_folder):
        assert [entry["goal"] for entry in found["from_optimum"]][:3] == goals.split(",")
        assert {entry["distance"] for entry in found["from_optimum"]} == {0}
    default = verdict(out / "reassignment.json", "--current", state, code=0)
    assert next(entry for entry in default["from_optimum"] if entry["distance"])["goal"] == "replicas"


@pytest.mark.slow
def test_a_tampered_plan_directory(tmp_path: Path, state: Path) -> None:
    """One changed byte and the plan is refused with one line."""
    out = tmp_path / "plan"
    assert equipoise("plan", state, "--out", out).returncode == 0
    text = (out / "reassignment.json").read_text()
    (out / "reassignment.json").write_text(text.replace('"topic":"pay"', '"topic":"pax"'))
    run = equipoise("check", out)
    assert run.returncode == 2
    assert run.stderr.count("\n") == 1
    assert "reassignment.json: was changed after the plan was made" in run.stderr


def retold(out: Path, key: str, value: object) -> None:
    """Write another value into plan.json, or into the second level of its certificate; mend the digests."""
    content = json.loads((out / "plan.json").read_text())
    if key in content:
        content[key] = value
    else:
        content["certificate"][1][key] = value
    (out / "plan.json").write_text(json.dumps(content))
    names = [line.split(maxsplit=1)[1] for line in (out / "SHA256SUMS").read_text().splitlines()]
    lines = [f"{hashlib.sha256((out / name).read_bytes()).hexdigest()}  {name}\n" for name in names]
    (out / "SHA256SUMS").write_text("".join(lines))


@pytest.mark.parametrize(
    ("key", "value", "said"),
    [
        ("proof", "trust me", "goal replicas: there is no kind of proof called trust me"),
        ("strategy", "magic", "there is no strategy called magic"),
        ("strategy", "wix", "'strategy' is wix, which is not what was asked for"),
        ("anywhere", 3, "a bound of all placements stands beside a proof by flow-dual"),
    ],
)
@pytest.mark.slow
def test_a_plan_directory_that_claims_what_nobody_knows(
    tmp_path: Path, planned: Path, key: str, value: object, said: str
) -> None:
    """Digests mended or not: a made-up kind of proof or strategy is a violation, with exit 1."""
    out = Path(shutil.copytree(planned, tmp_path / "plan"))
    retold(out, key, value)
    assert any(said in violation["detail"] for violation in verdict(out, code=1)["violations"])


@pytest.mark.parametrize(
    ("key", "value", "said"),
    [
        ("value", "x", 'certificate[1].value: "x" is not a number'),
        ("value", None, "goal replicas: its value is no number"),
        ("lower_bound", [1], "certificate[1].lower_bound: [1] is not a number"),
        ("proof", 5, "certificate[1].proof: 5 is not a string"),
        ("note", {}, "certificate[1].note: {} is not a string"),
        ("goal", None, 'certificate[1]: "goal" is missing'),
        ("anywhere", "x", 'certificate[1].anywhere: "x" is not a number'),
    ],
)
@pytest.mark.slow
def test_a_certificate_with_figures_that_are_none(
    tmp_path: Path, planned: Path, key: str, value: object, said: str
) -> None:
    """What is of another type than a certificate has is unusable: one line and exit 2."""
    out = Path(shutil.copytree(planned, tmp_path / "plan"))
    retold(out, key, value)
    run = equipoise("check", out)
    assert run.returncode == 2
    assert run.stderr.count("\n") == 1
    assert said in run.stderr


@pytest.mark.slow
def test_a_plan_against_another_state(tmp_path: Path, state: Path) -> None:
    """Given a state as well, the plan's reassignment is judged on that state."""
    out = tmp_path / "plan"
    assert equipoise("plan", state, "--out", out).returncode == 0
    fewer = tmp_path / "fewer.txt"
    fewer.write_text("\n".join(DESCRIBE.splitlines()[:2]).replace("PartitionCount: 3", "PartitionCount: 1"))
    found = verdict(out, "--current", fewer, code=1)
    assert {violation["rule"] for violation in found["violations"]} >= {"unknown-partition"}


@pytest.mark.slow
@pytest.mark.parametrize("option", ["--required-only", "--leaders-only"])
def test_a_folder_is_compared_by_the_goals_it_was_made_with(state: Path, tmp_path: Path, option: str) -> None:
    """A plan that levels no replicas is not called so many behind at levelling them."""
    out = tmp_path / "out"
    assert equipoise("plan", state, "--racks", RACKS, option, "--out", out).returncode == 0
    made_with = [level["goal"] for level in json.loads((out / "plan.json").read_text())["certificate"]]
    told = json.loads(equipoise("check", out, "--json").stdout)
    assert [row["goal"] for row in told["from_optimum"]] == made_with
