"""A goal exists three times, written apart: for the planner, for the judge, for the tests' reference.

Each of the three has a room with one module for each goal, and a registry; here they are held side by side.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import cache
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
SOURCE = ROOT / "src" / "equipoise"
COLUMNS = {"cli", "cluster", "execution", "files", "formats", "pipeline", "report", "scheduling", "server"}
"""Rooms in which columns, keys of files and options have names of goals, too."""
ABOUT_GOALS = re.compile(r"goal|reached|proof|certificate|standing")
KEYED = {"count", "discard", "get", "index", "pop", "remove", "setdefault"}
"""Methods whose first argument is looked up."""
LOAD = "a load of --balance, which has the name of the goal that it is levelled by"
OPTION = "an option"
UNIT = "the unit of a budget"
COLUMN = "a column of a page or of its figures"
ALLOWED = {
    "comparing/frontier.py: bytes": UNIT,
    "judge/loads.py: leaders": LOAD,
    "judge/rules.py: topics": OPTION,
    "judge/violations.py: topics": OPTION,
    "planning/telling/load_reasons.py: leaders": LOAD,
    "planning/problem/problem.py: leaders": LOAD,
    "planning/request/extension.py: racks": "a fact that sources may not tell",
    "planning/request/options.py: racks": OPTION,
    "planning/request/options.py: topics": OPTION,
    **{f"report/cluster_data.py: {column}": COLUMN for column in ("racks", "replicas", "topics")},
    **{f"report/figures.py: {column}": COLUMN for column in ("leaders", "replicas")},
    **{f"report/plan_data.py: {column}": COLUMN for column in ("racks", "replicas", "topics")},
}
"""Names of goals that mean something else, each with what that is."""
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


@cache
def sources() -> Mapping[str, ast.Module]:
    """Every module of the source by its path in it."""
    return {
        path.relative_to(SOURCE).as_posix(): ast.parse(path.read_text(encoding="utf-8"))
        for path in sorted(SOURCE.rglob("*.py"))
    }


def room_of(module: str) -> str:
    return module.partition("/")[0]


def looked_up_in(trees: Iterable[ast.Module]) -> frozenset[str]:
    """The names of collections in which something is looked up, wherever that is done."""
    compared = (node for tree in trees for node in ast.walk(tree) if isinstance(node, ast.Compare))
    pairs = (pair for node in compared for pair in zip(node.ops, node.comparators, strict=True))
    held = [side for op, side in pairs if isinstance(op, ast.In | ast.NotIn)]
    names = {side.id for side in held if isinstance(side, ast.Name)}
    return frozenset(names | {side.attr for side in held if isinstance(side, ast.Attribute)})


def named(tree: ast.Module, collections: frozenset[str], *, strict: bool) -> Iterator[str]:
    """The names of goals that a module compares, looks up or has as keys.

    ``collections``: names of those in which something is looked up. Without ``strict`` only where the
    words around it are of goals.
    """
    for node in ast.walk(tree):
        found = [text for text in deciding(node, collections) if text in ALL_GOALS]
        if found and (strict or is_table(node, len(found)) or is_about_goals(node)):
            yield from found


def is_table(node: ast.AST, n_found: int) -> bool:
    """True for a table of which most keys are goals."""
    return isinstance(node, ast.Dict) and n_found > 1 and 2 * n_found > len(node.keys)


def is_about_goals(node: ast.AST) -> bool:
    """True where the words beside a name are of goals; in a table of anything there are some."""
    return not isinstance(node, ast.Dict) and ABOUT_GOALS.search(ast.unparse(node)) is not None


def deciding(node: ast.AST, collections: frozenset[str]) -> Iterator[str]:
    """The texts on which it depends what an expression comes to."""
    match node:
        case ast.Compare():
            sides = [node.left, *node.comparators]
        case ast.Dict():
            sides = [key for key in node.keys if key is not None]
        case ast.Subscript():
            sides = [node.slice]
        case ast.Call(func=ast.Attribute(attr=name)) if name in KEYED:
            sides = node.args[:1]
        case ast.Assign(targets=[ast.Name(id=name)]) | ast.AnnAssign(target=ast.Name(id=name)):
            many = name in collections and not isinstance(node.value, ast.Constant)
            sides = [node.value] if many and node.value is not None else []
        case ast.Set():
            sides = [node]
        case ast.MatchValue():
            sides = [node.value]
        case _:
            sides = []
    for side in sides:
        yield from texts(side)


def texts(node: ast.expr) -> Iterator[str]:
    """A text, or those of a collection that is written out."""
    match node:
        case ast.Constant(value=str(text)):
            yield text
        case ast.Tuple(elts=elements) | ast.List(elts=elements) | ast.Set(elts=elements):
            for element in elements:
                yield from texts(element)
        case ast.Call(func=ast.Name(id="frozenset" | "set" | "tuple"), args=[within]):
            yield from texts(within)


@pytest.mark.parametrize("who", ROOMS)
def test_every_module_of_a_goal_is_registered(who: str) -> None:
    """A module that nobody registered is a goal that is silently left out."""
    modules = {path.stem.replace("_", "-") for path in ROOMS[who].glob("*.py") if path.stem not in NO_GOALS}
    assert modules == set(KNOWN[who])


@pytest.mark.slow
def test_outside_its_module_no_goal_is_told_by_its_name() -> None:
    """A goal is asked, or it is imported: whoever compares its name has a list of goals of their own."""
    collections = looked_up_in(sources().values())
    found = {
        f"{module}: {text}"
        for module, tree in sources().items()
        for text in named(tree, collections, strict=room_of(module) not in COLUMNS)
    }
    assert sorted(found - ALLOWED.keys()) == []
    assert sorted(ALLOWED.keys() - found) == []  # what is no longer there


@pytest.mark.parametrize(
    "text",
    [
        'if goal == "moves": pass',
        'if "moves" in reached: pass',
        'left = [goal for goal in goals if goal not in ("racks", "moves")]',
        'value = reached["moves"]',
        'value = reached.get("moves")',
        'levels = {"moves": level}',
        'kept = bounded - {"moves"}',
        'COSTS = ("racks", "moves")\nif goal in COSTS: pass',
        'match goal:\n    case "moves": pass',
    ],
)
def test_a_name_that_decides_is_found(text: str) -> None:
    tree = ast.parse(text)
    assert "moves" in named(tree, looked_up_in([tree]), strict=True)


def test_where_names_of_goals_are_those_of_columns_too_goals_are_meant_in_some_places_alone() -> None:
    """What is compared with a goal, and tables of which the keys are goals."""
    for text in ('entry["goal"] == "moves"', '{"replicas": 1, "leaders": 2, "disk": 3}'):
        assert list(named(ast.parse(text), frozenset(), strict=False))
    for text in ('row["moves"]', '{"moves": 1, "brokers": 2, "why": 3}', 'unit == "bytes"'):
        assert not list(named(ast.parse(text), frozenset(), strict=False))


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
