"""Work in a process of its own, that can be ended: for solvers, which may hold the interpreter's lock.

Not `multiprocessing`: it runs the caller's main module once more, its daemons may not use it themselves, and
Ctrl-C on a terminal reaches its processes too, each of which then has something to say.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from multiprocessing.connection import Connection, Pipe
from typing import Any

from equipoise.errors import NO_MEMORY, EquipoiseError

PROGRAM = "import sys; from equipoise.solver_process import begin; begin(int(sys.argv[1]))"

ENDING_S = 60.0
"""How long a process may take to end that has closed its connection: on a busy machine seconds. One that was
ended sooner would seem to have been killed for its memory."""


class NoAnswer(EquipoiseError):
    """A process that was asked has ended, or takes too long."""


class SolverProcess:
    """A process that runs ``work(connection, *given)``, a function that it can import.

    It ends when this one does, however that ends, and in the middle of a solve too.
    """

    called = "the solver's process"

    def __init__(self, work: Callable[..., None], *given: Any) -> None:
        self.connection, theirs = Pipe()
        with theirs:
            self.process = subprocess.Popen(
                [sys.executable, "-P", "-c", PROGRAM, str(theirs.fileno())],
                env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                pass_fds=[theirs.fileno()],
                start_new_session=True,  # Ctrl-C is for this process
            )
        assert self.process.stderr is not None
        self.errors = self.process.stderr
        self.send((work, given))

    def send(self, something: Any) -> None:
        """Raises `NoAnswer` where nobody is there."""
        try:
            self.connection.send(something)
        except OSError:
            raise self.ended() from None

    def received(self, within_s: float | None = None) -> Any:
        """What it sends next; raises `NoAnswer` where it ends instead, or sends nothing."""
        try:
            if self.connection.poll(within_s):
                return self.connection.recv()
        except (EOFError, OSError):
            raise self.ended() from None
        raise NoAnswer(f"not finished in {within_s:g} seconds")

    def ended(self) -> NoAnswer:
        """How, and its last words."""
        with suppress(subprocess.TimeoutExpired):  # its connection goes before it does
            self.process.wait(ENDING_S)
        self.process.kill()
        words = self.errors.read().decode(errors="replace").strip().rpartition("\n")[2]
        code = self.process.wait()
        silence = NoAnswer(f"{self.called} {ending(code)}" + (f": {words}" if words else ""))
        if code == -signal.SIGKILL:
            silence.exit_code = NO_MEMORY
        return silence

    def end(self) -> None:
        """End it if it has not ended."""
        self.process.kill()
        self.process.wait()
        self.connection.close()
        self.errors.close()


def ending(code: int) -> str:
    """How a process ended, by its exit code."""
    return f"ended with {code}" if code >= 0 else f"was killed by signal {-code}: out of memory, perhaps"


def begin(fileno: int) -> None:
    """In the process: do the work, for as long as anyone asks."""
    end_with_parent()
    connection = Connection(fileno)
    with suppress(EOFError, ConnectionError):
        work, given = connection.recv()
        work(connection, *given)


def end_with_parent() -> None:
    """Have the kernel end this process when nobody can read its standard error any more.

    A signal whose default is to end the process needs no Python, which a solve would hold back.
    """
    import fcntl
    import select

    error = sys.stderr.fileno()
    fcntl.fcntl(error, fcntl.F_SETOWN, os.getpid())
    fcntl.fcntl(error, fcntl.F_SETFL, fcntl.fcntl(error, fcntl.F_GETFL) | os.O_ASYNC)
    state = select.poll()
    state.register(error, 0)
    if state.poll(0):  # that happened before the kernel was told
        sys.exit(1)
