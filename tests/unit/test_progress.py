"""What a terminal shows while a plan is made, and Ctrl-C."""

from __future__ import annotations

import os
import pty
import signal
import subprocess
import sys
from pathlib import Path

from equipoise.cli.progress import interruptible

EXAMPLES = Path(__file__).parents[2] / "examples" / "fleet"


def told_on_a_terminal(*arguments: str) -> str:
    """What a command puts on a terminal that is its standard error."""
    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "equipoise.cli.main", *arguments]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=theirs)
    os.close(theirs)
    told = b""
    while True:
        try:
            piece = os.read(ours, 4096)
        except OSError:  # a terminal whose other side is closed
            break
        if not piece:
            break
        told += piece
    os.close(ours)
    assert process.wait(timeout=60) == 0
    return told.decode()


def test_a_terminal_sees_each_level(tmp_path: Path) -> None:
    """Reading, every level in its order, and writing; at the end the line is empty."""
    told = told_on_a_terminal("plan", str(EXAMPLES / "racks"), "--out", str(tmp_path / "plan"))
    lines = [line.removeprefix("\033[K") for line in told.split("\r")[1:]]
    levels = [line.rpartition(": ")[2] for line in lines if line.startswith("planning (")]
    assert levels[:4] == ["racks", "replicas", "moves", "topics"]
    assert levels[-3:] == ["leaders", "elections", "topic-leaders"]
    assert (lines[0], lines[-2], lines[-1]) == ("reading", "writing", "")


def test_nobody_looks_nothing_is_told() -> None:
    """Standard error of a pipe stays empty."""
    command = [sys.executable, "-m", "equipoise.cli.main", "plan", str(EXAMPLES / "removal"), "--drain", "19"]
    assert subprocess.run(command, capture_output=True, check=True, timeout=60).stderr == b""


def test_a_solve_can_be_interrupted() -> None:
    """The solver holds the interpreter, so the signal itself ends the process; then all is as before."""
    before = signal.getsignal(signal.SIGINT)
    with interruptible():
        assert signal.getsignal(signal.SIGINT) is signal.SIG_DFL
    assert signal.getsignal(signal.SIGINT) is before
