"""``failover``: squared distance of what each survivor leads after the loss of each broker from its band."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from tests.reference.counting import Band, Lists, bands, led, squared, weights_of
from tests.reference.goals.interface import Goal
from tests.reference.program import ZERO, Sum, total

from equipoise.planning import Problem

if TYPE_CHECKING:
    from tests.reference.exact import Model


class Failover(Goal):
    name = "failover"

    def value(self, problem: Problem, lists: Lists) -> int:
        counts, apart, n = led(lists), 0, len(problem.leads)
        n_led = sum(counts[b] for b in range(n) if problem.leads[b])
        for lost in range(n):
            after = Counter({b: c for b, c in counts.items() if b != lost})
            after.update(held[1] for held in lists if held[0] == lost and len(held) > 1)
            apart += squared(after, failover_band(problem, lost, n_led), n)
        return apart

    def places(self, rf: int) -> int:
        return min(2, rf)

    def objective(self, model: Model) -> Sum:
        leading = model.leading()
        counts, n_led = model.count(leading[0]), model.known_total(*leading, model.problem.leads)
        pairs = [first_followers_of(model, row) for row in model.rows]
        parts = []
        for lost in range(model.n):
            after = [
                ZERO if b == lost else counts[b] + total(pair[lost, b] for pair in pairs if (lost, b) in pair)
                for b in range(model.n)
            ]
            parts.append(model.level(after, failover_band(model.problem, lost, n_led)))
        return total(parts)


def failover_band(problem: Problem, lost: int, n_led: int) -> dict[int, Band]:
    """Bands of the survivors when ``lost`` is gone; empty where there is nothing to level."""
    weight = weights_of(problem, problem.leads)
    if weight.pop(lost, None) is None or not weight:
        return {}
    share = bands(n_led, weight)
    return {b: share.get(b, (0, 0)) for b in range(len(problem.leads)) if b != lost}


def first_followers_of(model: Model, row: int) -> dict[tuple[int, int], Sum]:
    """1 for the pair of a partition's leader and its first follower."""
    if len(model.at[row]) < 2:
        return {}
    first, second = model.at[row][:2]
    leaders = [b for b in range(model.n) if first[b] != ZERO]
    followers = [b for b in range(model.n) if second[b] != ZERO]
    possible = [(a, b) for a in leaders for b in followers if a != b]
    pair = {one: model.program.variable() for one in possible}
    for b in range(model.n):
        model.program.require(total(pair[one] for one in possible if one[0] == b) - first[b], 0, 0)
        model.program.require(total(pair[one] for one in possible if one[1] == b) - second[b], 0, 0)
    return pair
