"""The command as a whole: how it ends where no verb has a say."""

from __future__ import annotations

import errno
import subprocess
import sys

import pytest

from equipoise import __version__
from equipoise.cli.main import main
from equipoise.files import sources


@pytest.mark.parametrize("verb", ["plan", "compare", "frontier"])
def test_ctrl_c_is_one_line_and_exit_130(
    verb: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Wherever it comes outside a run: no traceback, no silence."""

    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(sources, "read_sources", interrupted)
    with pytest.raises(SystemExit) as end:
        main([verb, "anything"])
    assert end.value.code == 130
    assert capsys.readouterr() == ("", "equipoise: stopped; no plan was written\n")


@pytest.mark.parametrize("error", [MemoryError(), OSError(errno.ENOMEM, "Cannot allocate memory")])
def test_memory_that_runs_out_is_no_fault(
    error: Exception, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """One line with what to do, and an exit code of its own: neither the input nor equipoise is to blame."""

    def greedy(*_: object, **__: object) -> None:
        raise error

    monkeypatch.setattr(sources, "read_sources", greedy)
    with pytest.raises(SystemExit) as end:
        main(["plan", "anything"])
    assert end.value.code == 71
    said = "memory ran out. Plan with --effort quick or fewer --goals, or on a machine with more of it"
    assert capsys.readouterr() == ("", f"equipoise: {said}\n")


@pytest.mark.slow
def test_the_package_is_the_command() -> None:
    """``python -m equipoise``, where the script is not on the path."""
    command = [sys.executable, "-m", "equipoise", "--version"]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True)
    assert ended.stdout == f"equipoise {__version__}\n"
