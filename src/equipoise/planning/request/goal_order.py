"""The ordered goals of a request: those asked for, or a default order, and the costs that end every order."""

from __future__ import annotations

from equipoise.cluster import Cluster
from equipoise.planning.goals import (
    APPENDED_GOALS,
    DEFAULT_GOALS,
    GOALS,
    LEADER,
    PLACEMENT,
    REQUIRED_GOALS,
    is_known,
)
from equipoise.planning.goals.racks import Racks
from equipoise.planning.problem.request import Request


def ordered_goals(request: Request, cluster: Cluster, *, lowered: bool) -> tuple[str, ...]:
    """The goals asked for, then the costs that make a second run empty whatever the goals.

    Where a replication factor is ``lowered`` the racks come first, asked for or not: fewer replicas may be
    in one rack then, and where the rule holds it has to hold afterwards.
    """
    if request.goals is not None:
        asked = request.goals
    elif request.leaders_only:
        asked = tuple(goal for goal in DEFAULT_GOALS if goal in LEADER)
    elif request.required_only or only_replaces(request):
        asked = REQUIRED_GOALS
    else:
        asked = tuple(goal for goal in DEFAULT_GOALS if has_a_place(goal, cluster))
    if request.leaders_only:
        asked = tuple(goal for goal in asked if goal not in PLACEMENT)
        return (*asked, *(cost for cost in APPENDED_GOALS if cost not in asked and cost not in PLACEMENT))
    first = (Racks.name,) if lowered and Racks.name not in asked else ()
    return (*first, *asked, *(cost for cost in APPENDED_GOALS if cost not in asked))


def has_a_place(goal: str, cluster: Cluster) -> bool:
    """True where the default order has a goal on this cluster."""
    return is_known(cluster, goal) or not GOALS[goal].only_if_known


def only_replaces(request: Request) -> bool:
    """True where a one-for-one replacement is all that is asked: then nothing else moves."""
    return bool(request.replace) and not (
        request.brokers or request.add or request.drain or request.replication_factor or request.create
    )
