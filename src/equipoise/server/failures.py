"""What went wrong with a job, as data: kind, sentence, and the HTTP status of its answer."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from equipoise.errors import EquipoiseError, ImpossibleRequest, UnusableInput, is_out_of_memory
from equipoise.solver_process import NoAnswer
from equipoise.wording import printable

STATUS = {
    "unusable": 400, "forbidden": 403, "unknown": 404, "slow": 408, "cancelled": 409, "too large": 413,
    "impossible": 422, "fault": 500, "memory": 503, "busy": 503, "time": 504,
}  # fmt: skip
"""Kind of a failure → the HTTP status that says it."""


@dataclass(eq=False)
class Failure(Exception):
    """Why there is no result."""

    kind: str
    """A key of `STATUS`."""
    problem: str
    more: dict[str, Any] = field(default_factory=dict)
    """Of what cannot be used ``source``, ``place``, ``advice``; of what is impossible ``reasons`` and
    ``relaxations``."""

    @property
    def status(self) -> int:
        return STATUS[self.kind]

    def to_json(self) -> dict[str, Any]:
        """The body of the answer."""
        return {"error": {"kind": self.kind, "problem": self.problem, **self.more}}


def failure_of(error: BaseException) -> Failure:
    """The failure that an error of the planner means; nothing of a fault of ours but its kind is told."""
    if isinstance(error, UnusableInput):
        parts = {"source": error.source, "place": error.place, "advice": error.advice}
        told = {name: printable(text) for name, text in parts.items() if text}
        return Failure("unusable", printable(error.problem), told)
    if isinstance(error, ImpossibleRequest):
        told_of = {"reasons": error.reasons, "relaxations": error.relaxations}
        return Failure("impossible", printable(str(error)), told_of)
    if isinstance(error, NoAnswer):
        return Failure("memory", "a solver's process ended: it may have needed more memory than a job has")
    if isinstance(error, EquipoiseError):
        return Failure("unusable", printable(str(error)))
    if is_out_of_memory(error):
        return Failure("memory", "the job needs more memory than a job may have")
    return Failure("fault", f"this is a fault of equipoise ({type(error).__name__})")
