"""What stands around the source agrees with itself: targets, marks, CI, the page for those who contribute."""

from __future__ import annotations

import re
import tomllib
from itertools import chain
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[3]
SOURCE = ROOT / "src" / "equipoise"
CONTRIBUTING = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def test_the_fast_tests_leave_out_every_mark() -> None:
    """A new mark says what a test needs, so ``make test-fast`` leaves it out too."""
    marks = {text.partition(":")[0] for text in PROJECT["tool"]["pytest"]["ini_options"]["markers"]}
    (fast,) = re.findall(r"^FAST := (.*)$", MAKEFILE, re.M)
    assert set(fast.split(" and ")) == {f"not {mark}" for mark in marks}


def test_the_page_for_contributors_names_what_there_is() -> None:
    """Its targets are those of the Makefile, and its rooms those of the source."""
    targets = set(re.findall(r"^([a-z-]+):", MAKEFILE, re.M))
    assert set(re.findall(r"^make ([a-z-]+)", CONTRIBUTING, re.M)) <= targets
    rooms = {path.parent.name for path in SOURCE.glob("*/*.py") if path.read_text(encoding="utf-8").strip()}
    assert set(re.findall(r"^\| `(\w+)` \|", CONTRIBUTING, re.M)) == rooms


def test_ci_is_the_whole_check_and_has_a_budget() -> None:
    """``.ci/run`` has 90 minutes, lints, tests, stops at what fails; fuzzes at night."""
    workflow = (ROOT / ".github" / "workflows" / "ci.yml").read_text(encoding="utf-8")
    nightly = "make fuzz NUMBER=10000 SEED=${{ github.run_number }}"
    assert re.findall(r"run: (.*)", workflow) == [".ci/run", nightly]
    assert "timeout-minutes: 90 " in workflow
    script = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    assert script.startswith("#!/usr/bin/env bash\n") and "set -euo pipefail\n" in script
    assert re.findall(r"^make .*$", script, re.M) == ["make lint", "make test"]


def test_no_file_around_names_a_registry_or_a_machine() -> None:
    """A lock with an address would bind everyone to one registry."""
    around = [path for path in ROOT.iterdir() if path.is_file()]
    for folder in (".ci", ".github", "requirements", "tools"):
        around += [path for path in (ROOT / folder).rglob("*") if path.is_file() and path.suffix != ".pyc"]
    foreign = re.compile(rb"pypi\.org|pythonhosted|repo\.maven|--index-url|/(home|root|work|tmp)/")
    named = [path.relative_to(ROOT) for path in around if foreign.search(path.read_bytes())]
    assert named == []


def test_the_locks_have_what_is_asked_for() -> None:
    """Every version of ``lock.txt`` and ``image.txt``, whatever the Python, is one that is allowed."""
    project, wrong = PROJECT["project"], []
    texts = [*project["dependencies"], *chain.from_iterable(project["optional-dependencies"].values())]
    asked = {canonicalize_name(found.name): found for found in map(Requirement, texts)}
    for name in ("lock.txt", "image.txt"):
        text = (ROOT / "requirements" / name).read_text(encoding="utf-8")
        pins = [Requirement(line.strip(" \\")) for line in text.splitlines() if re.match(r"\w", line)]
        pairs = [(pin, asked.get(canonicalize_name(pin.name))) for pin in pins]
        chosen = [(pin, of) for pin, of in pairs if of is not None]
        assert chosen
        for pin, of in chosen:
            (version,) = (part.version for part in pin.specifier)
            if version not in of.specifier:
                wrong.append(f"{name}: {pin} is not {of}: run tools/lock")
    assert not wrong


def test_types_are_shipped() -> None:
    """PEP 561: without this file type checkers ignore the annotations of an installed package."""
    assert (SOURCE / "py.typed").is_file()
    assert PROJECT["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"] == ["src/equipoise"]
