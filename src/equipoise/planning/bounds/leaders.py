"""What leaders can at best reach wherever replicas come to stand: a flow over brokers alone.

A partition keeps its leader or gives it up for any broker that may lead. That forgets where its
replicas are, so the bound holds for every placement; a plan that meets it is best over placements
and orders together.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from equipoise.cluster.proofs import NetworkName
from equipoise.planning.basis.certificate import ProvedLevel
from equipoise.planning.flow.convex import narrow, solve
from equipoise.planning.flow.network import Int64, Network, Objective
from equipoise.planning.goals import BROKER_LEADER
from equipoise.planning.goals.elections import Elections
from equipoise.planning.problem.problem import Problem


@dataclass(frozen=True, eq=False)
class FreeLeaders:
    """Nodes: sink, racks, brokers, hub. Arcs: rack → sink, broker → rack, broker → hub, hub → broker."""

    problem: Problem
    network: Network
    n_racks: int
    n_brokers: int
    base: Int64
    total: int
    forced: int

    @property
    def n_arcs(self) -> int:
        return len(self.network.tail)

    @property
    def gives(self) -> slice:
        """The arcs on which brokers give leaders away."""
        return slice(self.n_racks + self.n_brokers, self.n_racks + 2 * self.n_brokers)

    def objective(self, goal: str) -> Objective:
        """What a goal costs on this network."""
        return BROKER_LEADER[goal].on_brokers(self)


def free_leaders(problem: Problem) -> FreeLeaders:
    """The network of a problem."""
    n, n_racks = problem.cluster.n_brokers, problem.n_racks
    rows = np.flatnonzero(problem.movable)
    before = problem.cluster.replicas[rows, 0]
    # Who may not lead on needs a new leader in any plan: it starts
    # at the hub, and its election is no arc's but the offset's.
    keeps = (before >= 0) & problem.leads[np.maximum(before, 0)]
    led = np.bincount(before[keeps], minlength=n).astype(np.int64)
    fixed = problem.cluster.replicas[~problem.movable, 0]
    base = np.bincount(fixed[fixed >= 0], minlength=n).astype(np.int64)
    supply = np.zeros(1 + n_racks + n + 1, dtype=np.int64)
    supply[1 + n_racks : 1 + n_racks + n] = led
    # A new leader comes from the hub whoever gave it up, so one node stands for all that change, and the
    # network is as small as the brokers are few.
    supply[-1] = len(rows) - led.sum()
    supply[0] = -len(rows)
    racks, brokers = 1 + np.arange(n_racks), 1 + n_racks + np.arange(n)
    hub = np.full(n, 1 + n_racks + n)
    everything = np.full(n, len(rows), dtype=np.int64)
    network = Network(
        supply,
        np.concatenate([racks, brokers, brokers, hub]).astype(np.int32),
        np.concatenate([np.zeros(n_racks, dtype=np.int64), 1 + problem.rack_idx, hub, brokers]).astype(
            np.int32
        ),
        np.zeros(n_racks + 3 * n, dtype=np.int64),
        np.concatenate(
            [np.full(n_racks, len(rows)), everything, led, np.where(problem.leads, everything, 0)]
        ),
        problem.params,
    )
    total = int(base[problem.leads].sum()) + len(rows)
    return FreeLeaders(problem, network, n_racks, n, base, total, int(((before >= 0) & ~keeps).sum()))


def leader_bounds(problem: Problem, reached: Mapping[str, int]) -> tuple[list[ProvedLevel], Network]:
    """Bounds of the leader goals among those ``reached`` (in order, with the values of the plan).

    Each is solved on the face of those before, as far as the plan reached their bounds: what holds
    of plans that are best at a goal says nothing of one that is not. The face that is left comes with
    them: first the arcs of the racks' leaders (``n_racks``), then the brokers' (``n_brokers``), then more.
    """
    free = free_leaders(problem)
    network, levels = free.network, []
    for goal in (goal for goal in reached if goal in BROKER_LEADER):
        objective = free.objective(goal)
        best = solve(network, objective)
        levels.append(ProvedLevel(goal, best.value, NetworkName.LEADERS, best.potential))
        # Where the plan is above the bound the face would leave it out, and bounds after it would hold of
        # plans that nobody has.
        if reached[goal] == best.value:
            network = narrow(network, objective, best.potential)
    return levels, network


def leaders_given(problem: Problem, reached: Mapping[str, int]) -> Int64:
    """How many leaders each broker gives up, ``(n_brokers,)``, where elections are fewest in any placement.

    ``reached``: the goals in front of the elections, with the values of the plan.
    """
    network, free = leader_bounds(problem, reached)[1], free_leaders(problem)
    return solve(network, free.objective(Elections.name)).flow[free.gives]
