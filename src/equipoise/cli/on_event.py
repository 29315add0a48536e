"""``--on-event``: a command for each event of a run, which waits for none of them and is hurt by none."""

from __future__ import annotations

import json
import os
import shlex
import signal
import subprocess
from collections.abc import Mapping
from contextlib import suppress
from queue import Full, Queue
from threading import Event, Thread
from typing import Any

from equipoise.errors import UnusableInput

LIMIT_S = 10.0
"""Seconds after which a command is killed, with all that it has started."""
WAITING = 100
"""Events that wait for their command at most."""


def split(command: str) -> list[str]:
    """The command and its arguments, as a shell would split them; raises `UnusableInput` for none."""
    try:
        arguments = shlex.split(command)
    except ValueError as error:
        arguments, why = [], str(error).lower()
    else:
        why = "no command"
    if not arguments:
        raise UnusableInput(f"it is no command ({why})", source="--on-event")  # arguments may be secrets
    return arguments


class Hook:
    """Runs a command for one event after the other, in a thread; ``fault`` is what first went wrong."""

    def __init__(self, command: str, limit_s: float = LIMIT_S) -> None:
        self.arguments, self.limit_s = split(command), limit_s
        self.fault = ""
        self.over = Event()
        self.events: Queue[bytes | None] = Queue(WAITING)
        self.thread = Thread(target=self.work, name="on-event", daemon=True)
        self.thread.start()

    def tell(self, event: Mapping[str, Any]) -> None:
        """Have the command run, as soon as those before are through."""
        try:
            self.events.put_nowait(json.dumps(event).encode() + b"\n")
        except Full:
            self.note("falls behind: an event is left out")

    def close(self) -> None:
        """Wait for what is under way; what has not begun after the time of one command is left out."""
        with suppress(Full):
            self.events.put_nowait(None)
        self.thread.join(self.limit_s)
        self.over.set()
        self.thread.join(self.limit_s + 1)

    def note(self, what: str) -> None:
        """Arguments may be secrets: only the command is named."""
        self.fault = self.fault or f"--on-event: {self.arguments[0]} {what}; the run goes on"

    def work(self) -> None:
        while (event := self.events.get()) is not None:
            if self.over.is_set():
                self.note("falls behind: an event is left out")
                return
            try:
                self.run(event)
            except OSError as error:
                self.note(f"cannot be run ({error.strerror})")

    def run(self, event: bytes) -> None:
        """Run the command on one event, in a process group of its own: Ctrl-C is for the run."""
        process = subprocess.Popen(
            self.arguments,
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        try:
            process.communicate(event, timeout=self.limit_s)
        except subprocess.TimeoutExpired:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            self.note(f"was killed: it took more than {self.limit_s:g} seconds")
            return
        if process.returncode:
            self.note(f"ended with {process.returncode}")
