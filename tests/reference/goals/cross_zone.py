"""``cross-zone``: data moves to another rack than that of the leader they are copied from."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.reference.counting import Lists, before_of
from tests.reference.goals.interface import Goal
from tests.reference.program import Sum, total

from equipoise.planning import Problem

if TYPE_CHECKING:
    from tests.reference.exact import Model


class CrossZone(Goal):
    name = "cross-zone"

    def value(self, problem: Problem, lists: Lists) -> int:
        before = before_of(problem)
        return sum(
            broker not in before[row] and crosses(problem, before[row], row, broker)
            for row, held in enumerate(lists)
            for broker in held
        )

    def objective(self, model: Model) -> Sum:
        return total(
            model.stands[row][b]
            for row in model.rows
            for b in range(model.n)
            if b not in model.before[row] and crosses(model.problem, model.before[row], row, b)
        )


def crosses(problem: Problem, before: list[int], row: int, broker: int) -> bool:
    """Whether a copy to a broker comes from another rack; a partition without a list has nothing to copy."""
    if not before:
        return False
    leader = int(problem.cluster.leader[row])
    ends = {problem.cluster.brokers.racks[b] for b in (broker, leader if leader >= 0 else before[0])}
    return None not in ends and len(ends) == 2
