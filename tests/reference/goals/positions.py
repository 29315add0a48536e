"""``positions``: squared distance of each broker's replicas at each follower position."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from tests.reference.counting import Lists, bands, squared, weights_of
from tests.reference.goals.interface import Goal
from tests.reference.program import Sum, total

from equipoise.planning import Problem

if TYPE_CHECKING:
    from tests.reference.exact import Model


class Positions(Goal):
    name = "positions"

    def value(self, problem: Problem, lists: Lists) -> int:
        weight, apart = weights_of(problem, problem.eligible), 0
        for place in range(1, max(map(len, lists))):
            counts = Counter(held[place] for held in lists if len(held) > place)
            band = bands(sum(counts[b] for b in weight), weight)
            apart += squared(counts, band, len(problem.eligible))
        return apart

    def places(self, rf: int) -> int:
        return rf

    def objective(self, model: Model) -> Sum:
        parts = []
        for place in range(1, max(model.rf)):
            rows = [places[place] for places in model.at if len(places) > place]
            parts.append(model.level_rows(rows, [1 for _ in rows], model.problem.eligible))
        return total(parts)
