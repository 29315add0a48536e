"""A call in a process of its own: what it sent, how it ended, what it cost.

Processes are forked, so that the product is imported once; Linux alone.
"""

from __future__ import annotations

import os
import resource
import signal
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection, Pipe
from typing import Any

from bench.processes import children, children_cpu_s, end_children

Send = Callable[[Any], None]


@dataclass(frozen=True)
class Limits:
    """Where a call is ended."""

    cpu_s: int = 300
    """CPU seconds of any one process."""
    wall_s: float = 3600.0
    """Seconds on the clock: for what hangs without doing anything."""


@dataclass(frozen=True)
class Ended:
    """A call that is over."""

    sent: list[Any]
    """What it sent, in order."""
    how: str
    """Empty where it returned, "limit", or how it crashed."""
    cpu_s: float
    """User and system seconds of its process and of all those that it started."""
    peak_mb: float
    """The most memory that its largest process held, in 2²⁰ bytes; what it shares with its parent counts."""


def called_apart(work: Callable[[Send], None], limits: Limits) -> Ended:
    """Call ``work`` with a function that sends.

    What it leaves behind is ended; the time of that counts after `bench.processes.adopt_orphans`.
    """
    kept, before = children(), children_cpu_s()
    theirs_to_ours, theirs = Pipe(duplex=False)
    pid = os.fork()
    if pid == 0:
        theirs_to_ours.close()
        run(work, theirs, limits)
    theirs.close()
    with theirs_to_ours:
        sent, in_time = received(theirs_to_ours, time.monotonic() + limits.wall_s)
    if not in_time:
        os.kill(pid, signal.SIGKILL)
    _, status, usage = os.wait4(pid, 0)
    end_children(kept)
    how = "limit" if not in_time else ending(os.waitstatus_to_exitcode(status))
    return Ended(sent, how, children_cpu_s() - before, usage.ru_maxrss / 1024)


def run(work: Callable[[Send], None], connection: Connection, limits: Limits) -> None:
    """In the new process: do the work, and end without going back to what the parent was doing."""
    try:
        resource.setrlimit(resource.RLIMIT_CPU, (limits.cpu_s, limits.cpu_s))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        work(connection.send)
        os._exit(0)
    finally:
        os._exit(1)


def received(connection: Connection, until: float) -> tuple[list[Any], bool]:
    """All that is sent until the other end closes, and whether that happened in time."""
    sent: list[Any] = []
    with suppress(EOFError):
        while connection.poll(max(0.0, until - time.monotonic())):
            sent.append(connection.recv())
        return sent, False
    return sent, True


def ending(code: int) -> str:
    """How a process ended that returned ``code``, in words; empty where it did what it should."""
    if code in (-signal.SIGXCPU, -signal.SIGKILL):  # the kernel's second step at the limit is SIGKILL
        return "limit"
    if code < 0:
        return f"crashed: killed by {signal.Signals(-code).name}"
    return f"crashed: ended with {code}" if code else ""
