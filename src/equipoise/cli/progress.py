"""What a command is at, told on one line of the terminal, and Ctrl-C that ends it there and then."""

from __future__ import annotations

import logging
import os
import shutil
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import accumulate
from threading import Event, Lock, RLock, Thread, current_thread, main_thread
from unicodedata import east_asian_width

from equipoise.cli.voice import is_quiet, is_verbose
from equipoise.errors import Stopped
from equipoise.wording import printable

CLEAR = "\r\033[K"
UNWRITTEN = "no plan was written"
HEARD = ("equipoise.planning", "equipoise.files")
"""Rooms that say what they are at."""
STOPPING = Lock()
SPEAKING = RLock()


def tell(text: str) -> None:
    """Put ``text`` on the line, where someone looks; an empty one clears it."""
    if sys.stderr.isatty():
        with SPEAKING:
            line = fitting(printable(text), shutil.get_terminal_size().columns - 1)
            print(f"{CLEAR}{line}", end="", file=sys.stderr, flush=True)


def fitting(text: str, columns: int) -> str:
    """The text, without what is first after what the command does where it would wrap: a path's front."""
    if wide(text) <= columns:
        return text
    what, between, where = text.partition(": ")
    room = columns - wide(what + between) - 1
    if where and room > 0:
        return f"{what}{between}…{beginning(where[::-1], room)[::-1]}"
    return f"{beginning(text, columns - 1)}…"


def beginning(text: str, columns: int) -> str:
    """As much of a text as fits."""
    ends = accumulate(map(wide, text))
    return text[: sum(end <= columns for end in ends)]


def wide(text: str) -> int:
    """Columns that a text takes."""
    return sum(2 if east_asian_width(letter) in "WF" else 1 for letter in text)


@contextmanager
def above() -> Iterator[None]:
    """While it lasts, the line is out of the way of what is printed."""
    with SPEAKING:
        tell("")
        yield


class Line(logging.Handler):
    """The line of a command: what it does, for how many seconds, and where it is."""

    def __init__(self, what: str) -> None:
        super().__init__()
        self.what, self.where, self.start, self.over = what, "", time.monotonic(), Event()
        self.quiet, self.verbose = is_quiet(), is_verbose()

    @property
    def seconds(self) -> float:
        return time.monotonic() - self.start

    def emit(self, record: logging.LogRecord) -> None:
        if record.levelno < logging.WARNING:
            self.at(record.getMessage())

    def at(self, where: str) -> None:
        self.where = f": {where}"
        if self.verbose:
            tell("")
            print(f"equipoise: {self.what}{printable(self.where)}", file=sys.stderr)
        self.show()

    def show(self) -> None:
        if not self.quiet:
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
    line = Line(what)
    ticking = Thread(target=line.tick, daemon=True)
    heard = {logger: logger.level for logger in map(logging.getLogger, HEARD)}
    for logger in heard:
        logger.addHandler(line)
        logger.setLevel(logging.INFO)
    if not line.quiet:
        tell(what)
    ticking.start()
    try:
        yield line
    except KeyboardInterrupt:
        raise Stopped(UNWRITTEN) from None
    finally:
        line.over.set()
        ticking.join()
        for logger, level in heard.items():
            logger.removeHandler(line)
            logger.setLevel(level)
        tell("")


class Spoken(logging.Handler):
    """Warnings as lines on standard error, above the line of the command."""

    def emit(self, record: logging.LogRecord) -> None:
        tell("")
        print(f"equipoise: {printable(record.getMessage())}", file=sys.stderr)


@contextmanager
def warned() -> Iterator[None]:
    """While it lasts, what is found or left beside a folder that is written is said."""
    files, spoken = logging.getLogger("equipoise.files"), Spoken(logging.WARNING)
    files.addHandler(spoken)
    try:
        yield
    finally:
        files.removeHandler(spoken)


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
