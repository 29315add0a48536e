"""``elections``: partitions whose preferred leader changes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.reference.counting import Lists, before_of
from tests.reference.goals.interface import Goal
from tests.reference.program import ONE, Sum, total

from equipoise.planning import Problem

if TYPE_CHECKING:
    from tests.reference.exact import Model


class Elections(Goal):
    name = "elections"

    def value(self, problem: Problem, lists: Lists) -> int:
        pairs = zip(before_of(problem), lists, strict=True)
        return sum(bool(before) and before[0] != held[0] for before, held in pairs)

    def objective(self, model: Model) -> Sum:
        return total(ONE - model.at[row][0][before[0]] for row, before in enumerate(model.before) if before)
