"""Placement and leaders at once, where flows one after the other leave a gap at the elections.

Which replicas move decides who can lead what, and flows choose the moves before the leaders. On the
optimal face of the placement goals both are one linear program: the flow of every partition's replicas
on that face, and a leader for each partition among those that stand there in the end. Its relaxation is
nearly whole, so the 0-1 program on top of it ends at once, and its value bounds the elections of every
plan that is as good at the goals before.
"""

from __future__ import annotations

import logging
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from equipoise.planning.bounds import leader_bounds
from equipoise.planning.networks.handout import hand_out, lists_after
from equipoise.planning.networks.network import Int32, Int64, Network
from equipoise.planning.networks.place import Face

if TYPE_CHECKING:
    from scipy.optimize import LinearConstraint

LOG = logging.getLogger(__name__)
MAX_CANDIDATES = 12_000
"""Partitions times brokers that could lead them, up to which the program is tried: some seconds."""
MAX_NODES = 20
"""Of the search tree: where it is not whole almost at once, what was found is taken."""


@dataclass(frozen=True, eq=False)
class Joint:
    """Replica lists ``(n_partitions, max_rf)``, and a bound on the elections of every plan on the face."""

    lists: npt.NDArray[np.int32]
    bound: int


@dataclass(frozen=True, eq=False)
class Candidates:
    """Who could lead which row afterwards; all columns ``(n_candidates,)``."""

    row: Int64
    broker: Int64
    """Position in the cluster."""
    arc: Int64
    """Arc of the face whose flow decides whether it stands there, -1 where it does for certain."""
    arrives: npt.NDArray[np.bool_]
    """It stands there if the arc carries it, else if the arc does not."""


def fewest_elections(face: Face, reached: Mapping[str, int]) -> Joint | None:
    """The placement of the face with the fewest elections; every row is a unit of the face's network.

    ``reached``: the goals in front of the elections, each at its best value. None where the program is too
    large, or found nothing.
    """
    from scipy.optimize import Bounds, milp

    net, network, problem = face.net, face.network, face.net.material.problem
    who = candidates(face)
    if len(who.row) > MAX_CANDIDATES:
        return None
    LOG.info("placements and leaders at once: elections")
    free = np.flatnonzero(network.upper > network.lower)
    leader = problem.cluster.replicas[net.material.rows, 0][who.row]
    changes = ((leader != who.broker) & (leader >= 0)).astype(np.int64)
    # without presolve, which looks at the clock: a busy machine would find another of the best plans
    answer = milp(
        np.r_[np.zeros(len(free)), changes],
        integrality=np.ones(len(free) + len(changes)),
        bounds=Bounds(np.r_[network.lower[free], changes * 0], np.r_[network.upper[free], changes * 0 + 1]),
        constraints=constraints(face, who, free, leader_bounds(problem, reached)[1]),
        options={"node_limit": MAX_NODES, "presolve": False},
    )
    if answer.x is None:
        return None
    flow = network.lower.copy()
    flow[free] = np.round(answer.x[: len(free)])
    moves, failed = hand_out(net, flow)
    bound = math.ceil(answer.mip_dual_bound - 1e-6)  # rounding apart, elections are whole
    return None if len(failed) else Joint(lists_after(net.material, moves), bound)


def candidates(face: Face) -> Candidates:
    """Everyone who may lead and may stand there in the end, row by row."""
    net, network = face.net, face.network
    material, problem = net.material, net.material.problem
    n_eligible, n_rows = len(material.brokers), len(material.rows)
    leads = problem.leads[material.brokers]
    arc_of = np.full(n_rows * n_eligible, -1, dtype=np.int64)
    arc_of[net.leave.unit * n_eligible + net.leave.broker] = net.leave.index
    slot = np.flatnonzero((material.slot_broker >= 0) & leads[material.slot_broker])
    arc = arc_of[net.unit_of[material.slot_row[slot]] * n_eligible + material.slot_broker[slot]]
    stays = (arc < 0) | (network.lower[arc] == 0)
    slot, arc = slot[stays], np.where(network.upper[arc] > 0, arc, -1)[stays]
    row_of = np.empty(n_rows, dtype=np.int64)
    row_of[net.unit_of] = np.arange(n_rows)
    come = np.flatnonzero((network.upper[net.arrive.index] > 0) & leads[net.arrive.broker])
    return Candidates(
        row=np.r_[material.slot_row[slot], row_of[net.arrive.unit[come]]],
        broker=material.brokers[np.r_[material.slot_broker[slot], net.arrive.broker[come]]],
        arc=np.r_[arc, net.arrive.index[come]],
        arrives=np.r_[np.zeros(len(slot), dtype=bool), np.ones(len(come), dtype=bool)],
    )


def constraints(face: Face, who: Candidates, free: Int64, leaders: Network) -> LinearConstraint:
    """Flow is kept at every node; one leader a row, who stands there; leaders within their room.

    Columns are the ``free`` arcs of the face, then the candidates.
    """
    from scipy.optimize import LinearConstraint
    from scipy.sparse import csr_array, vstack

    network, problem = face.network, face.net.material.problem
    n_nodes, n_rows, n_brokers = len(network.supply), len(face.net.material.rows), problem.cluster.n_brokers
    column = np.full(len(network.tail), -1, dtype=np.int64)
    column[free] = np.arange(len(free))
    leads = len(free) + np.arange(len(who.row))

    def table(height: int, *entries: tuple[Int64 | Int32, Int64, int]) -> Any:
        row, at = (np.concatenate([entry[k] for entry in entries]) for k in (0, 1))
        value = np.concatenate([np.full(len(row), float(value)) for row, _, value in entries])
        return csr_array((value, (row, at)), shape=(height, len(free) + len(who.row)))

    still = np.where(network.upper > network.lower, 0, network.lower)
    supply = network.supply - np.bincount(network.tail, still, n_nodes)
    supply += np.bincount(network.head, still, n_nodes)
    kept = table(n_nodes, (network.tail[free], column[free], 1), (network.head[free], column[free], -1))
    one = table(n_rows, (who.row, leads, 1))
    some = np.flatnonzero(who.arc >= 0)
    some = some[column[who.arc[some]] >= 0]
    arc, come = column[who.arc[some]], who.arrives[some]
    nth = np.arange(len(some))
    # a candidate leads at most as often as its arc brings it, or does not take it away
    stands = table(len(some), (nth, leads[some], 1), (nth[come], arc[come], -1), (nth[~come], arc[~come], 1))
    of_rack = table(problem.n_racks, (problem.rack_idx[who.broker], leads, 1))
    of_broker = table(n_brokers, (who.broker, leads, 1))
    ones, first = np.ones(n_rows), problem.n_racks + n_brokers
    return LinearConstraint(
        vstack([kept, one, stands, of_rack, of_broker]),
        np.r_[supply, ones, np.full(len(some), -np.inf), leaders.lower[:first]],
        np.r_[supply, ones, np.where(come, 0, 1), leaders.upper[:first]],
    )
