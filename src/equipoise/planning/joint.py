"""Placement and leaders at once, where flows one after the other leave a gap at the elections.

Which replicas move decides who can lead what, and flows choose the moves before the leaders. On the
optimal face of the placement goals both are one linear program: the flow of every partition's replicas
on that face, and a leader for each partition among those that stand there in the end. Its optimum is
nearly whole, so little is left for a 0-1 program to settle; and its multipliers prove a bound on the
elections of every plan that is as good at the goals before (Lagrangian relaxation: A. M. Geoffrion,
"Lagrangean relaxation for integer programming", 1974), which the judge computes anew.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from equipoise.planning.bounds import leader_bounds
from equipoise.planning.networks.flow import dual_bound
from equipoise.planning.networks.handout import hand_out, lists_after
from equipoise.planning.networks.network import Int64, Network, Objective
from equipoise.planning.networks.place import Face, ProvedLevel

if TYPE_CHECKING:
    from equipoise.planning.joint_program import Program

LOG = logging.getLogger(__name__)
BoolArray = npt.NDArray[np.bool_]
MAX_EFFORT = 15 * 10**9
"""Candidates times pairs of them for the same partition, up to which it is tried: some ten seconds."""
SCALE = 5040
"""Multipliers are whole numbers of this part of an election: halves to tenths stay exact."""


@dataclass(frozen=True, eq=False)
class Joint:
    """Replica lists ``(n_partitions, max_rf)``, None where none were found; and the bound that is proved."""

    lists: npt.NDArray[np.int32] | None
    level: ProvedLevel


@dataclass(frozen=True, eq=False)
class Candidates:
    """Who could lead which row afterwards; all columns ``(n_candidates,)``."""

    row: Int64
    broker: Int64
    """Position in the cluster."""
    arc: Int64
    """Arc of the face whose flow decides whether it stands there, -1 where it does for certain."""
    arrives: BoolArray
    """It stands there if the arc carries it, else if the arc does not."""
    changes: Int64
    """1 where its leading is an election."""


@dataclass(frozen=True, eq=False)
class Multipliers:
    """What each condition of the program is worth, in parts of `SCALE` of an election."""

    node: Int64
    """``(n_nodes,)``: flow is kept at every node of the placement."""
    led: Int64
    """``(n_racks + n_brokers,)``: leaders within their room."""
    stands: Int64
    """``(n_candidates,)``, none negative: a leader stands where it leads."""


def fewest_elections(face: Face, reached: Mapping[str, int]) -> Joint | None:
    """The placement of the face with the fewest elections; every row is a unit of the face's network.

    ``reached``: the goals in front of the elections, each at its best value. None where the program is too
    large, or HiGHS gives it up.
    """
    who = candidates(face)
    if len(who.row) * (np.bincount(who.row) ** 2).sum() > MAX_EFFORT:
        return None
    LOG.info("placements and leaders at once: elections")
    leaders = leader_bounds(face.net.material.problem, reached)[1]
    program, doubtful = program_of(face, who, leaders)
    relaxed = program.relaxed()
    if relaxed is None:
        return None
    x, at_node, worth = relaxed
    level = proved(face, who, leaders, multipliers(face, who, doubtful, at_node, worth))
    best = program.settled(x)
    if best is None:
        return Joint(None, level)
    flow = face.network.lower.copy()
    flow[free_arcs(face)] = best[: program.n_flows]
    moves, failed = hand_out(face.net, flow)
    return Joint(None if len(failed) else lists_after(face.net.material, moves), level)


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
    row = np.r_[material.slot_row[slot], row_of[net.arrive.unit[come]]]
    broker = material.brokers[np.r_[material.slot_broker[slot], net.arrive.broker[come]]]
    leader = problem.cluster.replicas[material.rows, 0][row]
    return Candidates(
        row=row,
        broker=broker,
        arc=np.r_[arc, net.arrive.index[come]],
        arrives=np.r_[np.zeros(len(slot), dtype=bool), np.ones(len(come), dtype=bool)],
        changes=((leader != broker) & (leader >= 0)).astype(np.int64),
    )


def free_arcs(face: Face) -> Int64:
    """The arcs on which the placements of the face differ."""
    return np.flatnonzero(face.network.upper > face.network.lower)


def program_of(face: Face, who: Candidates, leaders: Network) -> tuple[Program, Int64]:
    """The program, and the candidates of whom it is open whether they stand there.

    Columns are the free arcs, then the candidates. Flow is kept at every node, and every row has one leader;
    who leads stands there, and leads within the room of ``leaders`` for racks and for brokers.
    """
    from equipoise.planning.joint_program import Conditions, Program

    network, problem, free = face.network, face.net.material.problem, free_arcs(face)
    n_nodes, n_rows, n_racks = len(network.supply), len(face.net.material.rows), problem.n_racks
    n_columns, n_led = len(free) + len(who.row), n_racks + problem.cluster.n_brokers
    column = np.full(len(network.tail) + 1, -1, dtype=np.int64)
    column[free] = np.arange(len(free))
    leads = len(free) + np.arange(len(who.row))
    still = np.where(network.upper > network.lower, 0, network.lower)
    supply = network.supply - np.bincount(network.tail, still, n_nodes)
    supply += np.bincount(network.head, still, n_nodes)
    sides = np.concatenate([supply, np.ones(n_rows)])
    equal = Conditions.of(
        (n_nodes + n_rows, n_columns),
        sides,
        sides,
        (network.tail[free], column[free], 1),
        (network.head[free], column[free], -1),
        (n_nodes + who.row, leads, 1),
    )
    doubtful = np.flatnonzero(column[who.arc] >= 0)
    arc, come, nth = column[who.arc[doubtful]], who.arrives[doubtful], np.arange(len(doubtful))
    first = len(doubtful)
    bounded = Conditions.of(
        (first + n_led, n_columns),
        np.concatenate([np.full(first, -np.inf), leaders.lower[:n_led]]),
        np.concatenate([np.where(come, 0, 1), leaders.upper[:n_led]]),
        # who is open to stand there leads at most as often as its arc brings it, or does not take it away
        (nth, leads[doubtful], 1),
        (nth[come], arc[come], -1),
        (nth[~come], arc[~come], 1),
        (first + problem.rack_idx[who.broker], leads, 1),
        (first + n_racks + who.broker, leads, 1),
    )
    ones = np.ones(len(who.row), dtype=np.int64)
    program = Program(
        np.concatenate([np.zeros_like(free), who.changes]),
        np.concatenate([network.lower[free], 0 * ones]),
        np.concatenate([network.upper[free], ones]),
        len(free),
        equal,
        bounded,
    )
    return program, doubtful


def multipliers(
    face: Face,
    who: Candidates,
    doubtful: Int64,
    at_node: npt.NDArray[np.float64],
    worth: npt.NDArray[np.float64],
) -> Multipliers:
    """The program's prices of its conditions as whole numbers."""
    stands = np.zeros(len(who.row), dtype=np.int64)
    stands[doubtful] = np.maximum(whole(-worth[: len(doubtful)]), 0)
    return Multipliers(whole(at_node[: len(face.network.supply)]), whole(-worth[len(doubtful) :]), stands)


def whole(prices: npt.NDArray[np.float64]) -> Int64:
    """In parts of `SCALE`."""
    return np.rint(prices * SCALE).astype(np.int64)


def proved(face: Face, who: Candidates, leaders: Network, price: Multipliers) -> ProvedLevel:
    """The Lagrangian bound: what is left of the elections where conditions may be broken at their price.

    Then each row is led by its cheapest candidate, the placement is a flow whose arcs cost what standing
    is worth, and brokers and racks take all or as little of the leaders as they may.
    """
    material, problem = face.net.material, face.net.material.problem
    n_led, n_brokers = len(price.led), problem.cluster.n_brokers
    leading = SCALE * who.changes + price.stands
    leading += price.led[problem.rack_idx[who.broker]] + price.led[problem.n_racks + who.broker]
    cheapest = np.full(len(material.rows), np.iinfo(np.int64).max)
    np.minimum.at(cheapest, who.row, leading)
    cost = np.zeros(len(face.network.tail), dtype=np.int64)
    np.add.at(cost, who.arc, np.where(who.arrives, -price.stands, price.stands) * (who.arc >= 0))
    room = np.maximum(price.led * leaders.lower[:n_led], price.led * leaders.upper[:n_led])
    bound = int(cheapest.sum()) - int(price.stands[~who.arrives].sum()) - int(room.sum())
    bound += dual_bound(face.network, Objective.of_linear(cost), price.node)
    table = np.zeros((len(material.rows), n_brokers), dtype=np.int64)
    table[who.row, who.broker] = price.stands
    stored = np.concatenate([price.node, price.led, table.ravel()])
    return ProvedLevel("elections", -(-bound // SCALE), "joint", stored)
