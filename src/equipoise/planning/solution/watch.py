"""Who hears which method begins, on what, and what comes of it."""

from __future__ import annotations

from typing import Protocol

from equipoise.planning.solution.size import Size
from equipoise.planning.solution.solution import Solution


class Watch(Protocol):
    """Who wants to know what runs; it changes nothing."""

    def began(self, method: str, goal: str, size: Size | None, solution: Solution | None) -> None:
        """A method begins; ``goal`` is empty where it serves all."""

    def ended(self, solution: Solution) -> None:
        """It has ended with this."""


class Unwatched:
    """Nobody."""

    def began(self, method: str, goal: str, size: Size | None, solution: Solution | None) -> None: ...

    def ended(self, solution: Solution) -> None: ...
