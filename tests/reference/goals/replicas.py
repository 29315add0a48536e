"""``replicas``: squared distance of each broker's replicas from its band."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from tests.reference.counting import Lists, bands, sides, squared, weights_of
from tests.reference.goals.interface import Goal
from tests.reference.program import Sum

from equipoise.planning import Problem

if TYPE_CHECKING:
    from tests.reference.exact import Model


class Replicas(Goal):
    name = "replicas"

    def value(self, problem: Problem, lists: Lists) -> int:
        counts = Counter(b for held in lists for b in held)
        weight = weights_of(problem, problem.eligible)
        band = bands(sum(counts[b] for b in weight), weight, sides(problem, "count"))
        return squared(counts, band, len(problem.eligible))

    def objective(self, model: Model) -> Sum:
        within = sides(model.problem, "count")
        return model.level_rows(model.stands, model.rf, model.problem.eligible, within)
