"""From a cluster and a request to a plan: the whole of planning in a few lines."""

from __future__ import annotations

from equipoise.cluster import Cluster, Level, Plan
from equipoise.planning.networks.orders import order
from equipoise.planning.networks.place import place
from equipoise.planning.problem import build_problem
from equipoise.planning.request import Request


def make_plan(cluster: Cluster, request: Request | None = None) -> Plan:
    """The best plan for ``request``, by its strategy.

    Raises `UnusableInput` for a request that makes no sense on this cluster and
    `ImpossibleRequest` where no assignment satisfies it.
    """
    problem = build_problem(cluster, request or Request())
    placement = place(problem, problem.goals)
    lists, order_levels = order(problem, placement.lists, problem.goals)
    levels = {level.goal: level for level in (*placement.levels, *order_levels)}
    certificate = tuple(
        Level(goal, levels[goal].value, levels[goal].value, "flow-dual") for goal in problem.goals if goal in levels
    )
    return Plan(problem.cluster, lists, problem.eligible, certificate=certificate,
                request=problem.request.to_json(), warnings=problem.warnings, why={})
