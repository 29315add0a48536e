"""What a command is at, told on one line of the terminal, and Ctrl-C that ends it there and then."""

from __future__ import annotations

import logging
import signal
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager


def tell(text: str) -> None:
    """Put ``text`` on the line, where someone looks; an empty one clears it."""
    if sys.stderr.isatty():
        print(f"\r\033[K{text}", end="", file=sys.stderr, flush=True)


@contextmanager
def told(what: str) -> Iterator[None]:
    """While it lasts, the line says what the planner is at; afterwards it is empty again."""
    if not sys.stderr.isatty():
        yield
        return
    planner, steps = logging.getLogger("equipoise.planning"), Steps(what)
    level = planner.level
    planner.addHandler(steps)
    planner.setLevel(logging.INFO)
    tell(what)
    try:
        yield
    finally:
        planner.removeHandler(steps)
        planner.setLevel(level)
        tell("")


class Steps(logging.Handler):
    """Tells what the planner logs, with the seconds since the start."""

    def __init__(self, what: str) -> None:
        super().__init__()
        self.what, self.start = what, time.monotonic()

    def emit(self, record: logging.LogRecord) -> None:
        tell(f"{self.what} ({time.monotonic() - self.start:.0f} s): {record.getMessage()}")


@contextmanager
def interruptible() -> Iterator[None]:
    """Ctrl-C ends the process at once: the flow solver would hold it back until it is done.

    For work that writes nothing.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_DFL)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
