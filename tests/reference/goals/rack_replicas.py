"""``rack-replicas``: squared distance of each rack's replicas from its band."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from typing import TYPE_CHECKING

from tests.reference.counting import Band, Lists, bands, squared, weights_of
from tests.reference.goals.interface import Goal
from tests.reference.program import Sum, total

from equipoise.planning import Problem

if TYPE_CHECKING:
    from tests.reference.exact import Model


class RackReplicas(Goal):
    name = "rack-replicas"

    def value(self, problem: Problem, lists: Lists) -> int:
        by_rack = Counter(int(problem.rack_idx[b]) for held in lists for b in held)
        on_eligible = sum(bool(problem.eligible[b]) for held in lists for b in held)
        return squared(by_rack, rack_bands(problem, on_eligible), problem.n_racks)

    def objective(self, model: Model) -> Sum:
        problem = model.problem
        counts = model.count(model.stands)
        by_rack = [
            total(counts[b] for b in range(model.n) if problem.rack_idx[b] == rack)
            for rack in range(problem.n_racks)
        ]
        whole = model.known_total(model.stands, model.rf, problem.eligible)
        return model.level(by_rack, rack_bands(problem, whole))


def rack_bands(problem: Problem, n_replicas: int) -> dict[int, Band]:
    """Bands of the racks for so many replicas in all."""
    weight: dict[int, Fraction] = {}
    for broker, w in weights_of(problem, problem.eligible).items():
        rack = int(problem.rack_idx[broker])
        weight[rack] = weight.get(rack, Fraction(0)) + w
    return bands(n_replicas, weight)
