"""Small random networks, and their exact answers from a program that shares nothing with the flow solver."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from hypothesis import strategies as st
from scipy.optimize import Bounds, LinearConstraint, milp

from equipoise.planning.flow.network import Int64, Network, Objective

TREND = (-3, 6)
"""Least and most cost of a unit on an arc."""


@dataclass(frozen=True, eq=False)
class Drawn:
    """A network with two objectives, the second for the optimal face of the first."""

    network: Network
    first: Objective
    second: Objective
    guess: Int64 | None


@st.composite
def networks(draw: st.DrawFn, *, most_room: int = 5, plain: bool = False) -> Drawn:
    """Two to five hubs; chains of up to three more nodes between them; arcs side by side, bands, bounds.

    Supplies are those of some flow, so that most networks are feasible; a few are put out of balance with
    what their arcs can carry. ``plain``: no arcs with bands, and none side by side.
    """
    hubs, n_nodes = draw(st.integers(2, 5)), 0
    n_nodes = hubs
    tail, head = [], []
    for _ in range(draw(st.integers(1, 7))):
        start, stop = draw(st.permutations(range(hubs)))[:2]
        inner = draw(st.sampled_from((1, 3) if plain else (0, 0, 1, 3)))
        chain = [start, *range(n_nodes, n_nodes + inner), stop]
        n_nodes += len(chain) - 2
        for a, b in pairwise(chain):
            turned = draw(st.booleans()) and len(chain) > 2
            for _ in range(1 if plain else draw(st.sampled_from((1, 1, 1, 2, 3)))):
                tail.append(b if turned else a)
                head.append(a if turned else b)
    n_arcs = len(tail)

    def whole(low: int, high: int) -> Int64:
        return np.array(draw(st.lists(st.integers(low, high), min_size=n_arcs, max_size=n_arcs)))

    lower = whole(0, 2) * whole(0, 1)
    upper = lower + whole(0, most_room)
    flow = lower + whole(0, most_room) % (upper - lower + 1)
    supply = np.bincount(tail, weights=flow, minlength=n_nodes) - np.bincount(
        head, weights=flow, minlength=n_nodes
    )
    if draw(st.sampled_from((False, False, False, True))):
        supply[0], supply[1] = supply[0] + 3, supply[1] - 3
    network = Network(
        supply.astype(np.int64),
        np.array(tail, dtype=np.int32),
        np.array(head, dtype=np.int32),
        lower.astype(np.int64),
        upper.astype(np.int64),
    )
    first, second = (
        Objective(
            linear=whole(*TREND).astype(np.int64),
            convex=convex,
            band_low=(low := whole(-1, most_room)[convex]),
            band_high=low + whole(0, 2)[convex],
            offset=draw(st.integers(-5, 5)),
        )
        for convex in (np.flatnonzero(whole(0, 0 if plain else 1)).astype(np.int32) for _ in range(2))
    )
    return Drawn(network, first, second, draw(st.sampled_from((None, flow.astype(np.int64)))))


def least(network: Network, *objectives: Objective) -> list[int] | None:
    """The least value of each objective with those before it held, None if there is no flow.

    A 0-1 program: every unit of flow on an arc is a variable with its own cost. Costs rise, so that units
    are taken in order.
    """
    room = network.upper - network.lower
    if (room < 0).any():
        return None
    arc = np.repeat(np.arange(len(room)), room)
    unit = np.arange(len(arc)) - np.repeat(np.cumsum(room) - room, room) + network.lower[arc]
    matrix = np.zeros((len(network.supply), len(arc)))
    np.add.at(matrix, (network.tail[arc], np.arange(len(arc))), 1)
    np.add.at(matrix, (network.head[arc], np.arange(len(arc))), -1)
    left = network.supply.astype(float)
    np.subtract.at(left, network.tail, network.lower)
    np.add.at(left, network.head, network.lower)
    if not len(arc):
        return [objective.value(network.lower) for objective in objectives] if not left.any() else None
    held = [LinearConstraint(matrix, left, left)]
    values = []
    for objective in objectives:
        cost = unit_costs(objective, arc, unit)
        found = milp(cost, integrality=np.ones(len(arc)), bounds=Bounds(0, 1), constraints=held)
        if found.x is None:
            return None
        best = round(float(cost @ np.round(found.x)))
        held.append(LinearConstraint(cost, -np.inf, best + 0.5))
        values.append(best + objective.value(network.lower))
    return values


def unit_costs(objective: Objective, arc: Int64, unit: Int64) -> np.ndarray:
    """Cost of raising the flow of each arc from ``unit`` to one more."""
    cost = objective.linear[arc].astype(float)
    for at, low, high in zip(objective.convex, objective.band_low, objective.band_high, strict=True):
        mine = arc == at
        cost[mine] += [apart(x + 1, low, high) ** 2 - apart(x, low, high) ** 2 for x in unit[mine].tolist()]
    return cost


def apart(x: int, low: int, high: int) -> int:
    return max(low - x, x - high, 0)


def is_flow(network: Network, flow: Int64) -> bool:
    """Within the bounds of the arcs, and what leaves a node beyond what enters it is its supply."""
    balance = np.zeros(len(network.supply), dtype=np.int64)
    np.add.at(balance, network.tail, flow)
    np.subtract.at(balance, network.head, flow)
    within = (network.lower <= flow) & (flow <= network.upper)
    return bool(within.all()) and np.array_equal(balance, network.supply)
