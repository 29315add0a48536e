"""What writers leave beside a folder when they are killed, and how it is known from what is in use."""

from __future__ import annotations

import fcntl
import logging
import os
import re
import shutil
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from equipoise.files.folders.claims import Claim

LOG = logging.getLogger(__name__)


def unfinished(place: Path) -> Path:
    """Where this process writes what is to stand at ``place``.

    A folder of this kind is ours from end to end and goes unasked. What may have stood at ``place`` is
    never named so; its ending is ``.old``, or ``.aside`` while ``place`` is free.
    """
    return place.with_name(f".{place.name}.equipoise-{os.getpid()}.new")


def clear_leftovers(place: Path, claim: Claim) -> None:
    """Clear away, or put back, what processes that are no more have left beside ``place``."""
    for folder, kind in leftovers(place):
        if kind == "aside" and not os.path.lexists(place):
            folder.rename(place)
            LOG.warning("%s: put back, after a process was killed that had begun to replace it", place)
        elif kind == "new":
            shutil.rmtree(folder, ignore_errors=True)
        else:
            clear(folder, claim)


def clear_unfinished(place: Path) -> None:
    """Clear away what processes that are no more had not finished."""
    for folder, kind in leftovers(place):
        if kind == "new":
            shutil.rmtree(folder, ignore_errors=True)


def leftovers(place: Path) -> Iterator[tuple[Path, str]]:
    """Folders beside ``place`` whose writers are no more, and what kind each is."""
    if not place.parent.is_dir():
        return
    pattern = re.compile(rf"\.{re.escape(place.name)}\.equipoise-(\d+)\.(new|old|aside)")
    for folder in sorted(place.parent.iterdir()):
        match = pattern.fullmatch(folder.name)
        if match is not None and not in_use(folder, int(match[1])):
            yield folder, match[2]


def clear(folder: Path, claim: Claim) -> None:
    """Remove what a writer left, unless there is something in it that should stay."""
    there = entries(folder)
    if reason := claim.keeps(folder):
        LOG.warning("%s: left by a process that was killed, and %s; move it away", folder, reason)
    else:
        discard(folder, there)


def discard(folder: Path, there: list[str]) -> None:
    """Remove a folder with the entries that it had when it was judged, and nothing that came later."""
    doomed = folder.with_suffix(".new")  # half of it, after a kill, could not be judged again
    folder.rename(doomed)
    for entry in (*(f"{doomed}/{path}" for path in there), str(doomed)):
        with suppress(OSError):
            Path(entry).rmdir() if stat.S_ISDIR(os.lstat(entry).st_mode) else os.unlink(entry)  # noqa: PTH108
    if doomed.exists():
        doomed.rename(folder)
        LOG.warning("%s: holds the rest of what was replaced, as not all of it could be removed", folder)


def entries(folder: Path) -> list[str]:
    """Everything in a folder, relative to it, what stands in folders before these."""
    start = len(os.path.join(folder, ""))  # noqa: PTH118
    return [
        f"{parent}/{name}"[start:]
        for parent, folders, files in os.walk(folder, topdown=False)
        for name in (*files, *folders)
    ]


@contextmanager
def held(folder: Path) -> Iterator[None]:
    """Show other processes that a folder is in use, as long as the block lasts and this process lives."""
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        with suppress(OSError):  # a file system without such locks: the process id tells
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    finally:
        os.close(handle)


def in_use(folder: Path, process: int) -> bool:
    """Whether the writer of a leftover may be alive: it has the lock, or its number is in use.

    Our own number on a folder that nobody holds was another's: in containers everybody is number 1.
    """
    try:
        handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    except OSError:  # it has just gone, or was never a folder of ours
        return True
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:
        pass
    finally:
        os.close(handle)
    return process != os.getpid() and exists(process)


def exists(process: int) -> bool:
    """Whether there is a process of this number."""
    try:
        os.kill(process, 0)
    except PermissionError:  # somebody else's
        return True
    except (ProcessLookupError, OverflowError):
        return False
    return True
