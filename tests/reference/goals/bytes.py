"""``bytes``: what data moves copy (a size that is not known counts 0)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.reference.counting import Lists, moved, size_of
from tests.reference.goals.interface import Goal
from tests.reference.program import Sum, total

from equipoise.planning import Problem

if TYPE_CHECKING:
    from tests.reference.exact import Model


class Bytes(Goal):
    name = "bytes"

    def value(self, problem: Problem, lists: Lists) -> int:
        return sum(size_of(problem, row) * moved(problem, lists, row) for row in range(len(lists)))

    def objective(self, model: Model) -> Sum:
        return total(size_of(model.problem, row) * model.moves(row) for row in model.rows)
