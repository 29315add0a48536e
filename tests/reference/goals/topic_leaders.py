"""``topic-leaders``: squared distance of each topic's leaders on each broker from its band."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.reference.counting import Lists, by_topic
from tests.reference.goals.interface import Goal
from tests.reference.program import Sum

from equipoise.planning import Problem

if TYPE_CHECKING:
    from tests.reference.exact import Model


class TopicLeaders(Goal):
    name = "topic-leaders"

    def value(self, problem: Problem, lists: Lists) -> int:
        return by_topic(problem, [held[:1] for held in lists], problem.leads)

    def objective(self, model: Model) -> Sum:
        return model.by_topic(*model.leading(), model.problem.leads)
