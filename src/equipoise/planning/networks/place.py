"""The placement goals in order: coarse networks first, partitions only where they are needed."""

from __future__ import annotations

import logging
from dataclasses import dataclass, replace
from itertools import takewhile

import numpy as np
import numpy.typing as npt

from equipoise.cluster.proofs import NetworkName
from equipoise.planning.basis.certificate import ProvedLevel
from equipoise.planning.flow.convex import least_flow, narrow
from equipoise.planning.flow.network import Infeasible, Int64, Network
from equipoise.planning.goals import PLACEMENT
from equipoise.planning.networks.disaggregation import Moved, disaggregate, lists_after
from equipoise.planning.networks.faces import (
    OptimalFace,
    least_change,
    lift,
    merged_network,
    network_of_units,
    solve_levels,
    tightened,
    topic_network,
    units_of,
)
from equipoise.planning.networks.placement import PlacementNetwork, opened
from equipoise.planning.networks.placement_data import PlacementData, gather
from equipoise.planning.networks.repair import repaired
from equipoise.planning.networks.sizes import by_size, tells_sizes
from equipoise.planning.problem.problem import BoolArray, Problem

LOG = logging.getLogger(__name__)


@dataclass(frozen=True, eq=False)
class Attempt:
    """Moves that were disaggregated, and the units of the face for which that failed."""

    moves: Moved
    levels: list[ProvedLevel]
    failed: Int64
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

    def face_of(self, goals: tuple[str, ...]) -> OptimalFace | None:
        """The placements that are best at the first ``goals`` of its levels; None where there is no choice.

        The prices that prove those levels say it, so nothing is solved.
        """
        if self.face is None or len(goals) == len(self.levels):
            return self.face
        data, unit_of = self.face.net.data, self.face.net.unit_of
        levels = self.levels[: len(goals)]
        merged = [level for level in levels if level.network == NetworkName.MERGED]
        net = network_of_units(data, unit_of)
        network = net.network
        # Nothing is told of all topics at once where a topic tells the first goal.
        if self.groups and (merged or not of_all_topics(data, goals)):
            net, network = on_merged_face(net, merged_network(data), merged)
        for level in levels[len(merged) :]:
            if PLACEMENT[level.goal].of_sizes:
                net, network = by_size(net, network)
            network = tightened(net, narrow(network, net.objective(level.goal), level.potential))
        if len(self.face.flow) == len(network.tail):  # it is best at these goals, too
            return OptimalFace(net, network, self.face.flow)
        return OptimalFace(net, network, least_flow(network, net.forced_leader_changes(), net.guess()))


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
        promised = {level.goal: level.value for level in found.levels}
        lists = repaired(found.face, found.moves, found.failed, promised)
        if lists is None:
            wider = expanded | np.isin(found.face.net.unit_of, found.failed)
            if wider.sum() * len(data.brokers) <= most:
                expanded = wider
                continue
            # Beyond that size what failed stands as near to its counts as a flow could bring it. The bounds
            # stay those of the network, and the gap between is told.
            lists = lists_after(data, found.moves)
        return Placement(lists, tuple(found.levels), groups_of(data, expanded), found.face)


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


def arcs_of_one(problem: Problem) -> int:
    """About as many arcs has a partition that is a unit of the network."""
    return int(problem.eligible.sum()) + problem.n_racks + 4


def arcs_of_partitions(problem: Problem) -> int:
    """About as many has the network in which every partition is one."""
    return int(problem.movable.sum()) * arcs_of_one(problem)


def ids_decide(problem: Problem) -> bool:
    """True where the ids of brokers tell apart what is equally good, if every partition is a node."""
    return arcs_of_partitions(problem) <= problem.params.tie_arcs


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
        # of the largest clusters only what that face leaves open stays in memory
        net, face = on_merged_face(topic_network(data, expanded), coarse, levels)
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
    fine: PlacementNetwork, coarse: PlacementNetwork, levels: list[ProvedLevel]
) -> tuple[PlacementNetwork, Network]:
    """The fine network, and of it the face of ``levels``, which the merged network has proved."""
    by_row = len(fine.family_of) == len(fine.unit_of)
    face = fine.network
    for level in levels:
        if PLACEMENT[level.goal].of_sizes:
            fine, face = by_size(fine, face)
        face = narrow(face, fine.objective(level.goal), lift(coarse, fine, level.potential))
    face = tightened(fine, face)
    # Programs and bounds go on with the network where every row is a unit, so that one stays whole.
    if by_row:
        return fine, face
    fine = opened(fine, face)
    return fine, fine.network


def groups_of(data: PlacementData, expanded: BoolArray) -> dict[str, Int64]:
    if expanded.all() and arcs_of_partitions(data.problem) <= data.problem.params.partition_arcs:
        return {}
    return {"units": units_of(data, expanded), "merged_units": data.kind}


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
    by_ids = name == NetworkName.PARTITIONS and ids_decide(net.data.problem)
    chosen = least_change(face, by_ids=by_ids)
    moves, failed = disaggregate(chosen.net, chosen.flow)
    return Attempt(moves, before + levels, failed, chosen)
