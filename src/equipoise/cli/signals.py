"""Signals that a command takes over for a while, and gives back."""

from __future__ import annotations

import signal
from collections.abc import Callable
from types import FrameType
from typing import Any

Handler = Callable[[int, FrameType | None], None]


def taken(handler: Handler, *more: signal.Signals) -> dict[signal.Signals, Any]:
    """Have SIGTERM, SIGHUP and ``more`` go to a handler; returns who had them.

    SIGHUP stays ignored where it is: that is what nohup is for.
    """
    ours = (signal.SIGTERM, signal.SIGHUP, *more)
    heard = (one for one in ours if one != signal.SIGHUP or signal.getsignal(one) is not signal.SIG_IGN)
    return {one: signal.signal(one, handler) for one in heard}


def given_back(before: dict[signal.Signals, Any]) -> None:
    """Let those have their signals again."""
    for one, handler in before.items():
        signal.signal(one, handler)
