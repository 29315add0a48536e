"""Waiting for something to become true, with a deadline."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")


def soon(
    check: Callable[P, T],
    *,
    seconds: float = 15.0,
    errors: tuple[type[Exception], ...] = (AssertionError,),
) -> Callable[P, T]:
    """``check``, asked again for a while as long as it raises one of ``errors``: something is wrong yet.

    Brokers learn from the controller one after another, and a test may ask another one than the run did.
    """

    @wraps(check)
    def asked(*arguments: P.args, **options: P.kwargs) -> T:
        deadline = time.monotonic() + seconds
        while True:
            try:
                return check(*arguments, **options)
            except errors:
                if time.monotonic() > deadline:
                    raise
            time.sleep(0.1)

    return asked


def wait_until(condition: Callable[[], T], what: str, *, seconds: float = 60.0, every: float = 0.1) -> T:
    """The first true answer of ``condition``; errors count as "not yet", the last one is shown.

    What takes long is asked less often, at least every half second: questions keep brokers and test busy.
    """
    begun = time.monotonic()
    deadline = begun + seconds
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
        time.sleep(max(every, min((time.monotonic() - begun) / 10, 0.5)))
