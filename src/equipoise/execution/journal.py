"""The journal of a plan directory: one JSON line an entry, on the disk before anything is done."""

from __future__ import annotations

import fcntl
import json
import os
import time
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO

from equipoise.errors import UnusableInput
from equipoise.files.journal_lock import NAME

TRIES, PAUSE_S = 4, 0.05
"""Whoever only asks whether a journal is held holds it for a moment."""


def read_journal(folder: Path) -> list[dict[str, Any]]:
    """Every whole entry of the journal in a plan directory, none where there is no journal.

    A last line that a crash cut short was never acted on and is left out. Raises
    :class:`UnusableInput` where an earlier line cannot be read.
    """
    path = Path(folder) / NAME
    try:
        lines = path.read_bytes().split(b"\n")
    except FileNotFoundError:
        return []
    except OSError as error:
        raise UnusableInput(f"cannot be read ({error.strerror})", source=str(path)) from None
    entries = []
    for number, line in enumerate(lines[:-1], start=1):  # what follows the last newline is torn
        try:
            entries.append(json.loads(line))
        except ValueError:
            raise UnusableInput("is not an entry", source=str(path), place=f"line {number}") from None
    return entries


def under_way(folder: Path) -> UnusableInput:
    """The error for whoever wants to begin a second run."""
    return UnusableInput(
        "another run of this plan is under way", source=str(folder), advice="Press Ctrl-C there"
    )


class Journal:
    """The journal, open for a run; held by one process at a time."""

    def __init__(self, folder: Path) -> None:
        """Open or create it; raises :class:`UnusableInput` where another process holds it."""
        self.path = Path(folder) / NAME
        self.entries = read_journal(folder)
        try:
            self.file: BinaryIO = taken(self.path)
        except BlockingIOError:
            raise under_way(folder) from None
        except OSError as error:
            raise UnusableInput(f"cannot be written ({error.strerror})", source=str(self.path)) from None
        self.entries = read_journal(folder)  # what the former holder wrote last
        self.drop_torn_line()

    def drop_torn_line(self) -> None:
        data = self.path.read_bytes()
        whole = data.rfind(b"\n") + 1
        if whole < len(data):
            os.truncate(self.path, whole)
        sync_folder(self.path.parent)

    def append(self, entry: Mapping[str, Any]) -> None:
        """Write one entry; it is on the disk when this returns."""
        self.file.write(json.dumps(entry, separators=(",", ":"), sort_keys=True).encode() + b"\n")
        self.file.flush()
        os.fsync(self.file.fileno())

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


def taken(path: Path) -> BinaryIO:
    """The file, open for appending and ours alone; raises ``BlockingIOError`` where somebody holds it."""
    for _ in range(TRIES):
        file = path.open("ab")
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if path.exists() and os.path.samestat(os.fstat(file.fileno()), path.stat()):
                return file  # else its last holder has discarded it: what we hold has no name any more
        except BlockingIOError:
            time.sleep(PAUSE_S)
        file.close()
    raise BlockingIOError


def sync_folder(folder: Path) -> None:
    """Make a new file's name last through a crash."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
