"""README and docs say what is true: commands exist, output is what is printed, links lead somewhere."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any

import pytest
import typer.main
from tests.unit.test_rooms import IN_PLANNING, MAY
from typer.testing import CliRunner

from equipoise.cli.main import VERBS, app
from equipoise.planning.driver.methods import BEGINNING, FACE_GOALS, FLOWS, METHODS, Method
from equipoise.planning.goals import ALL_GOALS, DEFAULT_GOALS, GOALS, REQUIRED_GOALS
from equipoise.planning.loads.ways import WAYS
from equipoise.planning.problem.params import Effort, Params, limits
from equipoise.planning.solution.size import ANY_SIZE

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", ROOT / "CHANGELOG.md", ROOT / "examples" / "README.md"]
PAGES += [ROOT / "CONTRIBUTING.md", ROOT / "SECURITY.md", *sorted((ROOT / "docs").rglob("*.md"))]
HELP = ROOT / "tests" / "golden" / "help"
WIDTH = 100
COMMANDS = typer.main.get_command(app())
OFFLINE = ("show", "plan", "explain", "check", "compare", "frontier")
"""Verbs whose examples are run here, and must print what is shown."""
SLOW = ("--explain-solver", "frontier", "examples/fleet/skewed-leaders", "examples/few-partitions")
EXTENDED = ROOT / "docs" / "extending.md"
"""Its commands are run by `test_extending`, on a product that has what the page adds."""
HERE = [page for page in PAGES if page != EXTENDED]


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


@pytest.mark.parametrize("page", HERE, ids=name_of)
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
    for page in HERE:
        for block in fenced(page):
            for part in re.split(r"^\$ ", "\n".join(block), flags=re.M)[1:]:
                command, *output = part.splitlines()
                words = shlex.split(command)
                if words[:1] == ["equipoise"] and words[1] in OFFLINE and "examples/" in command:
                    yield pytest.param(words[1:], output, id=f"{name_of(page)}: {command}", marks=pace(words))


def pace(words: list[str]) -> list[pytest.MarkDecorator]:
    """The mark of a command that takes long."""
    return [pytest.mark.slow] if any(word in SLOW for word in words) else []


def steady(line: str) -> str:
    """The line without what differs from run to run: CPU seconds at the end of ``--explain-solver``'s.

    Columns are as wide as what stands in them, also in rows that are not shown.
    """
    return " ".join(re.sub(r" +\d+\.\d\d$", "", line.rstrip()).split())


def like(shown: str) -> re.Pattern[str]:
    """What a shown line stands for: dots in it are anything."""
    return re.compile(".*".join(map(re.escape, steady(shown).split("..."))))


@pytest.mark.parametrize(("words", "output"), list(examples()))
def test_examples_print_what_is_shown(
    words: list[str], output: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each line shown is printed, in this order; a line of dots, or a blank one, stands for any.

    Dots within a line stand for what is left out of it.
    """
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    monkeypatch.chdir(tmp_path)
    result = CliRunner().invoke(app(), words, env={"COLUMNS": str(WIDTH)})
    printed = iter(steady(line) for line in plain(result.output).splitlines())
    for line in filter(str.strip, output):
        if line.strip() != "...":
            found = any(like(line).fullmatch(one) for one in printed)
            assert found, f"not printed (any more, or here): {line}\n{result.output}"


def runnable() -> Iterator[Any]:
    """Commands that are shown without what they print, where they need nothing but this repository.

    Those of one block are run one after the other: a later one may need what an earlier one wrote.
    """
    for page in HERE:
        for block in fenced(page):
            typed = [line for line in block if re.match(r"equipoise |lp_solve ", line)]
            lines = [shlex.split(line, comments=True) for line in typed]
            known = [words for words in lines if words[0] == "lp_solve" or words[1] in OFFLINE]
            if lines and known == lines and all("examples/" in " ".join(words) for words in lines[:1]):
                marks = [mark for words in lines for mark in pace(words)][:1]
                yield pytest.param(lines, id=f"{name_of(page)}: {' '.join(lines[0])}", marks=marks)


@pytest.mark.parametrize("commands", list(runnable()))
@pytest.mark.slow
def test_commands_without_output_run(
    commands: list[list[str]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They end with 0."""
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    monkeypatch.chdir(tmp_path)
    for program, *words in commands:
        if program == "equipoise":
            result = CliRunner().invoke(app(), words, env={"COLUMNS": str(WIDTH)})
            assert result.exit_code == 0, (words, result.output)
        else:
            subprocess.run([program, *words], check=True, capture_output=True)


def tables(page: Path, head: str) -> list[list[list[str]]]:
    """Cells of the tables whose heading begins with ``head``."""
    lines = [*page.read_text(encoding="utf-8").splitlines(), ""]
    starts = [at + 2 for at, line in enumerate(lines) if line.startswith(f"| {head} |")]
    ends = [next(at for at in range(start, len(lines)) if not lines[at].startswith("|")) for start in starts]
    return [
        [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[start:end]]
        for start, end in zip(starts, ends, strict=True)
    ]


def rows(page: Path, head: str) -> list[list[str]]:
    """Cells of the first such table."""
    return tables(page, head)[0]


def test_goals_page_names_every_goal_as_the_planner_measures_it() -> None:
    """Names, order and meaning are those of the code; each goal is told when it binds."""
    page = ROOT / "docs" / "goals.md"
    text = page.read_text(encoding="utf-8")
    table = rows(page, "goal")
    assert [row[0].strip("`") for row in table] == list(ALL_GOALS)
    places = [str(at) for at in range(1, len(DEFAULT_GOALS) + 1)]
    assert [row[1] for row in table] == places + [""] * (len(ALL_GOALS) - len(DEFAULT_GOALS))
    assert [row[2] for row in table] == [goal.meaning for goal in GOALS.values()]
    assert re.findall(r"^- \*\*`(.*?)`\*\*:", text, re.M) == list(ALL_GOALS)
    lists = {row[0]: row[1] for row in rows(page, "option")}
    assert f"`{','.join(DEFAULT_GOALS)}`" in lists["none"]
    assert f"`{','.join(REQUIRED_GOALS)}`" in lists["`--required-only`"]
    assert f"`{','.join(REQUIRED_GOALS)}`" in lists["`--replace` alone"]


def test_architecture_page_has_every_room() -> None:
    """Rooms and what they may import are those that a test holds; those of planning, and all paths, exist."""
    page, planning = ROOT / "docs" / "architecture.md", ROOT / "src" / "equipoise" / "planning"
    of_all, of_planning = (dict(cells(table)) for table in tables(page, "room"))
    for table, may_import in ((of_all, MAY), (of_planning, IN_PLANNING)):
        assert {room: set(re.findall(r"`(\w+)`", may)) for room, (_, may) in table.items()} == may_import
    assert list(of_planning) == list(IN_PLANNING)
    assert set(of_planning) == {path.parent.name for path in planning.glob("*/__init__.py")}
    named = re.findall(r"`((?:\w+/)*\w+(?:\.py|/))`", page.read_text(encoding="utf-8"))
    places = (ROOT, planning.parent, planning)
    assert [name for name in named if not any((place / name).exists() for place in places)] == []


def cells(table: list[list[str]]) -> Iterator[tuple[str, list[str]]]:
    """The name that begins each row, without its marks, and the other cells."""
    for name, *others in table:
        yield name.strip("`"), others


def test_method_page_has_the_methods_of_the_driver() -> None:
    """Order, names, what each is for and gains, and from which effort on: as the driver's list has them."""
    table = rows(ROOT / "docs" / "method.md", "method")
    assert [row[:6] for row in table] == [
        [method.name, served(method.goals), does(method), method.effort.value, method.gains, method.costs]
        for method in METHODS
    ]
    ways = (FLOWS, BEGINNING, *WAYS)
    told = [[way.name, way.gains, way.costs] for way in ways]
    assert rows(ROOT / "docs" / "method.md", "way") == told
    for (*_, sizes), method in zip(table, METHODS, strict=True):
        assert (sizes == "any") == takes_any(method)
        assert set(re.findall(r"`(\w+_\w+)`", sizes)) <= {limit.name for limit in limits()}


def takes_any(method: Method) -> bool:
    """True for a method that asks nothing of the problem to know its size."""
    try:
        return method.size(None, "") is ANY_SIZE  # type: ignore[arg-type]
    except AttributeError:
        return False


def served(goals: Collection[str]) -> str:
    """The goals of a method in the words of the page."""
    every = (("all", ALL_GOALS), ("of placement and leaders", FACE_GOALS))
    named = next((words for words, some in every if set(some) == set(goals)), None)
    return named or ", ".join(f"`{goal}`" for goal in goals)


def does(method: Method) -> str:
    """What a method makes nearer to the other: the value, the bound."""
    return ", ".join(what for what, made in (("value", method.improves), ("bound", method.bounds)) if made)


def test_method_page_has_every_limit() -> None:
    """Names, units, meaning, and what each is with ``--effort thorough``."""
    table = rows(ROOT / "docs" / "method.md", "limit")
    wide = {limit.name: getattr(Params.of(Effort.THOROUGH), limit.name) for limit in limits()}
    assert table == [
        [
            f"`{limit.name}`", told(limit.default),
            "" if wide[limit.name] == limit.default else told(wide[limit.name]),
            limit.metadata["unit"], limit.metadata["meaning"].replace("``", "`"),
        ]
        for limit in limits()
    ]  # fmt: skip


def told(limit: int | tuple[int, ...]) -> str:
    """A limit in the words of the page; several are tried in their order."""
    if isinstance(limit, tuple):
        return ", ".join(map(told, limit))
    return "any" if limit >= 2**40 else f"{limit:,}"


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


@pytest.mark.parametrize("page", ["traps.md", "operate.md"])
def test_every_trap_and_every_promise_has_its_test(page: str) -> None:
    """Each row of the page names a test that exists."""
    named = re.findall(r"`(tests/\S+\.py)::(\w+)`", (ROOT / "docs" / page).read_text(encoding="utf-8"))
    assert len(named) > 50
    for file, test in named:
        assert f"def {test}(" in (ROOT / file).read_text(encoding="utf-8"), f"{file}::{test}"


def test_no_promise_is_without_a_test() -> None:
    """Rows of the table of promises, but for its head and the lines that part it."""
    text = (ROOT / "docs" / "operate.md").read_text(encoding="utf-8")
    table = text.split("## What is promised", 1)[1].split("\n## ", 1)[0]
    rows = [line for line in table.splitlines() if line.startswith("| ")][1:]
    promises = [row for row in rows if not re.fullmatch(r"\| \*[^|]+\* \|\s+\|", row)]
    assert len(promises) > 80
    for row in promises:
        assert re.search(r"\| `tests/\S+\.py::\w+` \|$", row), row


def test_pages_name_no_machine_and_no_registry() -> None:
    """Nothing in the pages leads to a machine of ours or to a package registry."""
    foreign = re.compile(r"/(work|tmp|home|root)/|pypi\.org|repo\.maven|127\.0\.0\.1")
    for page in PAGES:
        assert not foreign.search(page.read_text(encoding="utf-8")), page.name
