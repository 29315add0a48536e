"""A folder is replaced as a whole or not at all, and never one that is not ours."""

from __future__ import annotations

import os
import shutil
import signal
from contextlib import suppress
from pathlib import Path
from threading import Thread
from typing import Any

import numpy as np
import pytest

from equipoise.cluster import Brokers, Plan, build_cluster
from equipoise.errors import UnusableInput
from equipoise.files.folders import Claim, replaced
from equipoise.files.plan_directory import read_plan, write_plan


def plan(name: str = "c") -> Plan:
    cluster = build_cluster(name, Brokers.of([1, 2]), ["t"], [0], [[1]])
    return Plan(cluster, cluster.brokers.index_of(np.array([[2]])), np.ones(2, dtype=bool))


def test_an_earlier_plan_is_replaced(tmp_path: Path) -> None:
    """The second plan takes the place of the first, with nothing of it left."""
    write_plan(plan("first"), tmp_path / "out", extra={"report.html": b"<html>"})
    write_plan(plan("second"), tmp_path / "out")
    assert read_plan(tmp_path / "out").cluster.name == "second"
    assert not (tmp_path / "out/report.html").exists()
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_an_empty_folder_and_missing_parents_are_fine(tmp_path: Path) -> None:
    """A folder made beforehand is used; parents are made."""
    (tmp_path / "empty").mkdir()
    write_plan(plan(), tmp_path / "empty")
    write_plan(plan(), tmp_path / "a/b/c")
    assert (
        read_plan(tmp_path / "empty").changed.tolist()
        == read_plan(tmp_path / "a/b/c").changed.tolist()
        == [0]
    )


@pytest.mark.parametrize("name", ["notes.txt", "journal.jsonl"])
def test_what_is_not_a_plan_is_never_removed(tmp_path: Path, name: str) -> None:
    """A folder of other things, or a plan beside which something else lies, is left alone."""
    out = tmp_path / "out"
    out.mkdir()
    (out / name).write_text("mine")
    with pytest.raises(UnusableInput, match="not a plan directory"):
        write_plan(plan(), out)
    (out / name).unlink()
    write_plan(plan("first"), out)
    (out / name).write_text("mine")
    with pytest.raises(UnusableInput, match=name):
        write_plan(plan("second"), out)
    assert (out / name).read_text() == "mine"


def test_a_file_in_the_way(tmp_path: Path) -> None:
    """A file of that name is not overwritten."""
    (tmp_path / "out").write_text("mine")
    with pytest.raises(UnusableInput, match="is not a folder"):
        write_plan(plan(), tmp_path / "out")
    assert (tmp_path / "out").read_text() == "mine"


def test_nobody_is_left_in_a_folder_that_was_replaced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`--out .` is refused: the shell that gave it would look into what was there, and find no plan."""
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    for name in (Path(), tmp_path / "here"):
        with pytest.raises(UnusableInput, match="the folder that this runs in") as refused:
            write_plan(plan(), name)
        assert "Give a folder in it" in str(refused.value)
    write_plan(plan(), Path("out"))
    assert (tmp_path / "here" / "out" / "plan.json").is_file()


def test_a_failure_leaves_the_old_folder_and_no_debris(tmp_path: Path) -> None:
    """Where writing ends early, the earlier plan is still whole and nothing else is there."""
    write_plan(plan("first"), tmp_path / "out")
    with pytest.raises(RuntimeError), replaced(tmp_path / "out", Claim(lambda folder: "")) as fresh:
        (fresh / "half").write_text("written")
        raise RuntimeError
    assert read_plan(tmp_path / "out").cluster.name == "first"
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


@pytest.mark.slow
def test_a_process_that_writes_on_for_a_moment_leaves_no_debris(tmp_path: Path) -> None:
    """As workers of Spark do whose run was stopped: what they write while it is removed goes too."""
    folders: list[Path] = []

    def write_on() -> None:
        for number in range(3000):  # some tenths of a second, longer than one removal takes
            with suppress(OSError):
                (folders[0] / str(number % 300)).mkdir()

    with pytest.raises(ZeroDivisionError), replaced(tmp_path / "out", Claim(lambda _: "")) as folder:
        folders.append(folder)
        for number in range(2000):
            (folder / f"file {number}").touch()
        Thread(target=write_on).start()
        raise ZeroDivisionError
    assert list(tmp_path.iterdir()) == []


def test_what_comes_in_the_last_moment_is_put_back(tmp_path: Path) -> None:
    """A file that comes after the last look at a folder is found once its name leads to the new one."""
    out, asked = tmp_path / "out", []
    (out / "old").mkdir(parents=True)

    def foreign(folder: Path) -> str:
        """Tells what is there; notes come right after it was asked for the second time."""
        there = (folder / "notes").exists()
        asked.append(folder)
        if len(asked) == 2:
            (out / "notes").write_text("mine")
        return "holds notes" if there else ""

    with pytest.raises(UnusableInput, match="out: holds notes"), replaced(out, Claim(foreign)) as fresh:
        (fresh / "new").mkdir()
    assert asked[:2] == [out, out] and len(asked) == 3
    assert sorted(path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*")) == [
        "out", "out/notes", "out/old"
    ]  # fmt: skip


def test_what_comes_while_a_folder_is_removed_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Only what was there when a folder was judged is removed; where the rest is, is told."""
    out = tmp_path / "out"
    (out / "old").mkdir(parents=True)
    rmdir = Path.rmdir

    def late(folder: Path) -> None:
        (folder.parent / "notes").write_text("mine")
        monkeypatch.undo()
        rmdir(folder)

    with replaced(out, Claim(lambda folder: "")) as fresh:
        (fresh / "new").mkdir()
        monkeypatch.setattr(Path, "rmdir", late)
    (rest,) = tmp_path.glob(".out.*")
    assert [entry.name for entry in rest.iterdir()] == ["notes"]
    assert caplog.messages == [
        f"{rest}: holds the rest of what was replaced, as not all of it could be removed"
    ]


def test_ctrl_c_in_the_last_moment_is_too_late(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Between two folders' names, or among the files of the old one, is no place to end."""
    (tmp_path / "out").mkdir()
    (tmp_path / "out/old").write_text("old")
    with replaced(tmp_path / "out", Claim(lambda folder: "")) as folder:
        (folder / "new").write_text("new")
        interrupt_after(Path, "rename", monkeypatch)
        interrupt_after(Path, "unlink", monkeypatch)
        interrupt_after(shutil, "rmtree", monkeypatch)
    monkeypatch.undo()
    assert [path.name for path in tmp_path.iterdir()] == ["out"]
    assert (tmp_path / "out/new").read_text() == "new"


def test_ctrl_c_twice_leaves_no_debris(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The second one comes while what the first one left is cleared away."""
    with pytest.raises(KeyboardInterrupt), replaced(tmp_path / "out", Claim(lambda folder: "")) as folder:
        (folder / "half").write_text("half")
        interrupt_after(shutil, "rmtree", monkeypatch)
        raise KeyboardInterrupt
    monkeypatch.undo()
    assert list(tmp_path.iterdir()) == []


def interrupt_after(where: Any, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl-C right after each call."""
    real = getattr(where, name)

    def interrupted(*arguments: Any, **named: Any) -> Any:
        done = real(*arguments, **named)
        os.kill(os.getpid(), signal.SIGINT)
        return done

    monkeypatch.setattr(where, name, interrupted)
