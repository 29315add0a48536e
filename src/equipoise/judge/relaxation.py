"""The networks behind a certificate, rebuilt from the plan's state: only potentials are taken on trust.

A bound holds for whatever network it was computed on; that this network is a relaxation of the
problem at hand must not be believed of the planner. So it is built here once more, from the cluster
and the rules alone. What must agree with the planner is how nodes are numbered, since potentials
belong to nodes.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
import numpy.typing as npt

from equipoise.judge.arc_costs import Cost
from equipoise.judge.duality import FlowProblem, conserved

Int64 = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Relaxation:
    """A network with the costs that goals have on it."""

    network: FlowProblem
    """With no costs yet."""
    cost: Callable[[str], Cost]
    """By the goal's name; raises ``ValueError`` for one of which the network tells nothing."""
    lifted: Callable[[str, Int64, FlowProblem], Int64]
    """Potentials stored for a network of that name, given the face, as potentials of this network.

    Raises ``ValueError`` where they do not fit."""
    implied: tuple[tuple[Int64, Literal["tail", "head"]], ...] = ()
    """Arcs whose bounds follow from the other arcs at one of their ends, in the order to draw them."""
    moved: Cost | None = None
    """What ``--max-moves`` counts, in a network of where replicas stand."""

    @property
    def start(self) -> FlowProblem:
        """The network before any level."""
        return self.tightened(self.network)

    def tightened(self, face: FlowProblem) -> FlowProblem:
        """A face with the implied bounds drawn."""
        for arcs, end in self.implied:
            face = conserved(face, arcs, end)
        return face

    def problem(self, goal: str, face: FlowProblem) -> FlowProblem:
        """The goal's problem with the arcs' bounds of ``face``."""
        linear, convex, low, high, offset = self.cost(goal)
        return FlowProblem(
            self.network.supply, self.network.tail, self.network.head, face.lower, face.upper,
            linear, convex.astype(np.int32), low, high, offset,
        )  # fmt: skip


@dataclass
class Arcs:
    """Arcs as they are listed, kind by kind."""

    tail: list[Int64] = field(default_factory=list)
    head: list[Int64] = field(default_factory=list)
    lower: list[Int64] = field(default_factory=list)
    upper: list[Int64] = field(default_factory=list)
    kinds: dict[str, Int64] = field(default_factory=dict)
    """Indices of the arcs of each kind."""
    n: int = 0

    def add(self, kind: str, tail: Int64, head: Int64, upper: Int64, lower: Int64 | None = None) -> None:
        """List arcs; all columns have the same length."""
        self.kinds[kind] = np.arange(self.n, self.n + len(tail))
        self.n += len(tail)
        self.tail.append(tail)
        self.head.append(head)
        self.upper.append(upper)
        self.lower.append(np.zeros(len(tail), dtype=np.int64) if lower is None else lower)

    def network(self, supply: Int64) -> FlowProblem:
        """The arcs with the supplies of their nodes, and no costs."""
        none = np.zeros(0, dtype=np.int64)
        return FlowProblem(
            supply, np.concatenate(self.tail).astype(np.int32), np.concatenate(self.head).astype(np.int32),
            np.concatenate(self.lower).astype(np.int64), np.concatenate(self.upper).astype(np.int64),
            np.zeros(self.n, dtype=np.int64), none.astype(np.int32), none, none,
        )  # fmt: skip


def one_each(potential: Int64, n_nodes: int) -> Int64:
    """The potentials; raises ``ValueError`` unless there is one for each node."""
    if potential.shape != (n_nodes,):
        raise ValueError(f"potentials of shape {potential.shape}, not ({n_nodes},)")
    return potential
