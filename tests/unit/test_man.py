"""The man page and the completion of shells say what the command line does."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from tools.man import PAGE, page

ROOT = Path(__file__).parents[2]


def test_the_man_page_is_the_help() -> None:
    """``python -m tools.man`` writes it anew."""
    if os.environ.get("UPDATE_GOLDEN"):
        PAGE.write_text(page(), encoding="utf-8")
    assert page() == PAGE.read_text(encoding="utf-8"), "python -m tools.man writes it anew"


def test_no_text_of_the_page_is_a_command_of_roff() -> None:
    """Lines that begin with a dot are the page's own requests; a backslash is an escape of it."""
    requests = {line.split()[0] for line in page().splitlines() if line.startswith((".", "'"))}
    assert requests == {".TH", ".SH", ".SS", ".TP", ".PP", ".B", ".br"}


@pytest.mark.parametrize(
    ("typed", "offered"),
    [("equipoise fron", ["frontier"]), ("equipoise plan --leaders-o", ["--leaders-only"])],
)
@pytest.mark.slow
def test_bash_completes_verbs_and_options(typed: str, offered: list[str]) -> None:
    """By the protocol of the script that ``--show-completion`` prints."""
    asked = {"COMP_WORDS": typed, "COMP_CWORD": str(typed.count(" ")), "_EQUIPOISE_COMPLETE": "complete_bash"}
    code = "from equipoise.cli.main import main; main([])"
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "PYTHONPATH": str(ROOT / "src"), **asked},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout.split() == offered
