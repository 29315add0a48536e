"""A goal exists three times, written apart: for the planner, for the judge, for the tests' reference.

Each of the three has a room with one module for each goal, and a registry; here they are held side by side.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from pathlib import Path

import pytest
from tests.reference.goals import registry as reference
from tests.reference.goals.interface import Goal as ReferenceGoal

from equipoise.judge.goals import registry
from equipoise.judge.goals.interface import FollowerGoal, Goal, LeaderLevel, OrderGoal, PlacementGoal
from equipoise.planning import ALL_GOALS
from equipoise.report import words

ROOT = Path(__file__).parents[2]
ROOMS = {
    "the judge": ROOT / "src" / "equipoise" / "judge" / "goals",
    "the reference": ROOT / "tests" / "reference" / "goals",
}
NO_GOALS = {"__init__", "interface", "registry"}
KNOWN: Mapping[str, Collection[str]] = {
    "the planner": ALL_GOALS,
    "the judge": registry.GOALS,
    "the reference": reference.GOALS,
}


def missing(known: Mapping[str, Collection[str]]) -> list[str]:
    """A sentence for each goal that one has and another lacks."""
    every = sorted({goal for goals in known.values() for goal in goals})
    return [
        f"{who} lacks the goal {goal}" for who, goals in known.items() for goal in every if goal not in goals
    ]


def test_planner_judge_and_reference_know_the_same_goals() -> None:
    assert missing(KNOWN) == []


@pytest.mark.parametrize("who", KNOWN)
@pytest.mark.parametrize("goal", ALL_GOALS)
def test_whoever_lacks_a_goal_is_named(who: str, goal: str) -> None:
    """The comparison above would tell, whichever of the three it is."""
    fewer = {**KNOWN, who: [name for name in KNOWN[who] if name != goal]}
    assert missing(fewer) == [f"{who} lacks the goal {goal}"]


@pytest.mark.parametrize("who", ROOMS)
def test_every_module_of_a_goal_is_registered(who: str) -> None:
    """A module that nobody registered is a goal that is silently left out."""
    modules = {path.stem.replace("_", "-") for path in ROOMS[who].glob("*.py") if path.stem not in NO_GOALS}
    assert modules == set(KNOWN[who])


def test_no_other_module_of_the_judge_names_a_goal() -> None:
    """Outside its own module a goal is asked, never compared by its name."""
    compared = re.compile(rf"goal\w*(?:\.name)? *(?:[!=]=|in) *[^\n]*\"(?:{'|'.join(ALL_GOALS)})\"")
    for path in (ROOT / "src" / "equipoise" / "judge").glob("*.py"):
        assert not compared.search(path.read_text(encoding="utf-8")), path.name


def test_every_goal_has_words_for_a_report() -> None:
    assert [goal for goal in ALL_GOALS if goal not in words.GOALS] == []


@pytest.mark.parametrize(
    ("kind", "parts"),
    [
        (Goal, {"name", "value", "counted"}),
        (PlacementGoal, {"name", "value", "counted", "on_placement"}),
        (LeaderLevel, {"name", "value", "counted", "on_sums"}),
        (OrderGoal, {"name", "value", "counted", "on_orders"}),
        (FollowerGoal, {"name", "value", "counted", "positions"}),
        (ReferenceGoal, {"name", "value", "objective"}),
    ],
)
def test_a_goal_that_lacks_a_part_cannot_be_registered(kind: type, parts: set[str]) -> None:
    """Each kind says what it must have; without one of them there is no goal to put into a registry."""
    for part in parts:
        others = dict.fromkeys(parts - {part})
        with pytest.raises(TypeError, match=f"abstract method '?{part}'?"):
            type("Half", (kind,), others)()
    assert type("Whole", (kind,), dict.fromkeys(parts))() is not None


def test_two_goals_of_one_name_are_refused() -> None:
    """The second would take the place of the first."""
    with pytest.raises(TypeError, match="two goals are called racks"):
        registry.registered(*registry.EVERY, type(registry.GOALS["racks"])())
