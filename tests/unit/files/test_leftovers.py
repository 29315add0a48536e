"""However a writer ends, the place that it wrote for has a whole folder, and the next one tidies up."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from folder_writer import claim

from equipoise.errors import UnusableInput
from equipoise.files.folders import replaced
from equipoise.files.folders.leftovers import held

WRITER = Path(__file__).with_name("folder_writer.py")
MOST_STEPS = 100


def writer(*arguments: object) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, str(WRITER), *map(str, arguments)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


def files_of(folder: Path) -> list[str]:
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())


OLD, NEW = ["more/file", "old/file"], ["new/file"]


def old_folder(out: Path) -> None:
    for name in OLD:
        (out / name).parent.mkdir(parents=True)
        (out / name).write_text("old")


def killed_everywhere(tmp_path: Path, *arguments: str) -> Iterator[Path]:
    """The place of a folder after each kill, from the first step to the last one of a writer."""
    for number in range(1, MOST_STEPS):
        out = tmp_path / str(number) / "out"
        old_folder(out)
        with writer(out, "--kill-at", number, *arguments) as process:
            process.wait()
        if process.returncode == 0:
            assert number > 10
            return
        assert process.returncode == -signal.SIGKILL
        yield out
    pytest.fail("a writer takes more steps than are tried")


@pytest.mark.slow
def test_no_kill_leaves_no_folder(tmp_path: Path) -> None:
    """Killed before any step, the old folder or the new one is there, whole; then only one is left."""
    seen = []
    for out in killed_everywhere(tmp_path):
        seen.append(files_of(out))
        assert seen[-1] in (OLD, NEW)
        with replaced(out, claim()) as fresh:
            (fresh / "new").mkdir()
            (fresh / "new/file").write_text("newer")
        assert [entry.name for entry in out.parent.iterdir()] == ["out"]
    assert OLD in seen and NEW in seen


@pytest.mark.slow
def test_without_exchange_a_kill_is_mended_by_the_next_writer(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """Where folders are renamed in turn, one moment has none; the next writer puts the old one back."""
    mended = 0
    for out in killed_everywhere(tmp_path, "--in-turn"):
        was_there = out.exists()
        with pytest.raises(RuntimeError), replaced(out, claim()):
            raise RuntimeError
        assert files_of(out) in ((OLD, NEW) if was_there else (OLD,))
        assert [entry.name for entry in out.parent.iterdir()] == ["out"]
        mended += not was_there
    assert mended == sum("put back" in message for message in caplog.messages) > 0


def test_in_turn_gives_the_same_folder(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """A file system without exchange has the same end."""
    old_folder(tmp_path / "out")
    with writer(tmp_path / "out", "--in-turn") as process:
        assert process.communicate()[0] == "published\n"
    assert files_of(tmp_path / "out") == NEW
    assert [entry.name for entry in tmp_path.iterdir()] == ["out"]


def test_what_a_living_process_writes_is_left_alone(tmp_path: Path) -> None:
    """Another writer goes on with its folder, and publishes it, while one comes and goes."""
    out = tmp_path / "out"
    with writer(out, "--wait") as process:
        assert process.stdout is not None and process.stdout.readline() == "waiting\n"
        with replaced(out, claim()) as fresh:
            (fresh / "old").mkdir()
            (fresh / "old/file").write_text("old")
        assert len(list(tmp_path.iterdir())) == 2
        assert process.communicate("go on\n")[0] == "published\n"
    assert files_of(tmp_path) == ["out/new/file"]


def test_our_own_number_was_another_process(tmp_path: Path) -> None:
    """In containers all processes have one number; what nobody holds is a leftover all the same."""
    left = tmp_path / f".out.equipoise-{os.getpid()}.new"
    (left / "half").mkdir(parents=True)
    with replaced(tmp_path / "out", claim()) as fresh:
        (fresh / "new").mkdir()
        (fresh / "new/file").write_text("new")
    assert files_of(tmp_path) == ["out/new/file"]


def test_a_leftover_with_something_foreign_stays(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """Notes that came while a folder was replaced, before a kill, are told of and kept, each time."""
    left = tmp_path / f".out.equipoise-{ended_process()}.old"
    old_folder(left)
    (left / "notes").write_text("mine")
    for _ in range(2):
        with replaced(tmp_path / "out", claim()) as fresh:
            (fresh / "new").mkdir()
            (fresh / "new/file").write_text("new")
        assert files_of(left) == ["more/file", "notes", "old/file"]
        assert f"{left}: left by a process that was killed, and holds notes" in caplog.messages[-1]


def ended_process() -> int:
    """The number of a process that is no more."""
    with subprocess.Popen([sys.executable, "-c", ""]) as process:
        return process.pid


def test_sigterm_cleans_up(tmp_path: Path) -> None:
    """As Ctrl-C does: the old folder is whole, nothing lies beside it, and the code is that of the signal."""
    old_folder(tmp_path / "out")
    with writer(tmp_path / "out", "--wait") as process:
        assert process.stdout is not None and process.stdout.readline() == "waiting\n"
        assert len(list(tmp_path.iterdir())) == 2
        process.terminate()
        process.wait()
    assert process.returncode == 128 + signal.SIGTERM
    assert files_of(tmp_path) == ["out/more/file", "out/old/file"]


def test_a_namesake_that_lives_is_left_alone(tmp_path: Path) -> None:
    """A process of another container with our number keeps its folder: we cannot write, and say so."""
    left = tmp_path / f".out.equipoise-{os.getpid()}.new"
    (left / "half").mkdir(parents=True)
    with (
        held(left),
        pytest.raises(UnusableInput, match="cannot be written"),
        replaced(tmp_path / "out", claim()),
    ):
        pass
    assert (left / "half").is_dir()


def test_what_comes_back_meanwhile(tmp_path: Path) -> None:
    """The JVM of a process that was killed writes on for a while: the next writer clears that too."""
    out, late = tmp_path / "out", tmp_path / f".out.equipoise-{gone()}.new"
    with replaced(out, claim()) as fresh:
        (fresh / "new").touch()
        (late / "tables").mkdir(parents=True)
    assert [entry.name for entry in tmp_path.iterdir()] == ["out"]


def gone() -> int:
    """The number of a process that has ended."""
    with subprocess.Popen(["true"]) as process:
        return process.pid
