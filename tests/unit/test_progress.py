"""What a terminal shows while a command reads, plans and writes, and Ctrl-C."""

from __future__ import annotations

import fcntl
import os
import pty
import signal
import subprocess
import sys
import termios
import time
from itertools import groupby
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[2] / "examples" / "fleet"
COMMAND = [sys.executable, "-m", "equipoise.cli.main"]
STOPPED = "equipoise: stopped; no plan was written"


def hear_ctrl_c() -> None:
    """In the process: even where the tests run in the background, where shells have it ignored."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


class Terminal:
    """A command on a terminal of its own; its standard output is elsewhere."""

    def __init__(self, *command: str) -> None:
        self.ours, theirs = pty.openpty()
        self.process = subprocess.Popen(
            command,
            stdin=theirs,
            stdout=subprocess.DEVNULL,
            stderr=theirs,
            env=os.environ | {"PYTHONPATH": str(Path(__file__).parent)},
            start_new_session=True,
            preexec_fn=self.take,
        )
        os.close(theirs)
        self.told = ""

    @staticmethod
    def take() -> None:
        """In the process: Ctrl-C on the terminal is for it."""
        fcntl.ioctl(2, termios.TIOCSCTTY, 0)
        hear_ctrl_c()

    def read(self) -> bool:
        """Some more of what it shows; False where there is no more."""
        try:
            piece = os.read(self.ours, 4096)
        except OSError:  # a terminal whose other side is closed
            piece = b""
        self.told += piece.decode()
        return bool(piece)

    def until(self, text: str) -> None:
        while text not in self.told:
            assert self.read(), f"ended before {text}: {self.told}"

    def press_ctrl_c(self) -> None:
        os.write(self.ours, b"\x03")

    def end(self) -> int:
        """The exit code, when all was shown."""
        while self.read():
            pass
        os.close(self.ours)
        return self.process.wait()

    @property
    def lines(self) -> list[str]:
        """What the line was, time after time."""
        return [line.removeprefix("\033[K") for line in self.told.split("\r")[1:]]


def stuck(where: str, note: Path, *arguments: str) -> list[str]:
    """A command that will be stuck there."""
    return [sys.executable, "-c", "import stuck; stuck.main()", where, str(note), *arguments]


def noted(note: Path, process: subprocess.Popen[bytes]) -> int:
    """The process that is stuck, once it is."""
    while not note.exists():
        assert process.poll() is None, "ended before it was stuck"
        time.sleep(0.01)
    return int(note.read_text())


def wait_for_the_end_of(process: int) -> None:
    """Return when it is gone, or dead with nobody to bury it."""
    status, patience = Path(f"/proc/{process}/cmdline"), time.monotonic() + 60
    while status.exists() and status.read_bytes():
        assert time.monotonic() < patience, "it goes on"
        time.sleep(0.01)


@pytest.mark.slow
def test_a_terminal_sees_each_level(tmp_path: Path) -> None:
    """Reading, every level in its order, and writing; at the end the line is empty."""
    terminal = Terminal(*COMMAND, "plan", str(EXAMPLES / "racks"), "--out", str(tmp_path / "plan"))
    assert terminal.end() == 0
    lines = terminal.lines
    levels = [line.rpartition(": ")[2] for line in lines if line.startswith("planning (") and ": " in line]
    levels = [level for level, _ in groupby(levels)]  # each is told again every second
    assert levels[:4] == ["racks", "replicas", "moves", "bytes"]
    at = levels.index("leaders")
    assert levels[at : at + 3] == ["leaders", "elections", "topic-leaders"]
    stages = [line for line in lines if line in ("reading", "planning", "writing", "")]
    assert stages == ["reading", "", "planning", "", "writing", ""]


@pytest.mark.slow
def test_nobody_looks_nothing_is_told() -> None:
    """Standard error of a pipe stays empty."""
    command = [*COMMAND, "plan", str(EXAMPLES / "removal"), "--drain", "19"]
    assert subprocess.run(command, capture_output=True, check=True, timeout=60).stderr == b""


@pytest.mark.slow
@pytest.mark.parametrize("where", ["flows", "integers"])
def test_seconds_pass_and_ctrl_c_ends_a_solve(where: str, tmp_path: Path) -> None:
    """In a solve that holds the interpreter's lock, or the main thread: seconds pass, then one line."""
    source, out, note = str(EXAMPLES / "racks"), tmp_path / "plan", tmp_path / "note"
    terminal = Terminal(*stuck(where, note, "plan", source, "--out", str(out)))
    solver = noted(note, terminal.process)
    terminal.until("planning (1 s)")
    terminal.until("planning (2 s)")
    terminal.press_ctrl_c()
    assert terminal.end() == 130
    assert terminal.lines[-2:] == [STOPPED, "\n"]
    wait_for_the_end_of(solver)
    assert sorted(tmp_path.iterdir()) == [note]


@pytest.mark.parametrize(
    ("where", "verb"),
    [("flows", "plan"), ("integers", "plan"), ("flows", "frontier"), ("strategies", "compare")],
)
@pytest.mark.slow
def test_sigint_without_a_terminal(where: str, verb: str, tmp_path: Path) -> None:
    """The same line, and nothing else, for whoever sends the signal to the one process."""
    command = stuck(where, tmp_path / "note", verb, str(EXAMPLES / "racks"))
    env = os.environ | {"PYTHONPATH": str(Path(__file__).parent)}
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=env, preexec_fn=hear_ctrl_c
    )
    solver = noted(tmp_path / "note", process)
    process.send_signal(signal.SIGINT)
    assert process.communicate() == (b"", f"{STOPPED}\n".encode())
    assert process.returncode == 130
    wait_for_the_end_of(solver)


def test_ctrl_c_before_there_is_a_command(tmp_path: Path) -> None:
    """While what the command line is made of is still being read: here it does not end."""
    slow = "import pathlib, time\npathlib.Path(__file__).with_name('note').touch()\ntime.sleep(60)\n"
    (tmp_path / "typer.py").write_text(slow, encoding="utf-8")
    process = subprocess.Popen(
        [*COMMAND, "plan", str(EXAMPLES / "racks")],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=os.environ | {"PYTHONPATH": os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")])},
        preexec_fn=hear_ctrl_c,
    )
    while not (tmp_path / "note").exists():
        assert process.poll() is None
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    assert process.communicate() == (b"", f"{STOPPED}\n".encode())
    assert process.returncode == 130


@pytest.mark.slow
def test_a_solver_ends_with_its_parent(tmp_path: Path) -> None:
    """Killed without a word, the command leaves no process behind, though it was in the middle of a solve."""
    note = tmp_path / "note"
    terminal = Terminal(*stuck("flows", note, "plan", str(EXAMPLES / "racks")))
    solver = noted(note, terminal.process)
    terminal.process.kill()
    assert terminal.end() == -signal.SIGKILL
    wait_for_the_end_of(solver)


def test_a_solver_whose_parent_is_gone_before_it_begins(tmp_path: Path) -> None:
    """It has its work already, and nobody who could take the answer."""
    script = (
        "import os, signal, stuck, functools; from equipoise.solver_process import SolverProcess; "
        f"held = SolverProcess(functools.partial(stuck.hold, {str(tmp_path / 'note')!r})); "
        "print(held.process.pid, flush=True); "
        "os.kill(os.getpid(), signal.SIGKILL)"
    )
    env = os.environ | {"PYTHONPATH": str(Path(__file__).parent)}
    died = subprocess.run([sys.executable, "-c", script], stdout=subprocess.PIPE, env=env)
    assert died.returncode == -signal.SIGKILL
    wait_for_the_end_of(int(died.stdout))


@pytest.mark.slow
def test_ctrl_c_while_it_reads(tmp_path: Path) -> None:
    """A source that does not end."""
    source = tmp_path / "endless.json"
    os.mkfifo(source)
    terminal = Terminal(*COMMAND, "plan", str(source))
    terminal.until("reading (1 s)")
    terminal.press_ctrl_c()
    assert terminal.end() == 130
    assert terminal.lines[-2:] == [STOPPED, "\n"]


@pytest.mark.slow
def test_ctrl_c_while_it_writes(tmp_path: Path) -> None:
    """Half a plan is no plan."""
    source, out, note = str(EXAMPLES / "racks"), tmp_path / "plan", tmp_path / "note"
    terminal = Terminal(*stuck("writing", note, "plan", source, "--out", str(out)))
    noted(note, terminal.process)
    terminal.until("writing")
    terminal.press_ctrl_c()
    assert terminal.end() == 130
    assert terminal.lines[-2:] == [STOPPED, "\n"]
    assert sorted(tmp_path.iterdir()) == [note]
