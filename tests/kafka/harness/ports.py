"""Ports on loopback for brokers, kept apart from those of other test runs on the same machine."""

from __future__ import annotations

import fcntl
import socket
from contextlib import suppress
from typing import TextIO

from harness.jars import cache_folder

BLOCK, FIRST, LAST = 40, 12_000, 32_000
"""Below the range from which systems take ports for outgoing connections, so that a broker that was
killed finds its port free when it starts again."""

held: list[TextIO] = []
"""Locks of the blocks that this process uses; they end with the process."""


def free_ports(n: int) -> list[int]:
    """``n`` different ports on which nothing listens and that no other run will take."""
    assert n <= BLOCK
    for start in range(FIRST, LAST, BLOCK):
        if reserved(start):
            free = [port for port in range(start, start + BLOCK) if is_free(port)]
            if len(free) >= n:
                return free[:n]
    raise RuntimeError(f"fewer than {n} free ports on loopback")


def reserved(start: int) -> bool:
    """Take the block of ports from ``start`` on for this process; False where another run has it."""
    folder = cache_folder() / "ports"
    folder.mkdir(parents=True, exist_ok=True)
    lock = (folder / str(start)).open("w")
    with suppress(BlockingIOError):
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        held.append(lock)
        return True
    lock.close()
    return False


def is_free(port: int) -> bool:
    with socket.socket() as probe, suppress(OSError):
        probe.bind(("127.0.0.1", port))
        return True
    return False
