"""``leaders``: squared distance of each broker's preferred leaders from its band."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.reference.counting import Lists, bands, led, sides, squared, weights_of
from tests.reference.goals.interface import Goal
from tests.reference.program import Sum

from equipoise.planning import Problem

if TYPE_CHECKING:
    from tests.reference.exact import Model


class Leaders(Goal):
    name = "leaders"

    def value(self, problem: Problem, lists: Lists) -> int:
        weight, counts = weights_of(problem, problem.leads), led(lists)
        band = bands(sum(counts[b] for b in weight), weight, sides(problem, "leaders"))
        return squared(counts, band, len(problem.leads))

    def objective(self, model: Model) -> Sum:
        within = sides(model.problem, "leaders")
        return model.level_rows(*model.leading(), model.problem.leads, within)
