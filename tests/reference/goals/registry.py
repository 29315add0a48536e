"""All goals that the reference knows, by name."""

from __future__ import annotations

from collections.abc import Mapping

from tests.reference.goals.bytes import Bytes
from tests.reference.goals.consumers import Consumers
from tests.reference.goals.cross_zone import CrossZone
from tests.reference.goals.elections import Elections
from tests.reference.goals.failover import Failover
from tests.reference.goals.interface import Goal
from tests.reference.goals.leaders import Leaders
from tests.reference.goals.moves import Moves
from tests.reference.goals.positions import Positions
from tests.reference.goals.rack_leaders import RackLeaders
from tests.reference.goals.rack_replicas import RackReplicas
from tests.reference.goals.racks import Racks
from tests.reference.goals.reorders import Reorders
from tests.reference.goals.replicas import Replicas
from tests.reference.goals.topic_leaders import TopicLeaders
from tests.reference.goals.topics import Topics

EVERY: tuple[Goal, ...] = (
    Racks(), Replicas(), Moves(), Bytes(), Topics(), Leaders(), RackLeaders(), Elections(), TopicLeaders(),
    Failover(), Positions(), Reorders(), RackReplicas(),
    CrossZone(), Consumers(),
)  # fmt: skip
GOALS: Mapping[str, Goal] = {goal.name: goal for goal in EVERY}
