"""What a goal is: one unit that knows its value and all that the planner's methods ask of it.

A goal is a module of this room with one instance in the registry (`equipoise.planning.goals`). Its kind says
which parts it must have; a part that is missing is an error when the package is imported, since the class is
abstract then and the registry cannot make its instance.

Kinds, by what decides the goal:

- `PlacementGoal`: where replicas stand;
- `LeaderGoal`: who leads; `BrokerLeaderGoal` where it counts by broker or rack alone, so that a bound over
  all placements is a flow of brokers;
- `OrderGoal`: the order of lists beyond that;
- `FollowerGoal`: who stands at the positions behind the leader.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from enum import StrEnum
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from equipoise.cluster import Cluster
from equipoise.cluster.apart import Spread
from equipoise.cluster.brokers import IntArray
from equipoise.planning.flow.network import Int64, Objective
from equipoise.planning.problem.problem import Problem

if TYPE_CHECKING:
    from equipoise.planning.bounds.leaders import FreeLeaders
    from equipoise.planning.networks.placement import PlacementNetwork
    from equipoise.planning.programs.model import Model
    from equipoise.planning.programs.rows import Sum


class Counted(StrEnum):
    """What a goal counts on a network of roles, where one replica of each partition has a part to play."""

    NODES = "nodes"
    """Partitions of each node: of a broker that leads, or of a pair of leader and follower."""
    GROUPS = "groups"
    """Partitions of each group of nodes: of a rack."""
    CHANGES = "changes"
    """Partitions whose part is played by another replica than before."""
    CELLS = "cells"
    """Partitions of each topic on each node."""
    REORDERS = "reorders"
    """Partitions whose list changes its order alone."""
    LEADING = "leading"
    """What the leader of each partition costs, whoever led it before."""

    @property
    def needs_items(self) -> bool:
        """True where counts of nodes do not tell it: which partition changes matters."""
        return self in (Counted.CELLS, Counted.REORDERS, Counted.LEADING)


class Goal(ABC):
    """One objective, a whole number to be made as small as possible."""

    name: ClassVar[str]
    """As in ``--goals`` and in the certificate."""
    title: ClassVar[str]
    """Two or three words for a table."""
    meaning: ClassVar[str]
    """What the value counts, for the docs' table and for reports."""
    default: ClassVar[bool] = False
    """True where the goal is in the order that a plan has without ``--goals``."""
    required: ClassVar[bool] = False
    """True where the goal is in the order of ``--required-only``."""
    appended: ClassVar[bool] = False
    """True for costs that come last in every order that lacks them: then a second run changes nothing."""
    tie_break: ClassVar[bool] = False
    """True where it only chooses between plans that are otherwise as good: no headline speaks of it, unless
    it was asked for by name."""
    only_if_known: ClassVar[bool] = False
    """True where the default order has it only if `is_known` says so."""
    in_bytes: ClassVar[bool] = False
    """True where the value is one of bytes, shown as sizes are."""
    nouns: ClassVar[tuple[str, str] | None] = None
    """What it counts, one and several, for a headline that says how many more there may be than needed; None
    where it levels something."""
    load: ClassVar[str] = ""
    """The load of ``--balance`` that it levels by count, "" for none."""
    changes: ClassVar[int] = 0
    """What it costs that the leader of a partition changes."""
    of_pairs: ClassVar[bool] = False
    """True where it counts pairs of leader and first follower, so that programs need columns for them."""

    def is_known(self, cluster: Cluster) -> bool:
        """True where the sources tell what the value is counted from; else nothing is claimed of it."""
        return True

    def untold(self, cluster: Cluster) -> str:
        """What is known of some partitions alone, and how the others count, in a sentence; "" for nothing."""
        return ""

    def apart(self, spread: Spread) -> int | None:
        """How far brokers are apart at most in what it levels; None where that is not what it levels."""
        return None

    def depth(self, most_rf: int) -> int:
        """How many first positions of the lists it looks at, of at most ``most_rf``."""
        return 1

    def keeps_places(self, problem: Problem, lists: IntArray) -> bool:
        """True where plans as good as these lists leave all replicas where they are."""
        return False

    @abstractmethod
    def value(self, problem: Problem, lists: IntArray) -> int:
        """The value of replica lists, ``(n_partitions, max_rf)`` broker positions."""

    @abstractmethod
    def rows(self, model: Model) -> Sum:
        """The value as a sum of columns of a small cluster's program; adds the rows that define it."""


class PlacementGoal(Goal):
    """A goal of where replicas stand, whatever their order."""

    of_racks: ClassVar[bool] = False
    """True where it counts what racks hold, so that networks need arcs for that."""
    of_topics: ClassVar[bool] = False
    """True where it counts each topic by itself, so that networks need those apart."""
    of_sizes: ClassVar[bool] = False
    """True where it asks how large a replica is that leaves, so that networks need arcs for each size."""
    of_sources: ClassVar[bool] = False
    """True where it asks from which rack a replica is copied, so that units keep those apart."""

    @abstractmethod
    def on_placement(self, net: PlacementNetwork) -> Objective:
        """What it costs on a network of replicas."""


class OrderGoal(Goal):
    """A goal of the lists' order that the choice of the leader decides."""

    counted: ClassVar[Counted]
    """What it counts on the network of who leads."""


class LeaderGoal(OrderGoal):
    """A goal of who leads; other placements may serve it better."""

    def leading(self, problem: Problem, rows: Int64, brokers: IntArray | Int64) -> Int64 | None:
        """What it costs that some partitions are led by some brokers, ``(n,)`` each; None for nothing."""
        return None

    def on_counts(self, free: FreeLeaders, n_counts: int) -> Objective:
        """What it costs on counts of leaders: of racks, of brokers, of topics on brokers, ``(n_counts,)``."""
        return Objective.of_linear(np.zeros(n_counts, dtype=np.int64))


class BrokerLeaderGoal(LeaderGoal):
    """A goal of who leads that knows brokers and racks alone."""

    @abstractmethod
    def on_brokers(self, free: FreeLeaders) -> Objective:
        """What it costs on the network of brokers alone, which forgets where replicas stand."""

    def on_counts(self, free: FreeLeaders, n_counts: int) -> Objective:
        # That network's first arcs are the racks and the brokers, numbered as the counts are.
        led = self.on_brokers(free)
        return Objective.of_bands(n_counts, led.convex, led.band_low, led.band_high)


class FollowerGoal(Goal):
    """A goal of who stands behind the leader, chosen one position after the other."""

    @abstractmethod
    def depth(self, most_rf: int) -> int: ...

    @abstractmethod
    def positions(self, problem: Problem) -> range:
        """The positions of the lists that it decides."""

    @abstractmethod
    def base(self, problem: Problem, lists: IntArray, position: int) -> Int64:
        """What each broker, or pair, has at a position for good, ``(n_nodes,)``."""

    @abstractmethod
    def bands(self, problem: Problem, lists: IntArray, position: int) -> tuple[Int64, Int64]:
        """Low and high of each broker, or pair, ``(n_nodes,)``."""
