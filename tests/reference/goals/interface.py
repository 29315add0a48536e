"""What the reference asks of a goal: its value, and the same as a sum to be minimised."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING

from tests.reference.counting import Lists
from tests.reference.program import Sum

from equipoise.planning import Problem

if TYPE_CHECKING:
    from tests.reference.exact import Model


class Goal(ABC):
    """One goal as docs/goals.md tells it; nothing of planner or judge is used."""

    @property
    @abstractmethod
    def name(self) -> str: ...

    @abstractmethod
    def value(self, problem: Problem, lists: Lists) -> int:
        """The value for replica lists of broker positions."""

    @abstractmethod
    def objective(self, model: Model) -> Sum:
        """A sum whose least value is the goal's."""

    def places(self, rf: int) -> int:
        """How many first places of a list with so many replicas it looks at."""
        return 1
