"""Memory that a short command gives back and takes again by the gigabyte."""

from __future__ import annotations

import ctypes

TRIM_THRESHOLD, MMAP_MAX = -1, -4
"""Of mallopt(3), in the C library of GNU."""
NEVER = -1


def keep_memory() -> None:
    """Have arrays take the memory that earlier ones have left, for the rest of this process.

    Else the system takes that of every large array back, and clears it for the next one: on millions of
    replicas a quarter of all CPU seconds. Only for what soon ends; without effect in other C libraries.
    """
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is not None:
        mallopt(MMAP_MAX, 0)
        mallopt(TRIM_THRESHOLD, NEVER)
