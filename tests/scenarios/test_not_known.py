"""What is not known is called unknown on every face, never 0 and never proved."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from equipoise import judge
from equipoise.cli.main import main
from equipoise.cluster import Level
from equipoise.files.plan_directory import read_plan
from equipoise.judge.certificate import verify
from equipoise.planning import Request, make_plan

DESCRIBE = """\
Topic: pay\tPartitionCount: 4\tReplicationFactor: 2\tConfigs: 
\tTopic: pay\tPartition: 0\tLeader: 1\tReplicas: 1,2\tIsr: 1,2
\tTopic: pay\tPartition: 1\tLeader: 1\tReplicas: 1,3\tIsr: 1,3
\tTopic: pay\tPartition: 2\tLeader: 1\tReplicas: 1,4\tIsr: 1,4
\tTopic: pay\tPartition: 3\tLeader: 1\tReplicas: 1,2\tIsr: 1,2
"""
RACKS = "1:a,2:b,3:a,4:b"
SAID = "no racks are known: two replicas of a partition may land in one zone; give racks with --racks"
Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Runs a command beside ``pay.txt``, which has no racks and no sizes: exit code, output and errors."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "160")
    Path("pay.txt").write_text(DESCRIBE)

    def run(*words: object) -> tuple[int, str, str]:
        capsys.readouterr()
        code: Any = 0
        try:
            main([str(word) for word in words])
        except SystemExit as end:
            code = end.code
        return (code or 0, *capsys.readouterr())

    return run


def lines(text: str) -> list[str]:
    return [line.strip() for line in text.splitlines()]


def told(run: Run, *words: object) -> dict[str, Any]:
    """The JSON that a command prints."""
    code, out, err = run(*words, "--json")
    assert (code, err) == (0, "")
    found: dict[str, Any] = json.loads(out)
    return found


def test_without_racks_their_goal_has_no_value(run: Run) -> None:
    """plan.json has null and unknown, the table "not known", and the headline claims no best of racks."""
    plan = told(run, "plan", "pay.txt", "--out", "p")
    racks = {"goal": "racks", "value": None, "lower_bound": None, "gap": None, "proof": "unknown"}
    assert plan["certificate"][0] == racks
    assert plan["warnings"] == [SAID]
    assert plan["before"]["rack_violations"] is None and plan["after"]["rack_violations"] is None
    first, second, *rest = lines(run("plan", "pay.txt")[1])
    assert first == SAID
    assert second.endswith("; proved best, racks not known")
    assert any(line.split() == ["racks", "–", "–", "not", "known"] for line in rest)
    assert not any("rack rule" in line for line in rest)


@pytest.mark.slow
def test_every_face_says_first_what_that_may_cost(run: Run) -> None:
    """The terminal, the report, compare, frontier and check have the sentence above everything else."""
    assert run("plan", "pay.txt", "--out", "p")[0] == 0
    report = Path("p/report.html").read_text()
    assert report.index(SAID) < report.index("Data moves")
    assert lines(run("compare", "pay.txt", "--strategy", "greedy", "--html", "c.html")[1])[0] == SAID
    assert told(run, "compare", "pay.txt", "--strategy", "greedy")["warnings"] == [SAID]
    page = Path("c.html").read_text()
    assert page.index(SAID) < page.index("What each reaches")
    assert lines(run("frontier", "pay.txt", "--budgets", "0,100", "--html", "f.html")[1])[0] == SAID
    assert told(run, "frontier", "pay.txt", "--budgets", "0,100")["warnings"] == [SAID]
    assert SAID in Path("f.html").read_text()
    for words in (("check", "p"), ("check", "p/reassignment.json", "--current", "pay.txt")):
        assert lines(run(*words)[1])[1] == SAID
        assert told(run, *words)["notes"] == [SAID]


@pytest.mark.slow
def test_compare_counts_nothing_against_a_rule_that_nobody_knows(run: Run) -> None:
    """Neither the column of the rack rule nor a value of the goal; nobody falls behind at it."""
    rows = told(run, "compare", "pay.txt", "--strategy", "greedy")["rows"]
    assert [(row["rack_violations"], row["goals"]["racks"]) for row in rows] == [(None, None)] * 2
    assert "against the rack rule" not in run("compare", "pay.txt", "--strategy", "greedy")[1]
    rows = told(run, "compare", "pay.txt", "--strategy", "greedy", "--racks", RACKS)["rows"]
    assert all(row["rack_violations"] is not None for row in rows)


def test_check_invents_nothing(run: Run) -> None:
    """No bytes where no size is known, no partitions against a rule without racks."""
    assert run("plan", "pay.txt", "--out", "p")[0] == 0
    code, out, _ = run("check", "p/reassignment.json", "--current", "pay.txt")
    assert code == 0 and "Bytes" not in out and "rack rule" not in out and "0 B" not in out
    verdict = told(run, "check", "p")
    assert verdict["goals"]["racks"] is None
    assert verdict["bytes_moved"] is None
    assert set(verdict["after"]["bytes_per_broker"].values()) == {None}
    assert "racks" not in {entry["goal"] for entry in verdict["from_optimum"]}
    changes = [{"topic": "pay", "partition": k, "replicas": ids} for k, ids in ((1, [4, 3]), (3, [3, 2]))]
    Path("across.json").write_text(json.dumps({"version": 1, "partitions": changes}))
    known = told(run, "check", "across.json", "--current", "pay.txt", "--racks", RACKS)
    assert known["goals"]["racks"] == 0 and known["before"]["rack_violations"] == 1


def test_bytes_of_unknown_size_are_no_bytes(run: Run) -> None:
    """null for what is copied and its size not known; what copies nothing has 0; known sizes are added up."""
    plan = told(run, "plan", "pay.txt", "--out", "p")
    told_bytes = {(set(move["before"]) == set(move["after"]), move["bytes"]) for move in plan["moves"]}
    assert plan["summary"]["bytes_moved"] is None and told_bytes == {(True, 0), (False, None)}
    assert json.loads(Path("p/plan.json").read_text()) == plan
    Path("dirs.json").write_text(json.dumps({"brokers": [{"broker": 1, "logDirs": [
        {"logDir": "/d", "partitions": [{"partition": f"pay-{k}", "size": 10 * k} for k in (1, 2)]}]}]}))
    plan = told(run, "plan", "pay.txt", "dirs.json", "--drain", "1")
    by_partition = {move["partition"]: move["bytes"] for move in plan["moves"]}
    assert by_partition == {0: None, 1: 10, 2: 20, 3: None}
    assert plan["summary"]["bytes_moved"] == 30
    assert plan["before"]["bytes_per_broker"]["1"] == 30
    assert run("plan", "pay.txt", "dirs.json", "--drain", "1", "--out", "q")[0] == 0
    assert run("check", "q")[0] == 0


def test_goals_of_racks_are_not_known_without_any(run: Run) -> None:
    """rack-leaders and rack-replicas are unknown as racks is; with racks they have values again."""
    words = ("plan", "pay.txt", "--goals", "rack-leaders,replicas,moves,rack-replicas")
    proofs = {level["goal"]: level["proof"] for level in told(run, *words)["certificate"]}
    assert {goal for goal, proof in proofs.items() if proof == "unknown"} == {"rack-leaders", "rack-replicas"}
    assert run(*words)[1].splitlines()[1].endswith("proved best, rack-leaders, rack-replicas not known")
    assert "unknown" not in {level["proof"] for level in told(run, *words, "--racks", RACKS)["certificate"]}


def test_a_published_strategy_measures_no_racks_either(run: Run) -> None:
    """Its other goals are measured and not proved."""
    levels = told(run, "plan", "pay.txt", "--strategy", "greedy")["certificate"]
    assert [level["goal"] for level in levels if level["proof"] != "none"] == ["racks"]


def test_racks_given_by_hand_are_not_missing(run: Run) -> None:
    """Then the report does not say that no source names any."""
    assert "racks" in told(run, "plan", "pay.txt")["source"]["missing"]
    plan = told(run, "plan", "pay.txt", "--racks", RACKS)
    assert "racks" not in plan["source"]["missing"] and plan["warnings"] == []


def test_a_broker_without_a_rack_among_others_is_refused(run: Run) -> None:
    """Exit 2 with its id and the ways out: its rack, or to empty it. Nobody guesses that it stands alone."""
    code, out, err = run("plan", "pay.txt", "--racks", "1:a,2:b,3:a")
    assert (code, out) == (2, "")
    assert err == (
        "equipoise: pay: broker 4 has no rack, while others have one. "
        "Name its rack (--racks 4:RACK), or empty it (--drain 4)\n"
    )
    assert run("compare", "pay.txt", "--racks", "1:a,2:b,3:a")[0] == 2
    plan = told(run, "plan", "pay.txt", "--racks", "1:a,2:b,3:a", "--drain", "4")
    assert plan["before"]["rack_violations"] is None and plan["after"]["rack_violations"] == 0
    assert "not known" in run("plan", "pay.txt", "--racks", "1:a,2:b,3:a", "--drain", "4")[1]


def test_the_judge_refuses_a_value_of_what_nobody_knows(run: Run) -> None:
    """A certificate that claims racks as kept, in a cluster without any, is false."""
    assert run("plan", "pay.txt", "--out", "p")[0] == 0
    plan = read_plan(Path("p"))
    rules = judge.rules_of(plan.cluster, plan.request)
    case = judge.Case(plan.cluster, plan.target, rules, np.ones(4, dtype=bool))
    assert not any(found.problem for found in verify(case, plan.certificate, plan.proofs))
    claims = (Level("racks", 0, 0, "closed-form"), *plan.certificate[1:])
    assert verify(case, claims, plan.proofs)[0].problem == "its value is not known, and it is said to be 0"


@pytest.mark.slow
def test_a_part_claims_nothing_of_what_brokers_hold_in_all(run: Run) -> None:
    """plan.json says that it is one, levels are of the part, and no face calls it proved best."""
    Path("part.txt").write_text("".join(DESCRIBE.splitlines(keepends=True)[2:4]))
    code, _, err = run("plan", "part.txt", "--racks", RACKS)
    assert code == 2 and "this is a part of a cluster: topic pay lacks 1 of 3 partitions (0)" in err
    for verb in ("compare", "frontier"):
        assert run(verb, "part.txt")[0] == 2
    plan = told(run, "plan", "part.txt", "--racks", RACKS, "--partial", "--out", "p")
    assert plan["partial"] is True and plan["request"]["partial"] is True
    assert plan["warnings"][0].startswith("a part of a cluster is planned (--partial)")
    notes = {level["goal"]: level.get("note", "") for level in plan["certificate"]}
    assert all(notes[goal].startswith("of this part of a cluster alone") for goal in ("replicas", "leaders"))
    assert not notes["moves"]
    first, second, headline, *rest = lines(run("plan", "part.txt", "--racks", RACKS, "--partial")[1])
    assert first.startswith("a part of a cluster") and headline.endswith("; best for this part")
    assert second.startswith("--racks names 2, of which no source tells")
    assert not any("proved" in line for line in rest)
    assert any(line.startswith("Replicas on a broker, of this part") for line in rest)
    assert run("check", "p")[0] == 0
    assert run("check", "p/reassignment.json", "--current", "part.txt", "--partial")[0] == 0
    assert run("check", "p/reassignment.json", "--current", "part.txt")[0] == 2
    assert told(run, "plan", "pay.txt")["partial"] is False


def test_a_plan_without_sizes_or_racks_is_made_by_the_library_too() -> None:
    """The same levels whoever asks."""
    from tests.scenarios.named import cluster_of

    levels = make_plan(cluster_of({"t": [[1, 2], [1, 2], [1, 3]]}), Request()).certificate
    assert levels[0] == Level.unknown("racks")
