"""Tests that share something import it by a name that no other file has."""

from __future__ import annotations

import ast
from collections import defaultdict
from pathlib import Path

TESTS = Path(__file__).parents[2]


def bare_imports(path: Path) -> set[str]:
    """The first parts of the modules that a file imports."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {name.name.partition(".")[0] for name in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            found.add(node.module.partition(".")[0])
    return found


def test_no_test_imports_what_has_the_name_of_another_file() -> None:
    """Folders of tests stand on the path side by side: of two modules of one name whoever runs both folders
    would get one, whichever was meant. A test imports no other test."""
    places, paths = defaultdict(set), sorted(TESTS.rglob("*.py"))
    for path in paths:
        places[path.stem].add(path.parent)
    shared = {(path, name) for path in paths for name in bare_imports(path) & places.keys()}
    assert "stories" in {name for _, name in shared}
    wrong = [
        f"{path.relative_to(TESTS)} imports {name}"
        for path, name in sorted(shared)
        if len(places[name]) > 1 or name.startswith("test_")
    ]
    assert wrong == []
