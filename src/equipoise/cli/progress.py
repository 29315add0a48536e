"""What a command is at, told on one line of the terminal, and Ctrl-C that ends it there and then."""

from __future__ import annotations

import logging
import os
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event, Lock, Thread, current_thread, main_thread

from equipoise.errors import Stopped

CLEAR = "\r\033[K"
UNWRITTEN = "no plan was written"
STOPPING = Lock()


def tell(text: str) -> None:
    """Put ``text`` on the line, where someone looks; an empty one clears it."""
    if sys.stderr.isatty():
        print(f"{CLEAR}{text}", end="", file=sys.stderr, flush=True)


class Line(logging.Handler):
    """The line of a command: what it does, for how many seconds, and where it is."""

    def __init__(self, what: str) -> None:
        super().__init__()
        self.what, self.where, self.start, self.over = what, "", time.monotonic(), Event()

    @property
    def seconds(self) -> float:
        return time.monotonic() - self.start

    def emit(self, record: logging.LogRecord) -> None:
        self.at(record.getMessage())

    def at(self, where: str) -> None:
        self.where = f": {where}"
        self.show()

    def show(self) -> None:
        tell(f"{self.what} ({self.seconds:.0f} s){self.where}")

    def tick(self) -> None:
        """Show every full second until it is over."""
        while not self.over.wait(1 - self.seconds % 1):
            self.show()


@contextmanager
def told(what: str) -> Iterator[Line]:
    """While it lasts, the line says what the planner is at; afterwards it is empty again.

    For work that leaves nothing behind when Ctrl-C ends it.
    """
    planner, line = logging.getLogger("equipoise.planning"), Line(what)
    level, ticking = planner.level, Thread(target=line.tick, daemon=True)
    planner.addHandler(line)
    planner.setLevel(logging.INFO)
    tell(what)
    ticking.start()
    try:
        yield line
    except KeyboardInterrupt:
        raise Stopped(UNWRITTEN) from None
    finally:
        line.over.set()
        ticking.join()
        planner.removeHandler(line)
        planner.setLevel(level)
        tell("")


@contextmanager
def interruptible() -> Iterator[None]:
    """Ctrl-C ends the process at once, whatever the main thread is in.

    Python itself would wait until a solver or a reader comes back to it, and then raise an exception in the
    midst of anything, even of an import that takes it for another. For work that leaves nothing behind.
    """
    usual = signal.default_int_handler
    if current_thread() is not main_thread() or signal.getsignal(signal.SIGINT) is not usual:
        yield
        return
    ours, theirs = os.pipe()
    os.set_blocking(theirs, False)
    signal.signal(signal.SIGINT, stop)
    before = signal.set_wakeup_fd(theirs)  # is written to even then
    watching = Thread(target=watch, args=(ours,), daemon=True)
    watching.start()
    try:
        yield
    finally:
        signal.set_wakeup_fd(before)
        signal.signal(signal.SIGINT, usual)
        os.close(theirs)
        watching.join()
        os.close(ours)


def watch(signals: int) -> None:
    """Wait for the number of the signal, or the end of the pipe."""
    while number := os.read(signals, 1):
        if ord(number) == signal.SIGINT:
            stop()


def stop(*_: object) -> None:
    """End the process with one line; whoever comes second leaves it to the first."""
    if STOPPING.acquire(blocking=False):
        error = Stopped(UNWRITTEN)
        print(f"{CLEAR if sys.stderr.isatty() else ''}equipoise: {error}", file=sys.stderr, flush=True)
        os._exit(error.exit_code)
