"""``consumers``: bytes a second that consumers in another rack than the preferred leader read."""

from __future__ import annotations

from fractions import Fraction
from math import ceil, isnan
from typing import TYPE_CHECKING

from tests.reference.counting import Lists
from tests.reference.goals.interface import Goal
from tests.reference.program import Sum, total

from equipoise.planning import Problem

if TYPE_CHECKING:
    from tests.reference.exact import Model


class Consumers(Goal):
    name = "consumers"

    def value(self, problem: Problem, lists: Lists) -> int:
        return sum(read_afar(problem, row, held[0]) for row, held in enumerate(lists) if held)

    def objective(self, model: Model) -> Sum:
        return total(
            read_afar(model.problem, row, b) * places[0][b]
            for row, places in enumerate(model.at)
            if places
            for b in range(model.n)
        )


def read_afar(problem: Problem, row: int, leader: int) -> int:
    """What a leader sends to other racks than its own."""
    cluster, request = problem.cluster, problem.request
    rate, inward = float(cluster.bytes_out_per_s[row]), float(cluster.bytes_in_per_s[row])
    if isnan(rate):
        rate = inward * (request.consumption or 0)
    topic = cluster.topics[cluster.topic_idx[row]]
    own = [told for told in request.consumers_in if told[0] == topic]
    told = own or [told for told in request.consumers_in if not told[0]]
    rack = cluster.brokers.racks[leader]
    if isnan(rate) or not told or rack is None:
        return 0
    near = sum((Fraction(str(part)) for _, where, part in told if where == rack), Fraction(0))
    return ceil(ceil(rate) * (1 - near))
