"""A run on a terminal: the question before it begins, the bars, and Ctrl-C."""

from __future__ import annotations

import os
import pty
import re
import sys
from pathlib import Path

import pytest


def on_terminal(*dialogue: tuple[str, str]) -> str:
    """Everything that the run shows; each answer is typed once its question has appeared."""
    script = Path(__file__).with_name("on_a_terminal.py")
    process, terminal = pty.fork()
    if process == 0:
        os.execv(sys.executable, [sys.executable, str(script)])
    shown, waiting = "", list(dialogue)
    while True:
        try:
            data = os.read(terminal, 4096)
        except OSError:  # how Linux says that the other end is closed
            break
        if not data:
            break
        shown += data.decode(errors="replace")
        if waiting and re.search(waiting[0][0], shown):
            os.write(terminal, waiting.pop(0)[1].encode())
    os.waitpid(process, 0)
    os.close(terminal)
    assert not waiting, shown
    return shown


@pytest.mark.slow
def test_a_run_asks_shows_bars_and_can_be_cancelled() -> None:
    """Agreed to, followed by bytes, stopped with Ctrl-C, cancelled: everything is as before."""
    shown = on_terminal((r"Go ahead\?", "y\n"), (r"MiB/s", "\x03"), (r"\[g\]o on\?", "c\n"))
    assert "4 partitions will change." in shown and "76.3 MiB" in shown
    assert "ended cancelled, True" in shown


@pytest.mark.slow
def test_ctrl_c_can_be_thought_better_of() -> None:
    """Going on is one of the answers; the run then ends as if nothing had happened."""
    shown = on_terminal((r"Go ahead\?", "y\n"), (r"MiB/s", "\x03"), (r"\[g\]o on\?", "g\n"))
    assert "ended finished, False" in shown


@pytest.mark.parametrize("answer", ["l\n", "\x03"], ids=["leave", "ctrl-c"])
@pytest.mark.slow
def test_who_leaves_it_running_lets_go_at_once(answer: str) -> None:
    """The question is answered so, or with a second Ctrl-C; what flies keeps its throttle, as is said."""
    shown = on_terminal((r"Go ahead\?", "y\n"), (r"MiB/s", "\x03"), (r"\[g\]o on\?", answer))
    assert "[l]eave it running throttled" in shown
    assert "ended left, False, 6 throttles" in shown


@pytest.mark.parametrize(
    ("dialogue", "ended"),
    [
        ([("Go ahead?", "y\n"), ("MiB/s", "")], "ended left, False, 6 throttles"),
        ([("Go ahead?", "")], "ended declined, True, 0 throttles"),
    ],
    ids=["in flight", "at the question"],
)
@pytest.mark.slow
def test_a_terminal_that_is_closed(dialogue: list[tuple[str, str]], ended: str, tmp_path: Path) -> None:
    """A lost connection: what is said goes nowhere, what flies keeps its throttle, the run ends in order; and
    where it has not begun it does not begin."""
    script = Path(__file__).with_name("on_a_terminal.py")
    process, terminal = pty.fork()
    if process == 0:
        os.execv(sys.executable, [sys.executable, str(script), str(tmp_path / "ended")])
    for awaited, answer in dialogue:
        shown = ""
        while awaited not in shown:
            shown += os.read(terminal, 4096).decode(errors="replace")
        os.write(terminal, answer.encode())
    os.close(terminal)
    os.waitpid(process, 0)
    assert (tmp_path / "ended").read_text() == ended


@pytest.mark.parametrize("answer", ["\n", "\x03", "\x04"], ids=["return", "ctrl-c", "ctrl-d"])
@pytest.mark.slow
def test_no_is_the_default(answer: str) -> None:
    """Return alone, Ctrl-C and the end of input begin nothing."""
    assert "ended declined, True" in on_terminal((r"Go ahead\?", answer))
