"""Rooms keep to themselves: what each part of the source may import of the others."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[2] / "src" / "equipoise"
SHARED = {"errors", "wording", "cells"}
"""Small modules of words and numbers that belong to no room."""


def imported(path: Path) -> Iterator[str]:
    """Every module that a file imports, wherever in it."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.module or ""


@pytest.mark.parametrize(
    ("room", "others"),
    [("cluster", set()), ("judge", {"cluster"}), ("scheduling", {"cluster"}), ("cells.py", set())],
)
def test_a_room_imports_what_it_may(room: str, others: set[str]) -> None:
    place = SOURCE / room
    for path in [place] if place.is_file() else place.rglob("*.py"):
        ours = {name.split(".")[1] for name in imported(path) if name.startswith("equipoise.")}
        assert ours <= {room, *others, *SHARED}, path.relative_to(SOURCE)


def test_one_room_alone_knows_spark() -> None:
    for path in SOURCE.rglob("*.py"):
        if any(name.split(".")[0] == "pyspark" for name in imported(path)):
            assert path.relative_to(SOURCE).parts[0] == "pipeline", path
