"""``racks``: replicas above the rack limit, summed over partitions and racks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.reference import racks
from tests.reference.counting import Lists
from tests.reference.goals.interface import Goal
from tests.reference.program import Sum, total

from equipoise.planning import Problem

if TYPE_CHECKING:
    from tests.reference.exact import Model


class Racks(Goal):
    name = "racks"

    def value(self, problem: Problem, lists: Lists) -> int:
        rows = [row for row in range(len(lists)) if problem.movable[row]]
        return sum(racks.excess(problem, lists[row], int(problem.rf[row])) for row in rows)

    def objective(self, model: Model) -> Sum:
        return total(model.excess(row) for row in model.rows if model.problem.movable[row])
