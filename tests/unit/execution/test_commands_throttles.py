"""Throttles that stand on the cluster, as commands tell of them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from commands import AFTER, RATES, lists, run, throttled

from equipoise.cli.faces import Face
from equipoise.execution.port import Resource, TopicPartition
from equipoise.execution.simulated import SimulatedCluster

LISTS = ("leader.replication.throttled.replicas", "follower.replication.throttled.replicas")
OVER = "which somebody else set over ours: what they put back may be ours"


def left_over(model: SimulatedCluster) -> None:
    """Rates on the plan's brokers, and a list of a topic that does not move."""
    model.create("old", 0, (1, 2), 1000)
    model.alter_configs({Resource.broker(b): dict.fromkeys(RATES, "7777") for b in (0, 3)})
    model.alter_configs({Resource.topic("old"): {LISTS[0]: "0:1"}})


def test_a_rate_that_somebody_set_over_ours_is_named(model: SimulatedCluster, folder: Path) -> None:
    """Ours may come back with theirs, so it is not over: exit 1."""
    throttled(folder, model)
    model.alter_configs({Resource.broker(3): dict.fromkeys(RATES, "7777")})
    code, told = run("status", folder)
    assert code == 1 and f"broker 3 has {RATES[0]}=7777, {OVER}" in told


def test_lists_of_other_topics_are_named(model: SimulatedCluster, folder: Path) -> None:
    """Also one that throttles every replica; they are none of the plan's business, so exit 0."""
    left_over(model)
    model.create("all", 0, (1, 2), 1000)
    model.alter_configs({Resource.topic("all"): {LISTS[1]: "*"}})
    code, told = run("status", folder)
    assert code == 0 and "topic old has throttled replicas, which no run of this plan set" in told
    assert "topic all has all its replicas throttled, which no run of this plan set" in told


def test_what_stands_of_a_plan_without_its_journal_is_exit_1(model: SimulatedCluster, folder: Path) -> None:
    """Moves to its lists that nobody watches, or throttles on its partitions; not the throttles of others."""
    throttled(folder, model)
    (folder / "journal.jsonl").unlink()
    assert run("status", folder)[0] == 1
    model.alter_reassignments({TopicPartition("pay", 0): None})
    assert run("status", folder)[0] == 0
    model.alter_configs({Resource.topic("pay"): {LISTS[1]: "0:3"}})
    code, told = run("status", folder, "--json")
    assert code == 1 and json.loads(told)["plan_throttled"] == ["pay"]


def test_left_overs_are_cleared_at_a_terminal(
    model: SimulatedCluster, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A question of its own names them; whoever says no is told of the options, with nothing changed."""
    left_over(model)
    asked: list[str] = []
    answers = iter(["n", "y", "y"])

    def answer(face: Face, question: str) -> str:
        asked.append(question)
        return next(answers)

    monkeypatch.setattr(Face, "asks", True)
    monkeypatch.setattr(Face, "answer", answer)
    before = {of: dict(values) for of, values in model.settings.items()}
    code, told = run("apply", folder)
    assert code == 2 and "--adopt takes it for a left-over" in told and model.settings == before
    code, told = run("apply", folder)
    assert code == 0 and lists(model) == AFTER | {"old-0": (1, 2)}
    assert "topic old has throttled replicas" in told and not any(model.settings.values())
    assert [question.split("?")[0] for question in asked] == [
        *["Nothing that moves needs them. Clear them with this run"] * 2,
        "Go ahead",
    ]


def test_with_yes_an_option_clears_left_overs(model: SimulatedCluster, folder: Path) -> None:
    left_over(model)
    code, told = run("apply", folder, "--yes")
    assert code == 2 and f"brokers 0, 3 have {RATES[1]}=7777, which no run of this plan set: --adopt" in told
    assert run("apply", folder, "--yes", "--adopt")[0] == 0
    assert lists(model) == AFTER | {"old-0": (1, 2)} and not any(model.settings.values())
