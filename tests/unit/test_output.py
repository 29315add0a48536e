"""What goes into a pipe, onto a terminal, and onto streams that take nothing."""

from __future__ import annotations

import io
import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from equipoise.cli import output
from equipoise.cli.main import main
from equipoise.planning.rules.rack_rule import NO_RACKS

ORDERS = str(Path(__file__).parents[2] / "examples/orders.txt")
RACKS = "1:a,2:b,3:c,4:a,5:b"
Said = tuple[int, str, str]
Run = Callable[..., Said]


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    """A command: its exit code, and what it says on standard output and error."""

    def started(*words: str) -> Said:
        with pytest.raises(SystemExit) as end:
            main(list(words))
        code = end.value.code
        assert isinstance(code, int)
        return code, *capsys.readouterr()

    return started


def test_a_pipe_gets_whole_lines_without_blanks_at_their_ends(run: Run, tmp_path: Path):
    """However long the name of the cluster: its verdict can be searched for."""
    source = tmp_path / ("production-" * 12 + "cluster.txt")
    source.write_text(Path(ORDERS).read_text())
    code, out, _ = run("plan", str(source), "--drain", "5")
    lines = out.splitlines()
    assert code == 0 and lines[0].startswith("no racks are known: ")
    assert lines[1].endswith(
        "cluster: 4 data moves, 1 leadership change, 4 of 6 partitions; proved best, racks not known"
    )
    assert all(line == line.rstrip() for line in lines)


def test_a_terminal_gets_lines_of_its_width(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("COLUMNS", "20")
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.delenv("NO_COLOR", raising=False)
    shown = output.rendered(["some words that do not fit"], Terminal())
    assert [line.rstrip() for line in shown.splitlines()] == ["some words that do", "not fit"]


def test_no_color_is_heard(monkeypatch: pytest.MonkeyPatch):
    from rich.text import Text

    monkeypatch.setenv("TERM", "xterm-256color")
    for value, coloured in (("", True), ("1", False)):
        monkeypatch.setenv("NO_COLOR", value)
        assert ("\x1b[" in output.rendered([Text("proved", "green")], Terminal())) is coloured


def test_quiet_is_the_verdict_alone(run: Run):
    """Below what has to be known before it."""
    verdict = "orders: 4 data moves, 1 leadership change, 4 of 6 partitions; proved best"
    assert run("plan", "-q", ORDERS, "--drain", "5") == (0, f"{NO_RACKS}\n{verdict}, racks not known\n", "")
    racked = run("plan", "-q", ORDERS, "--drain", "5", "--racks", RACKS)
    assert racked == (0, verdict.replace("4 data", "5 data") + "\n", "")


def test_verbose_lists_every_change_and_what_is_read(run: Run):
    code, out, err = run("plan", "--verbose", ORDERS, "--drain", "5")
    why = "broker 5 is drained; broker 2 holds 1 below its share"
    assert code == 0 and f"  orders-3    4,5,1    4,2,1   {why}" in out.splitlines()
    assert f"equipoise: reading: {ORDERS}: kafka-topics --describe" in err.splitlines()


def test_a_plan_of_others_has_no_solver_to_explain(run: Run):
    """`--explain-solver` beside a published strategy is said to be of no use; else it has its table."""
    words = ("plan", ORDERS, "--drain", "5", "--explain-solver")
    said = "equipoise: --explain-solver is of plans of our own: no use is made of it\n"
    assert run(*words, "--strategy", "greedy")[2] == said
    assert "CPU s" in run(*words)[2]


@pytest.mark.parametrize(
    "words", [("-h",), ("plan", "-h"), ("--version",), ("version",), ("--show-completion", "bash")]
)
def test_help_version_and_completion(words: tuple[str, ...], run: Run, monkeypatch: pytest.MonkeyPatch):
    """Completion is for the shell that is named: tests may run in none."""
    monkeypatch.setenv("_TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION", "1")
    code, out, err = run(*words)
    assert (code, err) == (0, "") and out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("plan", ORDERS, "--drian", "5"), "No such option: --drian"),
        (("plan",), "Missing argument 'SOURCE...'"),
        (("plna",), "No such command 'plna'"),
        (("plan", ORDERS, "-q", "-v"), "--quiet: cannot be combined with --verbose"),
        (("plan", ORDERS, "--drain", "5", "--drain", "4"), "--drain: is given twice"),
    ],
)
def test_a_wrong_command_line_is_one_line(words: tuple[str, ...], said: str, run: Run):
    code, out, err = run(*words)
    assert (code, out, err.count("\n")) == (2, "", 1) and err.startswith(f"equipoise: {said}")


def test_what_should_not_happen_is_one_line_and_no_verdict(run: Run, monkeypatch: pytest.MonkeyPatch):
    """An exit code of its own: 1 would mean that a rule is broken."""
    from equipoise.files import sources

    def broken(*_: object, **__: object) -> None:
        raise KeyError("disk")

    monkeypatch.setattr(sources, "read_sources", broken)
    code, out, err = run("plan", ORDERS)
    assert (code, out, err.count("\n")) == (70, "", 1)
    assert err.startswith("equipoise: this is a fault of equipoise (KeyError: 'disk'; test_output.py, line ")


COMMAND = [sys.executable, "-c", "from equipoise.cli.main import main; main()"]


@pytest.mark.parametrize(
    ("shell", "code", "said"),
    [
        (">&-", 2, "equipoise: standard output: cannot be written (Bad file descriptor)"),
        (">/dev/full", 2, "equipoise: standard output: cannot be written (No space left on device)"),
        ("--json >/dev/full", 2, "equipoise: standard output: cannot be written (No space left on device)"),
        ("- <&-", 2, "equipoise: standard input: it is closed"),
        ("--json | true", 141, ""),
        ("2>&-", 0, ""),
        ("--drain 9 2>&-", 2, ""),
        ("--drain 9 2>/dev/full", 2, ""),
    ],
)
@pytest.mark.slow
def test_streams_that_are_closed_full_or_gone(shell: str, code: int, said: str):
    """A sentence or nothing, and never a traceback or the exit code of a broken rule."""
    command = " ".join(
        [sys.executable, "-c", "'from equipoise.cli.main import main; main()'", "plan", ORDERS, shell]
    )
    done = subprocess.run(
        ["bash", "-o", "pipefail", "-c", command], capture_output=True, text=True, check=False,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "PYTHONUNBUFFERED": ""},
    )  # fmt: skip
    assert (done.returncode, done.stderr.strip()) == (code, said)


@pytest.mark.slow
def test_an_ascii_terminal_gets_ascii():
    done = subprocess.run(
        [*COMMAND, "plan", ORDERS, "--drain", "5"], capture_output=True, check=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "PYTHONIOENCODING": "ascii"},
    )  # fmt: skip
    assert re.search(rb"^  5 - +4 -> 0 +1 -> 0$", done.stdout, re.M)


def test_a_file_name_that_is_no_utf_8(run: Run, tmp_path: Path):
    source = os.fsdecode(os.fsencode(tmp_path) + b"/bad\xff.txt")
    Path(source).write_text(Path(ORDERS).read_text())
    code, out, _ = run("plan", source, "--json", "--out", str(tmp_path / "out"))
    assert code == 0 and json.loads(out)["source"]["files"] == ["bad�.txt"]


def test_names_of_others_reach_no_terminal_as_codes(run: Run, tmp_path: Path):
    (tmp_path / "orders.txt").write_text(Path(ORDERS).read_text())
    (tmp_path / "brokers.csv").write_text("id,rack\n1,\x1b[31mred\n2,[/b]\n3,c\n4,d\n5,e\n")
    code, out, _ = run("plan", str(tmp_path), "--drain", "5")
    assert code == 0 and "\x1b" not in out and "[/b]" in out


def test_a_topic_of_two_lines_makes_an_error_of_one(run: Run, tmp_path: Path):
    source = tmp_path / "current.json"
    entry = {"topic": "a\nb\x1b[31m", "partition": 0, "replicas": [1]}
    source.write_text(json.dumps({"version": 1, "partitions": [entry]}))
    code, out, err = run("plan", str(source))
    assert (code, out, err.count("\n")) == (2, "", 1) and "\x1b" not in err
    assert err.endswith('partitions[0]: a�b�[31m-0 [1]: "a b�[31m" is not a topic name\n')


def test_racks_in_place_may_be_longer_than_any_file_name(run: Run):
    racks = ",".join(f"{b}:rack-{b % 3}-eu-west-1-of-a-long-name-{'x' * 60}" for b in range(1, 6))
    code, out, _ = run("plan", "-q", ORDERS, "--racks", racks)
    assert code == 0 and out.startswith("orders: ")


@pytest.mark.parametrize("what", ["/dev/zero", "/dev/urandom"])
def test_a_device_is_no_source(what: str, run: Run):
    assert run("plan", what) == (2, "", f"equipoise: {what}: it is a device, not a file\n")


def test_a_pipe_is_read_to_its_end(run: Run):
    ours, theirs = os.pipe()
    os.write(theirs, Path(ORDERS).read_bytes())
    os.close(theirs)
    code, out, _ = run("plan", f"/dev/fd/{ours}")
    os.close(ours)
    assert (code, out.splitlines()[1]) == (0, "cluster: nothing to do; proved best, racks not known")
