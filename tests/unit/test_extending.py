"""docs/extending.md is true: what it shows is done in a copy of the repository, and prints what it says.

Under each heading of the page the blocks come in turn. One after a path in backticks is that file, or with
``diff`` a change of it; one with ``$`` is commands and what they print. Subsections go on from their section,
each by itself, and end with a command that fails.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "extending.md"
COPIED = ("src", "tests", "docs", "pyproject.toml")
LEFT = ("examples", "README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md")
"""What the commands read and nothing of the page changes."""
PROGRAMS = {
    "equipoise": [sys.executable, "-c", "from equipoise.cli.main import main; main()"],
    "python": [sys.executable],
}


@dataclass(frozen=True)
class Block:
    """A code block of the page."""

    path: str
    """The last file that was named before it."""
    kind: str
    """What is written after the fence: python, diff, text, or nothing for commands."""
    text: str


@dataclass(frozen=True)
class Part:
    """A heading with its blocks; ``within``: the blocks of its section, where it is a subsection."""

    title: str
    blocks: tuple[Block, ...]
    within: tuple[Block, ...] = ()

    @property
    def fails(self) -> bool:
        """True where the commands are to fail: something is missing."""
        return bool(self.within)


def blocks(text: str) -> Iterator[Block]:
    """Code blocks, each with the last path in backticks that stands before it."""
    path = ""
    for words, kind, code in re.findall(r"(.*?)^```(\w*)\n(.*?)^```$", text, re.M | re.S):
        named = [*re.findall(r"`([\w./]+\.\w+)`", words)]
        path = named[-1] if named else path
        yield Block(path, kind, code)


def parts() -> Iterator[Part]:
    """Sections and subsections of the page that have code."""
    for section in re.split(r"^## ", PAGE.read_text(encoding="utf-8"), flags=re.M)[1:]:
        whole, *subsections = re.split(r"^### ", section, flags=re.M)
        title = whole.splitlines()[0]
        within = tuple(blocks(whole))
        yield Part(title, within)
        for subsection in subsections:
            yield Part(f"{title}: {subsection.splitlines()[0]}", tuple(blocks(subsection)), within)


def changed(text: str, diff: str) -> str:
    """The text with the lines of a diff: those that it keeps and takes away stand there once, in a row."""
    lines = diff.splitlines()
    old = "".join(f"{line[1:]}\n" for line in lines if line[:1] != "+")
    new = "".join(f"{line[1:]}\n" for line in lines if line[:1] != "-")
    assert text.count(old) == 1, f"stands {text.count(old)} times, not once:\n{old}"
    return text.replace(old, new)


def written(tree: Path, block: Block) -> None:
    """A file of the page put into the tree, or changed in it."""
    path = tree / block.path
    assert path.is_relative_to(tree)
    if block.kind == "diff":
        path.write_text(changed(path.read_text(encoding="utf-8"), block.text), encoding="utf-8")
    else:
        assert not path.exists(), f"{block.path} is there already"
        path.write_text(block.text, encoding="utf-8")


def ran(tree: Path, block: Block, *, fails: bool) -> None:
    """The commands of a block; each line shown is printed, in this order, a line's dots standing for any.

    ``fails``: the last of them does.
    """
    commands = re.split(r"^\$ ", block.text, flags=re.M)[1:]
    for at, part in enumerate(commands, start=1):
        command, *shown = part.splitlines()
        result = run(tree, command)
        assert (result.returncode != 0) == (fails and at == len(commands)), f"{command}\n{result.stdout}"
        printed = iter(line.rstrip() for line in result.stdout.splitlines())
        for line in shown:
            wanted = line.removesuffix("...")
            assert any(p == line or (wanted != line and p.startswith(wanted)) for p in printed), (
                f"not printed (any more, or here): {line}\n{result.stdout}"
            )


def run(tree: Path, command: str) -> subprocess.CompletedProcess[str]:
    """A command in the tree, with the tree's source; errors are where the rest is."""
    words = shlex.split(command)
    given = dict(word.split("=", 1) for word in words if re.fullmatch(r"[A-Z_]+=.*", word))
    program, *arguments = words[len(given) :]
    return subprocess.run(
        [*PROGRAMS[program], *arguments],
        cwd=tree,
        env={**os.environ, "PYTHONPATH": str(tree / "src"), "COLUMNS": "100", **given},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A copy of the repository."""
    for name in COPIED:
        copy = shutil.copytree if (ROOT / name).is_dir() else shutil.copy2
        copy(ROOT / name, tmp_path / name)  # type: ignore[operator]
    for name in LEFT:
        (tmp_path / name).symlink_to(ROOT / name)
    return tmp_path


@pytest.mark.slow
@pytest.mark.parametrize("part", list(parts()), ids=lambda part: part.title)
def test_what_the_page_shows_works(part: Part, tree: Path) -> None:
    """Files and changes are as shown, and commands print what is shown; without a part they fail as shown."""
    for block in part.within:
        if block.kind:
            written(tree, block)
    for block in part.blocks:
        if block.kind:
            written(tree, block)
        else:
            ran(tree, block, fails=part.fails)


def test_the_page_has_each_recipe_with_what_is_missing() -> None:
    """Four recipes, each with files, commands, a test to run and a part that is left out."""
    titles = [part.title for part in parts()]
    for recipe in ("A goal", "A rule", "A format", "A published algorithm"):
        assert recipe in titles
        assert f"{recipe}: Without one of its parts" in titles
    for part in parts():
        commands = "".join(block.text for block in part.blocks if not block.kind)
        assert any(block.kind for block in part.blocks) and "$ " in commands
        assert part.fails or "python -m pytest" in commands


def test_a_change_that_fits_nowhere_is_an_error() -> None:
    """A diff of the page that is out of date is not passed over."""
    assert changed("a\nb\nc\n", " a\n-b\n+x\n") == "a\nx\nc\n"
    for text in ("a\nc\n", "a\nb\na\nb\n"):
        with pytest.raises(AssertionError, match="not once"):
            changed(text, " a\n-b\n+x\n")
