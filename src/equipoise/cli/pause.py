"""The wait between two rounds of ``equipoise watch``, and the signals that end it."""

from __future__ import annotations

import signal
from threading import Event
from time import monotonic
from types import FrameType, TracebackType
from typing import Self

from equipoise.cli.signals import given_back, taken

HEARD_S = 0.5
"""Seconds after which a signal is heard at the latest."""


class Pause:
    """SIGTERM and SIGHUP end it at any time, Ctrl-C while it waits; a run that flies ends as ever first."""

    def __init__(self) -> None:
        self.ended = Event()

    def __enter__(self) -> Self:
        self.before = taken(self.end)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        given_back(self.before)

    def end(self, number: int, frame: FrameType | None) -> None:
        self.ended.set()

    def over(self, seconds: float) -> bool:
        """Wait; True where somebody ended it."""
        usual, until = signal.signal(signal.SIGINT, self.end), monotonic() + seconds
        try:
            while not self.ended.is_set() and (left := until - monotonic()) > 0:
                self.ended.wait(min(left, HEARD_S))  # a signal that another thread took is not noticed in it
            return self.ended.is_set()
        finally:
            signal.signal(signal.SIGINT, usual)
