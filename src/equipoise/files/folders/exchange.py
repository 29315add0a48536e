"""Two folders that change places in one step, where the kernel and the file system can do that."""

from __future__ import annotations

import ctypes
import errno
import logging
import os
from pathlib import Path

LOG = logging.getLogger(__name__)
HERE = -100
"""AT_FDCWD: paths are taken from the working directory."""
EXCHANGE = 2
"""RENAME_EXCHANGE of renameat2(2), in Linux since 3.15."""
UNKNOWN = {errno.ENOSYS, errno.EINVAL, errno.ENOTSUP}
"""What a kernel or file system answers that has no such thing, as NFS."""


def swap(one: Path, other: Path) -> None:
    """Let two folders change places, at once where that is possible.

    Otherwise they are renamed one after the other. A kill in between leaves ``other`` under the name of
    :func:`aside`, from where the next run puts it back.
    """
    if exchanged(one, other):
        return
    LOG.warning("%s: this file system cannot exchange folders at once; they are renamed in turn", other)
    other.rename(aside(one))
    try:
        one.rename(other)
    except OSError:
        aside(one).rename(other)
        raise
    aside(one).rename(one)


def aside(folder: Path) -> Path:
    """Where the folder that changes places with this one stands for a moment."""
    return folder.with_suffix(".aside")


def exchanged(one: Path, other: Path) -> bool:
    """Exchange two names in one step; False, with nothing done, where that is unknown here."""
    call = getattr(ctypes.CDLL(None, use_errno=True), "renameat2", None)
    if call is None:
        return False
    if call(HERE, os.fsencode(one), HERE, os.fsencode(other), EXCHANGE) == 0:
        return True
    code = ctypes.get_errno()
    if code in UNKNOWN:
        return False
    raise OSError(code, os.strerror(code), str(one), None, str(other))
