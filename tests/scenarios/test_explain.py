"""``equipoise explain``: why a plan changes a partition or a broker, and what else was possible."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from equipoise.cli.main import app
from equipoise.errors import UnusableInput

ORDERS = Path(__file__).parents[2] / "examples" / "orders.txt"


def run(*words: object) -> Any:
    return CliRunner().invoke(app(), list(map(str, words)))


def planned(out: Path, *options: str) -> Path:
    result = run("plan", ORDERS, *options, "--out", out)
    assert result.exit_code == 0, result.output
    return out


def explained(folder: Path, what: str) -> Any:
    result = run("explain", folder, what, "--json")
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


@pytest.fixture(scope="module")
def drained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Broker 5 of five is emptied; its four replicas go to where they level best."""
    return planned(tmp_path_factory.mktemp("plans") / "drained", "--drain", "5")


@pytest.mark.slow
def test_a_move_has_its_source_its_target_and_what_else_was_possible(drained: Path) -> None:
    """The list before breaks the rule, another target costs a goal, or none."""
    data = explained(drained, "orders-2")
    assert (data["before"], data["after"], data["what"]) == ([3, 4, 5], [3, 4, 1], "moves data")
    assert data["why"] == "broker 5 is drained; broker 1 has room for 1 more"
    (left,) = data["leaves"]
    assert (left["broker"], left["replicas"], left["may_hold"]) == (5, [4, 0], False)
    assert [(one["broker"], one["replicas_band"]) for one in data["comes_to"]] == [(1, [4, 5])]
    stays, other = data["otherwise"]
    assert (stays["list"], stays["breaks"]) == ([3, 4, 5], "drain")
    assert stays["sentence"] == "broker 5 may hold nothing"
    assert (other["list"], other["goal"], other["value"], other["planned"]) == ([3, 4, 2], "replicas", 1, 0)
    text = run("explain", drained, "orders-2").stdout
    page = (Path(__file__).parents[2] / "docs" / "start.md").read_text(encoding="utf-8")
    assert f"```\n{text}```\n" in page


@pytest.mark.slow
def test_no_other_list_is_better(drained: Path) -> None:
    """The plan is proved best: whatever else is tried breaks a rule, is worse, or as good."""
    for number in range(6):
        for other in explained(drained, f"orders-{number}")["otherwise"]:
            assert other["breaks"] or other["goal"] is None or other["value"] > other["planned"], other


@pytest.mark.slow
def test_a_broker_gives_and_takes(drained: Path) -> None:
    """With whom it exchanges replicas, and for which reasons; sums are those of the plan."""
    data = explained(drained, "5")
    assert data["gives"]["replicas"] == 4 == sum(one["replicas"] for one in data["gives"]["to"])
    assert data["takes"] == {"replicas": 0, "from": [], "added": 0}
    assert data["reasons"] == [{"why": "broker 5 is drained", "partitions": 4}]
    taken = sum(explained(drained, str(broker))["takes"]["replicas"] for broker in range(1, 5))
    assert taken == 4
    assert "broker 5, to be emptied" in run("explain", drained, "5").stdout


def test_what_does_not_change_says_so(drained: Path) -> None:
    """Without a reason, and without other lists."""
    data = explained(drained, "orders-0")
    assert data["what"] == "stays as it is" and data["otherwise"] == [] and data["why"] == ""
    assert "orders-0 stays as it is: 1,2,3" in run("explain", drained, "orders-0").stdout


@pytest.mark.slow
def test_leaders_and_loads_and_created_partitions(tmp_path: Path) -> None:
    """Where no data moves other leaders are tried; what is created comes from nowhere."""
    leaders = planned(tmp_path / "leaders", "--leaders-only", "--no-leaders-on", "1")
    changed = json.loads((leaders / "plan.json").read_text())["moves"][0]
    data = explained(leaders, f"orders-{changed['partition']}")
    assert data["what"] == "changes leader" and data["leaves"] == data["comes_to"] == []
    assert any(other["breaks"] == "no-leaders-on" for other in data["otherwise"])
    created = planned(tmp_path / "created", "--create", "new:1:2")
    data = explained(created, "new-0")
    assert data["before"] == [] and data["what"] == "is created" and data["otherwise"]


@pytest.mark.parametrize(
    "what", ["orders-6", "orders", "pay-0", "9", "-1", "orders--1", "9" * 30, "٤", "", "orders-٤"]
)
@pytest.mark.slow
def test_what_the_plan_does_not_have_is_refused(drained: Path, what: str) -> None:
    """With a sentence, exit 2."""
    result = run("explain", "--", drained, what)
    assert isinstance(result.exception, UnusableInput)
    assert "there is no broker" in str(result.exception) or "has no partition" in str(result.exception)
