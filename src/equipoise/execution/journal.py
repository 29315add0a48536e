"""The journal of a plan directory: one JSON line an entry, on the disk before anything is done."""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from io import FileIO
from pathlib import Path
from types import TracebackType
from typing import Any

from equipoise.errors import UnusableInput
from equipoise.execution.memory import MISFITS, Memory
from equipoise.files.journal_lock import NAME

DAMAGED = "journal.damaged.jsonl"
"""Where a journal that was cut is kept whole."""
TRIES, PAUSE_S = 4, 0.05
"""Whoever only asks whether a journal is held holds it for a moment."""


@dataclass(frozen=True)
class Told:
    """What a journal tells."""

    entries: list[dict[str, Any]]
    damage: str = ""
    """What is wrong with the line after the last good one, "" where nothing is."""
    good_bytes: int = 0
    """How far the good lines reach."""
    torn: str = ""
    """What a crash has cut short behind the last line, "" where nothing is: it was never acted on."""


def read_journal(folder: Path) -> Told:
    """The entries of the journal in a plan directory up to the first line that is none.

    A last line that a crash cut short was never acted on and is no damage, unless it holds NUL bytes: those
    stand where the disk has lost what was written. Raises :class:`UnusableInput` where the file cannot be
    read.
    """
    path = Path(folder) / NAME
    try:
        lines = path.read_bytes().split(b"\n")
    except FileNotFoundError:
        return Told([])
    except OSError as error:
        raise UnusableInput(f"cannot be read ({error.strerror})", source=str(path)) from None
    entries: list[dict[str, Any]] = []
    memory, good_bytes = Memory(), 0
    rest = lines.pop()  # what follows the last newline
    if b"\0" in rest:
        lines.append(rest)
        rest = b""
    for number, line in enumerate(lines, start=1):
        try:
            entry = json.loads(line)
            memory.note(entry)
        except (*MISFITS, RecursionError):
            return Told(entries, f"line {number} of {len(lines):,} is not an entry", good_bytes)
        entries.append(entry)
        good_bytes += len(line) + 1
    torn = f"line {len(lines) + 1} was cut short, so it was never acted on and is left out" if rest else ""
    return Told(entries, "", good_bytes, torn)


def damaged(folder: Path, told: Told) -> UnusableInput:
    """The error for whoever wants to go on from a journal of which only a part can be read."""
    return UnusableInput(
        told.damage,
        source=str(Path(folder) / NAME),
        advice="status shows what stands; --adopt goes on from the lines before it and takes for its own what"
        " stands of this plan",
    )


def under_way(folder: Path) -> UnusableInput:
    """The error for whoever wants to begin a second run."""
    return UnusableInput(
        "another run of this plan is under way", source=str(folder), advice="Press Ctrl-C there"
    )


class Journal:
    """The journal, open for a run; held by one process at a time."""

    def __init__(self, folder: Path, *, cut: bool = False) -> None:
        """Open or create it; raises :class:`UnusableInput` where another process holds it, or where it is
        damaged. With ``cut`` it goes on after the last good line; the whole is kept beside it."""
        self.path = Path(folder) / NAME
        told = read_journal(folder)
        try:
            self.file: FileIO = taken(self.path)
        except BlockingIOError:
            raise under_way(folder) from None
        except OSError as error:
            raise UnusableInput(f"cannot be written ({error.strerror})", source=str(self.path)) from None
        told = read_journal(folder)  # what the former holder wrote last
        if told.damage and not cut:
            self.close()
            raise damaged(folder, told)
        self.entries, self.torn = told.entries, told.torn
        self.drop_what_follows(told)

    def drop_what_follows(self, told: Told) -> None:
        """Cut a torn line off, or all from a damaged one on, of which a copy stays."""
        if told.damage:
            keep(self.path, self.path.with_name(DAMAGED))
        if told.good_bytes < self.path.stat().st_size:
            os.truncate(self.path, told.good_bytes)
        sync_folder(self.path.parent)

    def append(self, entry: Mapping[str, Any]) -> None:
        """Write one entry; it is on the disk when this returns, and nothing of it after an ``OSError``."""
        line = json.dumps(entry, separators=(",", ":"), sort_keys=True).encode() + b"\n"
        before = os.fstat(self.file.fileno()).st_size
        try:
            while line:
                line = line[self.file.write(line) or 0 :]
            os.fsync(self.file.fileno())
        except OSError:
            with suppress(OSError):
                os.ftruncate(self.file.fileno(), before)
            raise

    def discard(self) -> None:
        """Leave no empty journal behind: nothing was begun."""
        if not self.path.stat().st_size:
            self.path.unlink()

    def close(self) -> None:
        self.file.close()

    def __enter__(self) -> Journal:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def taken(path: Path) -> FileIO:
    """The file, open for appending and ours alone; raises ``BlockingIOError`` where somebody holds it."""
    for _ in range(TRIES):
        file = FileIO(os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600), "ab")
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if path.exists() and os.path.samestat(os.fstat(file.fileno()), path.stat()):
                narrow(file)
                return file  # else its last holder has discarded it: what we hold has no name any more
        except BlockingIOError:
            time.sleep(PAUSE_S)
        file.close()
    raise BlockingIOError


def keep(path: Path, aside: Path) -> None:
    """A copy that its owner alone may read, in place of an earlier one."""
    aside.unlink(missing_ok=True)
    handle = os.open(aside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with path.open("rb") as whole, os.fdopen(handle, "wb") as copy:
        shutil.copyfileobj(whole, copy)


def narrow(file: FileIO) -> None:
    """Its owner alone may read and write it; one that is not ours stays as it is."""
    if os.fstat(file.fileno()).st_mode & 0o077:
        with suppress(PermissionError):
            os.fchmod(file.fileno(), 0o600)


def sync_folder(folder: Path) -> None:
    """Make a new file's name last through a crash."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
