"""A folder that is written beside its place and takes it once it is complete."""

from __future__ import annotations

import errno
import logging
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from equipoise.errors import UnusableInput
from equipoise.files.folders.claims import Claim, place_of, refuse
from equipoise.files.folders.exchange import swap
from equipoise.files.folders.leftovers import (
    clear_leftovers,
    clear_unfinished,
    discard,
    entries,
    held,
    unfinished,
)
from equipoise.files.folders.signals import terminable, uninterrupted

LOG = logging.getLogger(__name__)
ATTEMPTS, PAUSE_S = 20, 0.1
"""How often, and after which pause, the removal of what was not finished is tried."""
TAKEN = {errno.ENOTEMPTY, errno.EEXIST, errno.ENOTDIR}


@contextmanager
def replaced(out: Path, claim: Claim, *, force: bool = False) -> Iterator[Path]:
    """A new folder beside ``out`` that takes its place when the block ends well.

    What is at ``out`` goes where ``claim`` allows it, which is asked before and again once nobody can reach
    it by its name any more. Raises :class:`UnusableInput` where it must stay, and where nothing can be
    written; ``out`` is then what it was.
    """
    place = claimed(out, claim, force=force)
    allow = partial(refuse, claim=claim, out=out, force=force)
    fresh = unfinished(place)
    try:
        with terminable():
            fresh.mkdir(parents=True)
            try:
                with held(fresh):
                    yield fresh
                    with uninterrupted():
                        overruled = publish(fresh, place, allow)
            finally:
                with uninterrupted():
                    remove(fresh)
        clear_unfinished(place)  # the JVM of a process that was killed may have written on for a while
        if overruled:
            LOG.warning("%s: replaced all the same: it %s", out, overruled)
    except OSError as error:
        raise unwritable(out, error) from None


def remove(fresh: Path) -> None:
    """Remove a folder that this process made, into which others that are about to end may still write."""
    for _ in range(ATTEMPTS):
        shutil.rmtree(fresh, ignore_errors=True)
        if not fresh.exists():
            break
        time.sleep(PAUSE_S)


def claimed(out: Path, claim: Claim, *, force: bool = False) -> Path:
    """Where ``out`` really is, with nothing beside it that dead processes left.

    Raises as :func:`replaced` does, for those who want to know before they have something to write.
    """
    try:
        place = place_of(out)
        clear_leftovers(place, claim)
        refuse(place, claim, out=out, force=force)
    except OSError as error:
        raise unwritable(out, error) from None
    return place


def unwritable(out: Path, error: OSError) -> UnusableInput:
    """The error for a folder that the system does not let us write."""
    return UnusableInput(f"cannot be written ({error.strerror})", source=str(out))


def publish(fresh: Path, place: Path, allow: Callable[[Path], str]) -> str:
    """Put ``fresh`` at ``place``; returns what ``allow`` says of what was there.

    Where ``allow`` raises, as that has to stay, it is there again.
    """
    if moved(fresh, place):
        return ""
    allow(place)
    with held(place):
        old = fresh.with_suffix(".old")
        fresh.rename(old)  # from here on it may be what was at `place`, and nobody clears it unasked
        swap(old, place)
        there = entries(old)
        try:
            overruled = allow(old)
        except BaseException:
            swap(old, place)
            old.rename(fresh)
            raise
        discard(old, there)
        return overruled


def moved(fresh: Path, place: Path) -> bool:
    """Give a folder its place where this is free, or an empty folder; False where it is taken."""
    try:
        fresh.rename(place)
    except OSError as error:
        if error.errno not in TAKEN:
            raise
        return False
    return True
