"""``topics``: squared distance of each topic's replicas on each broker from its band."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.reference.counting import Lists, by_topic
from tests.reference.goals.interface import Goal
from tests.reference.program import Sum

from equipoise.planning import Problem

if TYPE_CHECKING:
    from tests.reference.exact import Model


class Topics(Goal):
    name = "topics"

    def value(self, problem: Problem, lists: Lists) -> int:
        return by_topic(problem, lists, problem.eligible)

    def objective(self, model: Model) -> Sum:
        return model.by_topic(model.stands, model.rf, model.problem.eligible)
