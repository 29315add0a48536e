"""Regular expressions of others: that they are one, and that matching names with them comes to an end.

Python's engine tries alternatives one after the other, so that `(a+)+$` takes years for forty letters.
Engines that do not try have no look-ahead, which people use to leave topics out; so the time is limited.
"""

from __future__ import annotations

import re
import signal
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from threading import current_thread, main_thread
from types import FrameType
from warnings import catch_warnings, simplefilter

from equipoise.errors import UnusableInput
from equipoise.wording import quoted

MOST_S = 2.0
"""CPU seconds that all names may take: a million take half of one with patterns that people write."""


class Endless(Exception):
    """The time is over."""


def compiled(pattern: str, source: str, place: str = "") -> re.Pattern[str]:
    """The expression; raises `UnusableInput` for what is none."""
    try:
        with catch_warnings():  # of what a later Python may read otherwise
            simplefilter("ignore")
            return re.compile(pattern)
    except (re.error, RecursionError, OverflowError) as error:
        problem = f"{quoted(pattern)} is not a regular expression ({error})"
        raise UnusableInput(problem, source=source, place=place) from None


def matches(pattern: str, names: Sequence[str], source: str) -> list[bool]:
    """Which names match as a whole; raises `UnusableInput` for what is no pattern, or takes too long."""
    regex = compiled(pattern, source)
    name = ""
    try:
        with limited(MOST_S):
            found = []
            for name in names:
                found.append(regex.fullmatch(name) is not None)
            return found
    except Endless:
        problem = f"{quoted(pattern)} takes more than {MOST_S:g} seconds, at '{name}' the last"
        advice = "Write it without a repetition inside a repetition, as in (a+)+"
        raise UnusableInput(problem, source=source, advice=advice) from None


@contextmanager
def limited(seconds: float) -> Iterator[None]:
    """Raise `Endless` in the middle of a match once so much CPU is spent.

    Only the main thread hears signals; others take the time they take.
    """
    if current_thread() is not main_thread():
        yield
        return

    def over(heard: int, frame: FrameType | None) -> None:
        raise Endless

    before = signal.signal(signal.SIGVTALRM, over)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)
