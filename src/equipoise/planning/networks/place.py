"""The placement goals in order: coarse networks first, partitions only where they are needed."""

from __future__ import annotations

import logging
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import takewhile

import numpy as np
import numpy.typing as npt

from equipoise.cluster.proofs import NetworkName
from equipoise.planning.basis.certificate import ProvedLevel
from equipoise.planning.basis.distinct import distinct
from equipoise.planning.flow.convex import Optimum, narrow, solve
from equipoise.planning.flow.network import Infeasible, Int64, Network, Objective, TooDear
from equipoise.planning.goals import PLACEMENT
from equipoise.planning.goals.bytes import Bytes
from equipoise.planning.goals.replicas import Replicas
from equipoise.planning.networks.disaggregation import Moved, disaggregate, lists_after
from equipoise.planning.networks.placement import Arcs, PlacementNetwork, build, opened
from equipoise.planning.networks.placement_data import PlacementData, gather
from equipoise.planning.networks.sizes import by_size, tells_sizes
from equipoise.planning.networks.topic_prices import solve_topics
from equipoise.planning.problem.problem import Problem
from equipoise.planning.rules.max_bytes import MAX_BYTES

LOG = logging.getLogger(__name__)
BoolArray = npt.NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class OptimalFace:
    """All placements that are equally good at the placement goals, and one of them."""

    net: PlacementNetwork
    network: Network
    flow: Int64
    forced_leader_changes: Optimum | None = None
    """The fewest leaders that leave their broker, where that was asked."""


@dataclass(frozen=True, eq=False)
class Attempt:
    """Moves that were disaggregated, and the rows for which that failed, ``(n_rows,)``."""

    moves: Moved
    levels: list[ProvedLevel]
    failed: BoolArray
    face: OptimalFace


@dataclass(frozen=True, eq=False)
class Placement:
    """Where replicas stand afterwards."""

    lists: npt.NDArray[np.int32]
    """``(n_partitions, max_rf)``: an arrival stands in the place of what left."""
    levels: tuple[ProvedLevel, ...]
    groups: dict[str, Int64]
    """What the judge needs to build the networks anew: ``units`` and ``merged_units``, the unit of each
    movable row in the fine and in the merged network; empty where every row is a unit."""
    face: OptimalFace | None = None
    """The equally good placements, where there was a choice."""

    @property
    def by_row(self) -> bool:
        """True where every row is a unit of the face."""
        units = self.groups.get("units", np.zeros(0, dtype=np.int64))
        return self.face is not None and np.array_equal(units, np.arange(len(units)))


def place(problem: Problem, goals: tuple[str, ...], held: Int64 | None = None) -> Placement:
    """Solve the placement goals among ``goals`` in their order; ``held``: broker counts that are decided.

    Raises `Infeasible`.
    """
    if problem.stays:
        return Placement(problem.current, (), {})
    data = gather(problem)
    if held is not None:
        data = replace(data, held=held[data.brokers])
    wanted = tuple(goal for goal in goals if goal in PLACEMENT)
    expanded, most = expanded_at_first(data), problem.params.expanded_arcs
    while True:
        # A row that is a node of its own never fails, so each round expands more, and rounds come to an end.
        found = attempt(data, wanted, expanded)
        wider = expanded | found.failed
        # Beyond that size what failed stands as near to its counts as a flow could bring it. The bounds stay
        # those of the network, and the gap between is told.
        if not found.failed.any() or wider.sum() * len(data.brokers) > most:
            return Placement(
                lists_after(data, found.moves),
                tuple(found.levels),
                groups_of(data, expanded),
                found.face,
            )
        expanded = wider


def expanded_at_first(data: PlacementData) -> BoolArray:
    """Rows that are nodes from the start: all of a small cluster, else those that break the rack rule or have
    replicas too many.

    Which of its replicas such a partition gives up is for itself alone: counts can rarely tell.
    """
    n_rows, problem, params = len(data.rows), data.problem, data.problem.params
    if arcs_of_partitions(data.problem) <= params.row_arcs:
        return np.ones(n_rows, dtype=bool)
    expanded = np.zeros(n_rows, dtype=bool)
    crowded = data.excess.any(axis=1) & (problem.n_racks > 1)
    shrinks = data.in_rack.sum(axis=1) > problem.rf[data.rows]
    for some, most in ((crowded, params.expanded_arcs), (shrinks, params.shrinking_arcs)):
        if some.sum() * len(data.brokers) <= most:
            expanded |= some
    return expanded


def arcs_of_partitions(problem: Problem) -> int:
    """About as many arcs has the network in which every partition is a unit."""
    return int(problem.movable.sum()) * (int(problem.eligible.sum()) + problem.n_racks + 4)


def attempt(data: PlacementData, goals: tuple[str, ...], expanded: BoolArray) -> Attempt:
    """Solve and disaggregate with the given rows expanded."""
    if expanded.all() and arcs_of_partitions(data.problem) <= data.problem.params.partition_arcs:
        net = topic_network(data, expanded)
        return finish(net, net.network, goals, [], NetworkName.PARTITIONS)
    # Levels on the merged network are quick. Lifted to the fine one their
    # prices prove at least as much there, as its arcs add up to those of
    # the merged one, and the face by them is where the fine network starts.
    coarse = merged_network(data)
    first = of_all_topics(data, goals)
    levels = solve_levels(coarse, coarse.network, first, NetworkName.MERGED)[0]
    every, some = NetworkName.PARTITIONS, NetworkName.MIXED
    name = every if expanded.all() else some if expanded.any() else NetworkName.TOPICS
    try:
        net, face = on_merged_face(data, expanded, coarse, levels)
        return finish(net, face, goals[len(first) :], levels, name)
    except Infeasible:
        # what the merged network promises cannot be had topic by topic
        fine = topic_network(data, expanded)
        return finish(fine, fine.network, goals, [], name)


def of_all_topics(data: PlacementData, goals: tuple[str, ...]) -> tuple[str, ...]:
    """The goals that are solved with all topics as one: those in front of what only a topic tells."""
    exact = tells_sizes(data)
    asked = (PLACEMENT[goal] for goal in goals)
    told = takewhile(lambda goal: not goal.of_topics and (exact or not goal.of_sizes), asked)
    return tuple(goal.name for goal in told)


def on_merged_face(
    data: PlacementData, expanded: BoolArray, coarse: PlacementNetwork, levels: list[ProvedLevel]
) -> tuple[PlacementNetwork, Network]:
    """The fine network, and of it the face of ``levels``, which the merged network has proved."""
    fine = topic_network(data, expanded)
    face = fine.network
    for level in levels:
        if PLACEMENT[level.goal].of_sizes:
            fine, face = by_size(fine, face)
        face = narrow(face, fine.objective(level.goal), lift(coarse, fine, level.potential))
    face = tightened(fine, face)
    # Programs and bounds go on with the network where every row is a unit, so that one stays whole.
    if expanded.all():
        return fine, face
    fine = opened(fine, face)
    return fine, fine.network


def merged_network(data: PlacementData) -> PlacementNetwork:
    """All topics as one family, a unit for each kind of partition."""
    n_kinds = int(data.kind.max(initial=0)) + 1
    return build(data, data.kind, np.zeros(n_kinds, dtype=np.int64))


def groups_of(data: PlacementData, expanded: BoolArray) -> dict[str, Int64]:
    if expanded.all() and arcs_of_partitions(data.problem) <= data.problem.params.partition_arcs:
        return {}
    return {"units": units_of(data, expanded), "merged_units": data.kind}


def units_of(data: PlacementData, expanded: BoolArray) -> Int64:
    """A unit for each kind in each topic, and for each row that is expanded; ``(n_rows,)``."""
    topic = data.problem.cluster.topic_idx[data.rows].astype(np.int64)
    n_kinds = int(data.kind.max(initial=0)) + 1
    n_together = len(data.problem.cluster.topics) * n_kinds
    key = np.where(expanded, n_together + np.arange(len(topic)), topic * n_kinds + data.kind)
    return distinct(key, n_together + len(topic))[1]


def topic_network(data: PlacementData, expanded: BoolArray) -> PlacementNetwork:
    """Topics as families, with the units of `units_of`."""
    # Units never reach across topics here: cells are of a topic, and only so `topics` can count them.
    unit_of = units_of(data, expanded)
    family = np.zeros(int(unit_of.max(initial=-1)) + 1, dtype=np.int64)
    cluster = data.problem.cluster
    family[unit_of] = distinct(cluster.topic_idx[data.rows], len(cluster.topics))[1]
    net = build(data, unit_of, family)
    return replace(net, network=tightened(net, net.network))


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


def finish(
    net: PlacementNetwork,
    network: Network,
    goals: tuple[str, ...],
    before: list[ProvedLevel],
    name: NetworkName,
) -> Attempt:
    """Solve the goals that are left, break ties and disaggregate."""
    levels, face = solve_levels(net, network, goals, name)
    LOG.info("which partitions move")
    smallest = MAX_BYTES.is_given(net.data.problem.request)
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
    chosen = break_ties(suited, by_ids=name == NetworkName.PARTITIONS)
    moves, failed_units = disaggregate(net, chosen)
    failed = np.isin(net.unit_of, failed_units)
    return Attempt(moves, before + levels, failed, OptimalFace(net, network, chosen, forced))


def sized(face: OptimalFace) -> OptimalFace:
    """The face with an arc for each size of what may leave."""
    net, network = by_size(face.net, face.network)
    return face if net is face.net else OptimalFace(net, network, net.guess())


def narrowed(face: OptimalFace, wish: Objective) -> OptimalFace:
    """What of a face is best at one thing more."""
    best = solve(face.network, wish, face.flow)
    return OptimalFace(face.net, narrow(face.network, wish, best.potential), best.flow)


def break_ties(face: OptimalFace, *, by_ids: bool) -> Int64:
    """The flow of a placement of the face that is level; ``by_ids``: and then has the lowest broker ids."""
    # Where `replicas` is no goal the face may leave brokers anywhere, and level ones serve better.
    face = narrowed(face, face.net.objective(Replicas.name))
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
