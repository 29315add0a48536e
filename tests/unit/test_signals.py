"""Signals that a command takes over: those that somebody wants it deaf to stay as they are."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator

import pytest

from equipoise.cli.signals import given_back, taken


@pytest.fixture(autouse=True)
def as_before() -> Iterator[None]:
    """Whoever has these signals has them again after each test."""
    before = {one: signal.getsignal(one) for one in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)}
    yield
    given_back(before)


@pytest.mark.parametrize("nohup", [False, True], ids=["without nohup", "with nohup"])
def test_a_closed_terminal_is_heard_unless_nohup_says_otherwise(nohup: bool) -> None:
    """A lost connection sends SIGHUP; who began with ``nohup`` wants it to go on. SIGTERM ends it still."""
    heard: list[int] = []
    signal.signal(signal.SIGHUP, signal.SIG_IGN if nohup else signal.SIG_DFL)
    before = taken(lambda number, frame: heard.append(number), signal.SIGINT)
    for number in (signal.SIGHUP, signal.SIGTERM, signal.SIGINT):
        os.kill(os.getpid(), number)
    assert heard == [signal.SIGHUP] * (not nohup) + [signal.SIGTERM, signal.SIGINT]
    given_back(before)
    assert signal.getsignal(signal.SIGHUP) is (signal.SIG_IGN if nohup else signal.SIG_DFL)
