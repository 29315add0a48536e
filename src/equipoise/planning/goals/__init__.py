"""The goals, each a module of its own, and every list of them.

The order of the registry is that of the docs and of ``--help``; the default order of a plan is that of its
default goals. Whoever adds a goal adds a module and one line here; docs/extending.md shows it.
"""

from __future__ import annotations

from collections.abc import Mapping

from equipoise.cluster import Cluster
from equipoise.cluster.brokers import IntArray
from equipoise.planning.basis.registry import registered
from equipoise.planning.goals.bytes import Bytes
from equipoise.planning.goals.consumers import Consumers
from equipoise.planning.goals.cross_zone import CrossZone
from equipoise.planning.goals.elections import Elections
from equipoise.planning.goals.failover import Failover
from equipoise.planning.goals.interface import (
    BrokerLeaderGoal,
    FollowerGoal,
    Goal,
    LeaderGoal,
    OrderGoal,
    PlacementGoal,
)
from equipoise.planning.goals.leaders import Leaders
from equipoise.planning.goals.moves import Moves
from equipoise.planning.goals.positions import Positions
from equipoise.planning.goals.rack_leaders import RackLeaders
from equipoise.planning.goals.rack_replicas import RackReplicas
from equipoise.planning.goals.racks import Racks
from equipoise.planning.goals.reorders import Reorders
from equipoise.planning.goals.replicas import Replicas
from equipoise.planning.goals.topic_leaders import TopicLeaders
from equipoise.planning.goals.topics import Topics
from equipoise.planning.problem.problem import OF_LEADERS, Problem
from equipoise.planning.problem.request import COUNTS

GOALS: Mapping[str, Goal] = registered(
    Racks(), Replicas(), Moves(), Bytes(), Topics(), Leaders(), Elections(), TopicLeaders(),
    Failover(), Reorders(), Positions(), RackLeaders(), RackReplicas(),
    CrossZone(), Consumers(),
)  # fmt: skip
PLACEMENT = {name: goal for name, goal in GOALS.items() if isinstance(goal, PlacementGoal)}
ORDER = {name: goal for name, goal in GOALS.items() if isinstance(goal, OrderGoal)}
LEADER = {name: goal for name, goal in GOALS.items() if isinstance(goal, LeaderGoal)}
BROKER_LEADER = {name: goal for name, goal in GOALS.items() if isinstance(goal, BrokerLeaderGoal)}
FOLLOWER = {name: goal for name, goal in GOALS.items() if isinstance(goal, FollowerGoal)}

ALL_GOALS = tuple(GOALS)
DEFAULT_GOALS = tuple(name for name, goal in GOALS.items() if goal.default)
IF_KNOWN = tuple(name for name in DEFAULT_GOALS if GOALS[name].only_if_known)
REQUIRED_GOALS = tuple(name for name, goal in GOALS.items() if goal.required)
APPENDED_GOALS = tuple(name for name, goal in GOALS.items() if goal.appended)
TIE_BREAKS = tuple(name for name, goal in GOALS.items() if goal.tie_break)


def goals_before(goals: tuple[str, ...], goal: str) -> tuple[str, ...]:
    """The goals in front of one, all where it is not among them."""
    return goals[: goals.index(goal)] if goal in goals else goals


def weighs(problem: Problem) -> bool:
    """True where loads are levelled rather than counts."""
    request = problem.request
    if request.mix == COUNTS or request.strategy != "flow":
        return False
    by_leaders = problem.stays and not OF_LEADERS.isdisjoint(request.mix)
    return Replicas.name in problem.goals or by_leaders


def is_known(cluster: Cluster, goal: str) -> bool:
    """True where the sources tell what a goal is counted from; loads are known wherever they are goals."""
    return goal not in GOALS or GOALS[goal].is_known(cluster)


def levels(goal: str) -> bool:
    """True for a goal that makes something level, loads among them; False for one that counts."""
    return goal not in GOALS or GOALS[goal].nouns is None


def value_of(problem: Problem, lists: IntArray, goal: str) -> int:
    """The value of a goal for replica lists ``(n_partitions, max_rf)``."""
    return GOALS[goal].value(problem, lists)
