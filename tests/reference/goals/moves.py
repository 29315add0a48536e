"""``moves``: data moves (a partition that is created moves nothing)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.reference.counting import Lists, moved
from tests.reference.goals.interface import Goal
from tests.reference.program import Sum, total

from equipoise.planning import Problem

if TYPE_CHECKING:
    from tests.reference.exact import Model


class Moves(Goal):
    name = "moves"

    def value(self, problem: Problem, lists: Lists) -> int:
        return sum(moved(problem, lists, row) for row in range(len(lists)))

    def objective(self, model: Model) -> Sum:
        return total(model.moves(row) for row in model.rows)
