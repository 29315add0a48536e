"""Waiting for something to become true, with a deadline and a name for what was waited for."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")


def wait_until(condition: Callable[[], T], what: str, *, seconds: float = 60.0, every: float = 0.1) -> T:
    """The first true answer of ``condition``; errors count as "not yet", the last one is shown."""
    deadline = time.monotonic() + seconds
    last: object = None
    while True:
        try:
            last = condition()
            if last:
                return last  # type: ignore[return-value]
        except Exception as error:
            last = error
        if time.monotonic() > deadline:
            raise AssertionError(f"{what}: not so after {seconds:g} s (last answer: {last!r})")
        time.sleep(every)
