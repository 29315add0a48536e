"""What a goal is shown of a network when it is asked what it costs there."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np

from equipoise.cluster.proofs import NetworkName
from equipoise.judge.arc_costs import Cost
from equipoise.judge.duality import FlowProblem
from equipoise.judge.order_choices import Choices
from equipoise.judge.placement_layout import Layout
from equipoise.judge.relaxation import Arcs, Int64, Relaxation
from equipoise.judge.violations import Case


@dataclass(frozen=True, eq=False)
class PlacementView:
    """Where replicas stand; arcs "sink", "rack", "cell", "leave", "leave-leaders", "arrive" and more."""

    layout: Layout
    arcs: Arcs
    excess: int
    """Replicas above the rack limit that stand there now."""
    copied: Cost | None
    """What plans copy; None where arcs on which replicas leave are not of one size each."""


@dataclass(frozen=True, eq=False)
class LeaderView:
    """Who leads, wherever replicas stand; arcs "rack", "broker", "give" and "take"."""

    case: Case
    arcs: Arcs
    forced: int
    """Partitions whose leader may not lead on."""


@dataclass(frozen=True, eq=False)
class OrderView:
    """Who leads where replicas stay; arcs "rack", "broker", "cell", "release", "choose" and "change"."""

    choices: Choices
    arcs: Arcs
    cells: Int64
    """Key ``topic * n_brokers + broker`` of each cell that has a node, ascending."""

    @property
    def case(self) -> Case:
        return self.choices.case


@dataclass(eq=False)
class JointView:
    """Placement and leaders at once: what goals cost is collected here, each as often as its price says."""

    case: Case
    placement: Relaxation
    leaders: Relaxation
    on_arcs: list[tuple[Cost, int]] = field(default_factory=list)
    """On arcs of the placement network."""
    on_counts: list[tuple[Cost, int]] = field(default_factory=list)
    """On counts of leaders: of racks, of brokers, of each topic on each broker."""
    change: int = 0
    """Of each leader that changes."""
    leading: Int64 | None = None
    """``(n_rows, n_brokers)``: of each leader, whoever led before; None where none costs anything."""

    def add_leading(self, cost: Int64, price: int, parts: int = 1) -> None:
        """Costs of leaders, ``(n_rows, n_brokers)``, so often, in ``parts``, each rounded down."""
        # as Python's integers: 64 bits need not hold the products
        paid = np.array([price * each // parts for each in cost.ravel().tolist()], dtype=np.int64)
        self.leading = paid.reshape(cost.shape) + (0 if self.leading is None else self.leading)


@dataclass(frozen=True, eq=False)
class SumsView:
    """Between what every plan that is as good at the goals before has of each broker, ``(n_brokers,)``.

    Of partitions that may change alone.
    """

    case: Case
    fewest_leaders: Int64
    most_leaders: Int64
    fewest_places: Int64
    """Leaders and first followers together."""
    most_places: Int64
    mended: bool = False
    """No partition has more replicas in a rack than the limit."""


class Networks(Protocol):
    """The networks of a certificate, each with what the levels before have left of it."""

    case: Case
    proofs: Mapping[str, np.ndarray]

    def on_face(self, name: NetworkName) -> tuple[Relaxation, FlowProblem]:
        """The network of that name's family, and its face."""
        ...
