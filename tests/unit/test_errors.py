"""Errors that have more than one face."""

from __future__ import annotations

import errno
import os

import pytest

from equipoise.errors import UnusableInput, is_out_of_memory
from equipoise.server.failures import failure_of

SEGMENT = "libhighs.so: failed to map segment from shared object"


@pytest.mark.parametrize(
    "error",
    [MemoryError(), OSError(errno.ENOMEM, os.strerror(errno.ENOMEM), "files"), ImportError(SEGMENT)],
    ids=["python", "a call of the system", "a library that is loaded"],
)
def test_no_more_memory(error: Exception) -> None:
    """Whoever asked the system for it, what is said is the same."""
    assert is_out_of_memory(error)
    assert failure_of(error).kind == "memory"


@pytest.mark.parametrize(
    "error", [FileNotFoundError(errno.ENOENT, "no file"), ImportError("no module"), UnusableInput("x")]
)
def test_other_trouble(error: Exception) -> None:
    """Nothing else is called so."""
    assert not is_out_of_memory(error)
