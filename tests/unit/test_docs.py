"""README and docs say what is true: commands exist, output is what is printed, links lead somewhere."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer.main
from typer.testing import CliRunner

from equipoise.cli.main import VERBS, app
from equipoise.planning import goals
from equipoise.planning.request import ALL_GOALS, DEFAULT_GOALS, REQUIRED_GOALS

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", ROOT / "CHANGELOG.md", ROOT / "examples" / "README.md"]
PAGES += sorted((ROOT / "docs").rglob("*.md"))
HELP = ROOT / "tests" / "golden" / "help"
WIDTH = 100
COMMANDS = typer.main.get_command(app())
OFFLINE = ("plan", "check")
"""Verbs whose examples are run here, and must print what is shown."""


def fenced(page: Path) -> Iterator[list[str]]:
    """The lines of each code block of a page."""
    for block in re.findall(r"^```\w*\n(.*?)^```", page.read_text(encoding="utf-8"), re.M | re.S):
        yield block.splitlines()


def shown_commands(page: Path) -> Iterator[list[str]]:
    """Every ``equipoise VERB ...`` of a page as words, from code blocks and from text between backticks."""
    lines = [line for block in fenced(page) for line in block]
    lines += re.findall(r"`(equipoise [^`\n]+)`", page.read_text(encoding="utf-8"))
    for line in lines:
        command = re.match(r"(?:\$ )?equipoise (?!: )(.*)", line)
        if command:
            yield shlex.split(command[1].removesuffix("...").rstrip(), comments=True)


def options_of(verb: str) -> dict[str, Any]:
    """Options of a verb by name."""
    found = COMMANDS.commands[verb]  # type: ignore[attr-defined]
    return {name: param for param in found.params for name in (*param.opts, *param.secondary_opts)}


def name_of(page: Path) -> str:
    return str(page.relative_to(ROOT))


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_every_command_exists(page: Path) -> None:
    """Each verb is one, each of its options too, and those that take a value have one."""
    for words in shown_commands(page):
        verb, *rest = words
        if verb.startswith("--") or "|" in verb:
            continue
        assert verb in VERBS, f"{page.name}: there is no verb {verb}"
        options = {"--help": None, **options_of(verb)}
        for at, word in enumerate(rest):
            if not word.startswith("--"):
                continue
            assert word in options, f"{page.name}: {verb} has no option {word}"
            takes = options[word] is not None and not options[word].is_flag
            if takes and len(words) > 2:
                value = rest[at + 1 : at + 2]
                assert value and not value[0].startswith("--"), f"{page.name}: {word} needs a value"


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_every_link_leads_somewhere(page: Path) -> None:
    """Relative links are files of the repository; headings in them exist."""
    for target in re.findall(r"\]\(([^)\s]+)\)", page.read_text(encoding="utf-8")):
        if re.match(r"[a-z]+:", target):
            continue
        path, _, heading = target.partition("#")
        file = (page.parent / path).resolve() if path else page
        assert file.exists(), f"{page.name}: {target}"
        if heading:
            titles = re.findall(r"^#+ (.*)$", file.read_text(encoding="utf-8"), re.M)
            assert heading in {re.sub(r"[^\w -]", "", t.lower()).replace(" ", "-") for t in titles}


def plain(text: str) -> str:
    """Without colours."""
    return re.sub(r"\x1b\[[0-9;]*m", "", text)


def examples() -> Iterator[Any]:
    """Command and shown output of every example that needs nothing but this repository."""
    for page in PAGES:
        for block in fenced(page):
            for part in re.split(r"^\$ ", "\n".join(block), flags=re.M)[1:]:
                command, *output = part.splitlines()
                words = shlex.split(command)
                if words[:1] == ["equipoise"] and words[1] in OFFLINE and "examples/" in command:
                    yield pytest.param(words[1:], output, id=f"{name_of(page)}: {command}")


@pytest.mark.parametrize(("words", "output"), list(examples()))
def test_examples_print_what_is_shown(
    words: list[str], output: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each line shown is printed, in this order; a line of dots, or a blank one, stands for any."""
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    monkeypatch.chdir(tmp_path)
    result = CliRunner().invoke(app(), words, env={"COLUMNS": str(WIDTH)})
    printed = iter(line.rstrip() for line in plain(result.output).splitlines())
    for line in filter(str.strip, output):
        if line.strip() != "...":
            assert line in printed, f"not printed (any more, or here): {line}\n{result.output}"


def rows(page: Path, head: str) -> list[list[str]]:
    """Cells of the table whose heading begins with ``head``."""
    lines = page.read_text(encoding="utf-8").splitlines()
    start = next(at for at, line in enumerate(lines) if line.startswith(f"| {head} |")) + 2
    table = lines[start : next(at for at in range(start, len(lines)) if not lines[at].startswith("|"))]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in table]


def test_goals_page_names_every_goal_as_the_planner_measures_it() -> None:
    """Names, order and meaning are those of the code; each goal is told when it binds."""
    page = ROOT / "docs" / "goals.md"
    text = page.read_text(encoding="utf-8")
    table = rows(page, "goal")
    assert [row[0].strip("`") for row in table] == list(ALL_GOALS)
    places = [str(at) for at in range(1, len(DEFAULT_GOALS) + 1)]
    assert [row[1] for row in table] == places + [""] * (len(ALL_GOALS) - len(DEFAULT_GOALS))
    assert {row[0].strip("`"): row[2] for row in table} == measured()
    assert re.findall(r"^- \*\*`(.*?)`\*\*:", text, re.M) == list(ALL_GOALS)
    lists = {row[0]: row[1] for row in rows(page, "option")}
    assert f"`{','.join(DEFAULT_GOALS)}`" in lists["none"]
    assert f"`{','.join(REQUIRED_GOALS)}`" in lists["`--required-only`"]
    assert f"`{','.join(REQUIRED_GOALS)}`" in lists["`--replace` alone"]


def measured() -> dict[str, str]:
    """Goal and value, from the table in `planning.goals`."""
    table = (goals.__doc__ or "").split("=\n")[2].rsplit("\n", 1)[0]
    joined = re.sub(r"\n\s+", " ", table)
    return dict(re.findall(r"^``(.*?)``\s+(.*)$", joined, re.M))


@pytest.mark.parametrize("verb", ["equipoise", *VERBS])
def test_help_is_what_it_was(verb: str) -> None:
    """The help of every verb at 100 columns; UPDATE_GOLDEN=1 writes the copies anew."""
    arguments = ["--help"] if verb == "equipoise" else [verb, "--help"]
    result = CliRunner().invoke(app(), arguments, env={"COLUMNS": str(WIDTH)}, prog_name="equipoise")
    lines = [line.rstrip() for line in plain(result.output).strip("\n").splitlines()]
    text = "\n".join(lines) + "\n"
    path = HELP / f"{verb}.txt"
    if os.environ.get("UPDATE_GOLDEN"):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    assert text == path.read_text(encoding="utf-8"), f"{path.name} differs; UPDATE_GOLDEN=1 writes it anew"


def test_help_has_no_types_and_fits() -> None:
    """No ``<bool>`` beside a flag, no line wider than the terminal, nothing cut off."""
    for path in HELP.glob("*.txt"):
        text = path.read_text(encoding="utf-8")
        assert not re.search(r"<\w+>|<list\[", text), path.name
        assert "…" not in text, path.name
        assert max(map(len, text.splitlines())) <= WIDTH, path.name


def test_every_trap_has_its_test() -> None:
    """Each row of the page names a test that exists."""
    named = re.findall(r"`(tests/\S+\.py)::(\w+)`", (ROOT / "docs" / "traps.md").read_text(encoding="utf-8"))
    assert len(named) > 50
    for file, test in named:
        assert f"def {test}(" in (ROOT / file).read_text(encoding="utf-8"), f"{file}::{test}"


def test_pages_name_no_machine_and_no_registry() -> None:
    """Nothing in the pages leads to a machine of ours or to a package registry."""
    foreign = re.compile(r"/(work|tmp|home|root)/|pypi\.org|repo\.maven|127\.0\.0\.1")
    for page in PAGES:
        assert not foreign.search(page.read_text(encoding="utf-8")), page.name
