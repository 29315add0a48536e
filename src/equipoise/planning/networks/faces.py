"""Optimal faces of placement networks: goals solved one after the other, and ties broken on what is left."""

from __future__ import annotations

import logging
from contextlib import suppress
from dataclasses import dataclass, replace

import numpy as np

from equipoise.cluster.proofs import NetworkName
from equipoise.planning.basis.certificate import ProvedLevel
from equipoise.planning.basis.distinct import distinct
from equipoise.planning.flow.convex import Optimum, is_settled, narrow, solve
from equipoise.planning.flow.network import Int64, Network, Objective, TooDear
from equipoise.planning.goals import PLACEMENT
from equipoise.planning.goals.bytes import Bytes
from equipoise.planning.goals.replicas import Replicas
from equipoise.planning.networks.placement import Arcs, PlacementNetwork, build
from equipoise.planning.networks.placement_data import PlacementData
from equipoise.planning.networks.sizes import by_size
from equipoise.planning.networks.topic_prices import solve_topics
from equipoise.planning.problem.problem import BoolArray
from equipoise.planning.rules.max_bytes import MAX_BYTES

LOG = logging.getLogger(__name__)


@dataclass(frozen=True, eq=False)
class OptimalFace:
    """All placements that are equally good at the placement goals, and one of them."""

    net: PlacementNetwork
    network: Network
    flow: Int64
    forced_leader_changes: Optimum | None = None
    """The fewest leaders that leave their broker, where that was asked."""


def merged_network(data: PlacementData) -> PlacementNetwork:
    """All topics as one family, a unit for each kind of partition."""
    n_kinds = int(data.kind.max(initial=0)) + 1
    return build(data, data.kind, np.zeros(n_kinds, dtype=np.int64))


def topic_network(data: PlacementData, expanded: BoolArray) -> PlacementNetwork:
    """Topics as families, with the units of `units_of`."""
    return network_of_units(data, units_of(data, expanded))


def network_of_units(data: PlacementData, unit_of: Int64) -> PlacementNetwork:
    """Topics as families, with the unit of each row, ``(n_rows,)``."""
    # Units never reach across topics here: cells are of a topic, and only so `topics` can count them.
    family = np.zeros(int(unit_of.max(initial=-1)) + 1, dtype=np.int64)
    cluster = data.problem.cluster
    family[unit_of] = distinct(cluster.topic_idx[data.rows], len(cluster.topics))[1]
    net = build(data, unit_of, family)
    return replace(net, network=tightened(net, net.network))


def units_of(data: PlacementData, expanded: BoolArray) -> Int64:
    """A unit for each kind in each topic, and for each row that is expanded; ``(n_rows,)``."""
    topic = data.problem.cluster.topic_idx[data.rows].astype(np.int64)
    n_kinds = int(data.kind.max(initial=0)) + 1
    n_together = len(data.problem.cluster.topics) * n_kinds
    key = np.where(expanded, n_together + np.arange(len(topic)), topic * n_kinds + data.kind)
    return distinct(key, n_together + len(topic))[1]


def solve_levels(
    net: PlacementNetwork, network: Network, goals: tuple[str, ...], name: NetworkName
) -> tuple[list[ProvedLevel], OptimalFace]:
    """Goals one after the other, each on the optimal face of those before."""
    levels = []
    flow = net.guess()
    for goal in goals:
        LOG.info("where replicas stand: %s", goal)
        if PLACEMENT[goal].of_sizes:
            face = sized(OptimalFace(net, network, flow))
            net, network, flow = face.net, face.network, face.flow
        objective = net.objective(goal)
        try:
            if PLACEMENT[goal].of_topics:
                best = solve_topics(net, network, objective, flow)
            else:
                best = solve(network, objective, flow)
        except TooDear:  # sizes of hundreds of terabytes on very many nodes: nothing is claimed of them
            continue
        flow = best.flow
        levels.append(ProvedLevel(goal, best.value, name, best.potential))
        # A narrower arc is cut into fewer steps by the goals that follow.
        network = tightened(net, narrow(network, objective, best.potential))
    return levels, OptimalFace(net, network, flow)


def sized(face: OptimalFace) -> OptimalFace:
    """The face with an arc for each size of what may leave."""
    net, network = by_size(face.net, face.network)
    return face if net is face.net else OptimalFace(net, network, net.guess())


def narrowed(face: OptimalFace, wish: Objective) -> OptimalFace:
    """What of a face is best at one thing more."""
    best = solve(face.network, wish, face.flow)
    return OptimalFace(face.net, narrow(face.network, wish, best.potential), best.flow)


def least_change(face: OptimalFace, *, by_ids: bool) -> OptimalFace:
    """The face with the flow of a placement that changes little beside what the goals ask for.

    ``by_ids``: as of `break_ties`.
    """
    smallest = MAX_BYTES.is_given(face.net.data.problem.request)
    if smallest:
        face = sized(face)
    net, network, flow = face.net, face.network, face.flow
    # Who leads is solved afterwards, for this placement alone. A leader that leaves its broker is an election
    # whatever comes then, so of equally good placements one with the fewest of those is taken.
    wish = net.forced_leader_changes()
    forced = solve(network, wish, flow)
    suited = OptimalFace(net, narrow(network, wish, forced.potential), forced.flow)
    if smallest:  # first of all the smallest of what may as well move
        with suppress(TooDear):
            suited = narrowed(narrowed(face, net.objective(Bytes.name)), wish)
    return OptimalFace(net, network, break_ties(suited, by_ids=by_ids), forced)


def break_ties(face: OptimalFace, *, by_ids: bool) -> Int64:
    """The flow of a placement of the face that is level; ``by_ids``: and then has the lowest broker ids."""
    # Where `replicas` is no goal the face may leave brokers anywhere, and level ones serve better.
    level = face.net.objective(Replicas.name)
    if not (by_ids and is_settled(face.network, level)):  # without ids it decides for one of many flows
        face = narrowed(face, level)
    if by_ids:
        lowest = np.zeros(len(face.network.tail), dtype=np.int64)
        lowest[face.net.arrive.index] = face.net.arrive.broker
        face = narrowed(face, Objective.of_linear(lowest))
    return face.flow


def tightened(net: PlacementNetwork, network: Network) -> Network:
    """Cell arcs bounded by what can leave and reach their cell: implied, and far fewer steps."""
    n_eligible = len(net.data.brokers)

    def cells(arcs: Arcs, bound: Int64) -> Int64:
        key = net.family_of[arcs.unit] * n_eligible + arcs.broker
        return np.bincount(key, weights=bound[arcs.start : arcs.stop], minlength=len(net.cell.unit)).astype(
            np.int64
        )

    here = net.guess()[net.cell.index]
    least = here - cells(net.leave, network.upper) + cells(net.arrive, network.lower)
    most = here - cells(net.leave, network.lower) + cells(net.arrive, network.upper)
    lower, upper = network.lower.copy(), network.upper.copy()
    lower[net.cell.index] = np.maximum(lower[net.cell.index], least)
    upper[net.cell.index] = np.minimum(upper[net.cell.index], most)
    return replace(network, lower=lower, upper=upper)


def lift(coarse: PlacementNetwork, fine: PlacementNetwork, potential: Int64) -> Int64:
    """Potentials of the merged network on one of many units: every node takes that of its like."""
    kind = np.zeros(len(fine.family_of), dtype=np.int64)
    kind[fine.unit_of] = fine.data.kind
    n_eligible, n_racks = len(fine.data.brokers), fine.data.problem.n_racks
    n_fine, n_cells = len(fine.network.supply), len(fine.cell.unit)
    first_pool = 1 + 2 * n_eligible
    like = np.empty(n_fine, dtype=np.int64)
    like[: 1 + n_eligible] = np.arange(1 + n_eligible)
    cells = np.arange(n_cells)
    like[1 + n_eligible : 1 + n_eligible + n_cells] = 1 + n_eligible + cells % n_eligible
    n_kinds, at, n_sums = len(coarse.family_of), 1 + n_eligible + n_cells, len(coarse.rack.unit)
    pools = (kind[:, None] * n_racks + np.arange(n_racks)).ravel()
    n_coarse = len(coarse.network.supply) - n_sums
    first_crowd = n_coarse - int((coarse.crowd >= 0).sum())
    # Pools come twice where changes of a partition are limited (`build`); how often follows from the nodes.
    halves = (first_crowd - first_pool - n_kinds * (n_racks > 1)) // (n_kinds * n_racks)
    for half in range(halves):
        like[at : at + len(pools)] = first_pool + half * n_kinds * n_racks + pools
        at += len(pools)
    crowded = fine.crowd >= 0
    if n_racks > 1:
        like[at : at + len(kind)] = first_crowd - n_kinds + kind
        # A kind of which some unit has a crowd has one in the merged network: excess adds up.
        like[fine.crowd[crowded]] = coarse.crowd[kind[crowded]]
    like[n_fine - n_sums :] = n_coarse + np.arange(n_sums)
    return potential[like]
