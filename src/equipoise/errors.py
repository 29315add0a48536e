"""The errors that reach a user: one line each, with the place, the value and what to do."""

from __future__ import annotations

import errno

NO_MEMORY = 71
"""Exit code where the system gave no more memory, as sysexits.h has it for what a system does not give."""


class EquipoiseError(Exception):
    """Base of every expected failure; ``exit_code`` is what the command line ends with."""

    exit_code = 2


class Stopped(EquipoiseError):
    """Ctrl-C where no run has to be ended in good order (exit 130, as shells have it)."""

    exit_code = 130

    def __init__(self, left: str = "") -> None:
        super().__init__(f"stopped; {left}" if left else "stopped")


class UnusableInput(EquipoiseError):
    """An input or an argument that cannot be used (exit 2).

    ``place`` is where in ``source`` it was found ("line 12", "partitions[3].replicas"), ``advice``
    what the user can do about it.
    """

    def __init__(self, problem: str, *, source: str = "", place: str = "", advice: str = "") -> None:
        self.problem, self.source, self.place, self.advice = problem, source, place, advice
        where = ", ".join(part for part in (source, place) if part)
        text = f"{where}: {problem}" if where else problem
        super().__init__(f"{text}. {advice}" if advice else text)


class MissingExtra(EquipoiseError):
    """A verb whose libraries the small install leaves out (exit 2)."""

    def __init__(self, verb: str, library: str, extra: str) -> None:
        super().__init__(f"{verb} needs {library}: pip install 'equipoise[{extra}]'")


class ImpossibleRequest(EquipoiseError):
    """No assignment satisfies the request (exit 3).

    ``reasons`` name a smallest set of rules in conflict, ``relaxations`` the nearest ways out.
    """

    exit_code = 3

    def __init__(self, reasons: list[str], relaxations: list[str] | None = None) -> None:
        self.reasons, self.relaxations = reasons, relaxations or []
        text = "; ".join(reasons)
        if self.relaxations:
            text += ": " + " or ".join(self.relaxations)
        super().__init__(text)


def is_out_of_memory(error: BaseException) -> bool:
    """Whether the system gave no more memory: to Python, to a call, or to a library that is loaded."""
    if isinstance(error, OSError):
        return error.errno == errno.ENOMEM
    if isinstance(error, ImportError):
        return any(words in str(error) for words in ("Cannot allocate memory", "failed to map segment"))
    return isinstance(error, MemoryError)
