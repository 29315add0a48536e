"""When a signal may end the writing of a folder, and when it comes too late."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from threading import current_thread, main_thread


@contextmanager
def uninterrupted() -> Iterator[None]:
    """For moments in which Ctrl-C or SIGTERM would leave a folder astray: they are not heard.

    They come too late there, or for the second time.
    """
    with ExitStack() as stack:
        if current_thread() is main_thread():  # which alone hears of them
            for number in (signal.SIGINT, signal.SIGTERM):
                stack.callback(signal.signal, number, signal.signal(number, signal.SIG_IGN))
        yield


@contextmanager
def terminable() -> Iterator[None]:
    """SIGTERM leaves the block as Ctrl-C does, with everything cleaned up, and then ends the process (143).

    Where somebody else listens to it, or in other threads than the main one, nothing is changed.
    """
    if current_thread() is not main_thread() or signal.getsignal(signal.SIGTERM) is not signal.SIG_DFL:
        yield
        return
    heard: list[int] = []

    def interrupt(number: int, _: object) -> None:
        if not heard:  # the second one comes while the first one is obeyed
            heard.append(number)
            raise KeyboardInterrupt

    signal.signal(signal.SIGTERM, interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        if heard:
            raise SystemExit(128 + heard[0])
