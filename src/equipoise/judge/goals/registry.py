"""All goals that the judge knows; every list of them is made from this one."""

from __future__ import annotations

from collections.abc import Mapping

from equipoise.cluster import Level
from equipoise.judge.goals.bytes import Bytes
from equipoise.judge.goals.consumers import Consumers
from equipoise.judge.goals.cross_zone import CrossZone
from equipoise.judge.goals.elections import Elections
from equipoise.judge.goals.failover import Failover
from equipoise.judge.goals.interface import Goal
from equipoise.judge.goals.leaders import Leaders
from equipoise.judge.goals.moves import Moves
from equipoise.judge.goals.positions import Positions
from equipoise.judge.goals.rack_leaders import RackLeaders
from equipoise.judge.goals.rack_replicas import RackReplicas
from equipoise.judge.goals.racks import Racks
from equipoise.judge.goals.reorders import Reorders
from equipoise.judge.goals.replicas import Replicas
from equipoise.judge.goals.topic_leaders import TopicLeaders
from equipoise.judge.goals.topics import Topics
from equipoise.judge.violations import Case

EVERY: tuple[Goal, ...] = (
    Racks(), Replicas(), Moves(), Bytes(), Topics(), Leaders(), RackLeaders(), Elections(), TopicLeaders(),
    Failover(), Positions(), Reorders(), RackReplicas(),
    CrossZone(), Consumers(),
)  # fmt: skip
"""In the order of the default list, the others beside those that they are like."""


def registered(*goals: Goal) -> Mapping[str, Goal]:
    """Goals by name; raises ``TypeError`` where two have the same."""
    found = {goal.name: goal for goal in goals}
    for goal in goals:
        if found[goal.name] is not goal:
            raise TypeError(f"two goals are called {goal.name}")
    return found


GOALS = registered(*EVERY)


def goal_of(name: str) -> Goal:
    """The goal of that name; raises ``ValueError`` where the judge knows none."""
    if name not in GOALS:
        raise ValueError(f"no value of {name} is counted here")
    return GOALS[name]


def counted(level: Level, case: Case) -> int:
    """What a level states, or where it states nothing the value of its goal, which holds all the same."""
    return goal_of(level.goal).value(case) if level.value is None else int(level.value)
