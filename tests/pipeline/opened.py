"""Which files are opened, and how often, by whatever process: the kernel says so (inotify)."""

from __future__ import annotations

import ctypes
import os
import struct
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

OPEN, CLOSED, IS_FOLDER = 0x20, 0x18, 0x40000000
HEAD = struct.Struct("iIII")
"""Watch, what happened, a number for renames, and how many bytes the name has."""


@contextmanager
def opened(folder: Path) -> Iterator[Counter[str]]:
    """How often each file in a folder, and in folders in it, was opened; known once the block ends.

    That files are closed is asked for, too: two equal events, one after the other, would be told as one.
    """
    libc = ctypes.CDLL(None, use_errno=True)
    notify = libc.inotify_init1(os.O_NONBLOCK)
    assert notify >= 0
    told: Counter[str] = Counter()
    try:
        places = [folder, *(path for path in folder.rglob("*") if path.is_dir())]
        watches = {libc.inotify_add_watch(notify, bytes(place), OPEN | CLOSED): place for place in places}
        assert min(watches) > 0 and len(watches) == len(places)
        yield told
        while events := read_now(notify):
            for watch, what, name in events:
                if what & OPEN and not what & IS_FOLDER:
                    told[str((watches[watch] / name).relative_to(folder))] += 1
    finally:
        os.close(notify)


def read_now(notify: int) -> list[tuple[int, int, str]]:
    """Watch, what happened, and the name, of some events; none where no more are there."""
    try:
        told = os.read(notify, 1 << 16)
    except BlockingIOError:
        return []
    events, at = [], 0
    while at < len(told):
        watch, what, _, n_bytes = HEAD.unpack_from(told, at)
        at += HEAD.size + n_bytes
        name = told[at - n_bytes : at].rstrip(b"\0")
        assert what & (OPEN | CLOSED), "more happened than the kernel keeps"
        events.append((watch, what, os.fsdecode(name)))
    return events
