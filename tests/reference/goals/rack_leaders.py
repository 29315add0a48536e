"""``rack-leaders``: squared distance of each rack's preferred leaders from its band."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from typing import TYPE_CHECKING

from tests.reference.counting import Band, Lists, bands, led, squared, weights_of
from tests.reference.goals.interface import Goal
from tests.reference.program import Sum, total

from equipoise.planning import Problem

if TYPE_CHECKING:
    from tests.reference.exact import Model


class RackLeaders(Goal):
    name = "rack-leaders"

    def value(self, problem: Problem, lists: Lists) -> int:
        weight, counts = weights_of(problem, problem.leads), led(lists)
        by_rack: Counter[int] = Counter()
        for broker, count in counts.items():
            by_rack[int(problem.rack_idx[broker])] += count
        return squared(by_rack, rack_bands(problem, sum(counts[b] for b in weight)), problem.n_racks)

    def objective(self, model: Model) -> Sum:
        problem, leading = model.problem, model.leading()
        counts = model.count(leading[0])
        by_rack = [
            total(counts[b] for b in range(model.n) if problem.rack_idx[b] == rack)
            for rack in range(problem.n_racks)
        ]
        return model.level(by_rack, rack_bands(problem, model.known_total(*leading, problem.leads)))


def rack_bands(problem: Problem, n_led: int) -> dict[int, Band]:
    """Bands of the racks for so many leaders in all."""
    weight: dict[int, Fraction] = {}
    for broker, w in weights_of(problem, problem.leads).items():
        rack = int(problem.rack_idx[broker])
        weight[rack] = weight.get(rack, Fraction(0)) + w
    return bands(n_led, weight)
