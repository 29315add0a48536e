"""What is no file: pipes and devices as sources, racks and pages; and a line that fits the terminal."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from equipoise.cli.output import write_text
from equipoise.cli.progress import fitting
from equipoise.errors import UnusableInput
from equipoise.files.sources import source_files


@pytest.mark.parametrize(("kind", "said"), [("pipe", "a pipe or a device"), ("null", "a pipe or a device"),
                                            ("lost", "a link to nowhere")])  # fmt: skip
def test_what_is_no_file_in_a_folder_is_named(tmp_path: Path, kind: str, said: str) -> None:
    """Left out without a word, it may be the one source that tells of racks."""
    (tmp_path / "current.json").write_text("{}")
    odd = tmp_path / "brokers.csv"
    if kind == "pipe":
        os.mkfifo(odd)
    else:
        odd.symlink_to(os.devnull if kind == "null" else tmp_path / "nowhere")
    with pytest.raises(UnusableInput, match=f"brokers.csv: it is {said}, not a file. Give a pipe"):
        source_files(tmp_path)


def test_folders_and_notes_in_a_folder_are_no_sources(tmp_path: Path) -> None:
    """They stand beside sources, and nobody takes them for one."""
    for name in ("current.json", "README.md", ".hidden"):
        (tmp_path / name).write_text("{}")
    (tmp_path / "metrics").mkdir()
    assert source_files(tmp_path) == [str(tmp_path / "current.json")]


def test_a_page_for_a_pipe_without_a_reader(tmp_path: Path) -> None:
    """Opened as a file it would wait for ever; with a reader it gets the page."""
    page = tmp_path / "page.html"
    os.mkfifo(page)
    with pytest.raises(UnusableInput, match=r"page.html: nobody reads from this pipe"):
        write_text(page, "<p>")
    reader = os.open(page, os.O_RDONLY | os.O_NONBLOCK)
    write_text(page, "<p>")
    assert os.read(reader, 9) == b"<p>"
    os.close(reader)


def test_a_line_is_cut_at_the_front_of_its_path() -> None:
    """A line that wraps is cleared in its last row alone: it takes a column less than there are."""
    text = "reading (3 s): /a/very/long/path/to/current.json: reassignment JSON"
    assert fitting(text, len(text)) == text
    assert fitting(text, 41) == "reading (3 s): …t.json: reassignment JSON"
    assert fitting("reading (3 s): 文文文文文文", 20) == "reading (3 s): …文文"
    assert fitting("reading (3 s): path", 8) == "reading…"
