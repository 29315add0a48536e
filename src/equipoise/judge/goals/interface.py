"""What the judge asks of a goal. A part that a kind of goal lacks is an error when it is imported."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import NamedTuple

from equipoise.cluster.apart import Spread
from equipoise.cluster.proofs import NetworkName
from equipoise.judge.arc_costs import Cost
from equipoise.judge.counting import Counting
from equipoise.judge.relaxation import Arcs, Int64
from equipoise.judge.sheet import Sum
from equipoise.judge.views import JointView, LeaderView, Networks, OrderView, PlacementView, SumsView
from equipoise.judge.violations import Case

PARTS = 720_720 * 64
"""Of a unit, of which its halves to tenths are whole numbers."""


class Goal(ABC):
    """One number to be made as small as possible, and its part in the networks and programs of proofs.

    Costs raise ``ValueError`` on networks that tell nothing of the goal: a certificate may ask anything.
    """

    of_racks = False
    """Counts what racks hold: networks of replicas have nodes for them then."""
    of_sizes = False
    """Asks how large a replica is that leaves: networks of replicas have arcs for each size then."""

    spends_moves = False
    """A budget of moves is spent on it: a price on each move gives a bound of it then."""

    @property
    @abstractmethod
    def name(self) -> str:
        """As in ``--goals`` and in ``plan.json``."""

    @abstractmethod
    def value(self, case: Case) -> int:
        """What the plan of a case is worth to it, counted on the lists alone."""

    @abstractmethod
    def counted(self, program: Counting) -> Sum:
        """What it counts in the 0-1 program; columns and rows that this takes are added to it."""

    def is_known(self, case: Case) -> bool:
        """True where the sources tell all that the value is counted from."""
        return True

    def beside_loads(self, case: Case, before: Sequence[str]) -> int | None:
        """The least in plans that level the loads ``before`` it; None where the judge counts none."""
        return None

    def apart(self, spread: Spread) -> int | None:
        """How far brokers are apart at most in what it levels; None where that is not what it levels."""
        return None

    def positions(self, most_rf: int) -> int:
        """How many first positions of the lists it looks at, of at most ``most_rf``."""
        return 1

    def cost_of_copies(self, case: Case) -> Int64 | None:
        """``(n_partitions,)``: what each copy adds to the value; None where that is not all of it."""
        return None

    def keeps_places(self, case: Case, value: int) -> bool:
        """True where no plan with this value or less gives any replica another place."""
        return False

    def tighten(self, sums: SumsView, value: int) -> SumsView:
        """The sums, drawn in to what every plan with this value or less has."""
        return sums

    def on_placement(self, view: PlacementView) -> Cost:
        """What it costs where replicas stand."""
        raise ValueError(f"{self.name} is not a goal of placement")

    def on_leaders(self, view: LeaderView) -> Cost:
        """What it costs who leads, wherever replicas stand."""
        raise ValueError(f"{self.name} is not a goal of leaders")

    def on_orders(self, view: OrderView) -> Cost:
        """What it costs who leads where replicas stay."""
        raise ValueError(f"{self.name} is not a goal of leaders")

    def jointly(self, view: JointView, price: int) -> None:
        """Add what it costs on placement and leaders at once, ``price`` times."""
        raise ValueError(f"prices of {self.name}")

    def parts(self, case: Case) -> int:
        """Of such a part of its unit prices on placement and leaders at once are whole numbers."""
        return PARTS

    def jointly_kept(self, view: JointView, price: int, value: int) -> int:
        """The same where it is kept to a value; returns what that allows, at this price."""
        self.jointly(view, price)
        return price * value

    def own_bound(
        self, network: NetworkName, stored: Int64, before: Sequence[Reached], networks: Networks
    ) -> int:
        """The bound by prices that are made for this goal, in plans as good at the goals ``before`` it.

        Raises ``ValueError`` for a network of other goals, and for unusable prices.
        """
        raise ValueError(f"the network {network} is not of {self.name}")


class Reached(NamedTuple):
    """A goal, and the value that its level states."""

    goal: Goal
    value: int


class PlacementGoal(Goal):
    """Counts where replicas stand."""

    @abstractmethod
    def on_placement(self, view: PlacementView) -> Cost: ...

    def jointly(self, view: JointView, price: int) -> None:
        view.on_arcs.append((view.placement.cost(self.name), price))


class LeaderLevel(Goal):
    """Levels what leaders add up to by broker or by rack."""

    @abstractmethod
    def on_sums(self, case: Case, arcs: Arcs) -> Cost:
        """What it costs on arcs "rack" and "broker", which the networks of leaders and of orders have."""

    def on_leaders(self, view: LeaderView) -> Cost:
        return self.on_sums(view.case, view.arcs)

    def on_orders(self, view: OrderView) -> Cost:
        return self.on_sums(view.case, view.arcs)

    def jointly(self, view: JointView, price: int) -> None:
        # the first counts are the racks and the brokers, as the first arcs of that network
        view.on_counts.append((view.leaders.cost(self.name), price))


class OrderGoal(Goal):
    """Counts who leads which partition."""

    @abstractmethod
    def on_orders(self, view: OrderView) -> Cost: ...


class FollowerGoal(Goal):
    """Counts who stands behind the leader; no network of leaders tells of it."""

    @abstractmethod
    def positions(self, most_rf: int) -> int: ...
