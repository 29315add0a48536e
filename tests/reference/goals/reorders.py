"""``reorders``: partitions with the same brokers in a new order."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.reference.counting import Lists, before_of
from tests.reference.goals.interface import Goal
from tests.reference.program import ONE, ZERO, Sum, total

from equipoise.planning import Problem

if TYPE_CHECKING:
    from tests.reference.exact import Model


class Reorders(Goal):
    name = "reorders"

    def value(self, problem: Problem, lists: Lists) -> int:
        pairs = list(zip(before_of(problem), lists, strict=True))
        return sum(before != list(held) and sorted(before) == sorted(held) for before, held in pairs)

    def objective(self, model: Model) -> Sum:
        return total(reorder(model, row) for row in model.rows if model.problem.movable[row])


def reorder(model: Model, row: int) -> Sum:
    """At least 1 where the brokers stay the same and one of the places looked at does not."""
    before = model.before[row]
    if model.rf[row] != len(before):
        return ZERO
    reordered = model.program.variable()
    gone = total(ONE - model.stands[row][b] for b in before)
    for place, brokers in enumerate(model.at[row]):
        model.program.require(reordered + gone + brokers[before[place]], low=1)
    return reordered
