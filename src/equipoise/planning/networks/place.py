"""The placement goals in order: coarse networks first, partitions only where they are needed."""

from __future__ import annotations

import logging
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from equipoise.planning.networks.flow import Optimum, narrow, solve
from equipoise.planning.networks.handout import Moves, hand_out, lists_after
from equipoise.planning.networks.material import Material, gather
from equipoise.planning.networks.network import Infeasible, Int64, Network, Objective
from equipoise.planning.networks.placement import Arcs, PlacementNetwork, build, opened
from equipoise.planning.networks.sampling import solve_topics
from equipoise.planning.problem import Problem
from equipoise.planning.rows import distinct

LOG = logging.getLogger(__name__)
BoolArray = npt.NDArray[np.bool_]
PLACEMENT_GOALS = ("racks", "replicas", "moves", "topics")
MAX_PARTITION_ARCS = 300_000
"""Up to here every partition is a unit of its own from the start."""
MAX_ROW_ARCS = 1_000_000
"""Up to here it is one once the levels that topics have no part in are solved."""
MAX_SHRINKING_ARCS = 2_000_000
"""Up to here partitions that have replicas too many are nodes from the start."""
MAX_EXPANDED_ARCS = 4_000_000
"""Beyond this what could not be handed out is left as near to its counts as it came, with a gap."""


@dataclass(frozen=True, eq=False)
class ProvedLevel:
    """A goal solved on a network, and the potentials that prove it."""

    goal: str
    value: int
    network: str
    """Which network: "merged", "topics", "partitions" or "mixed"; the judge builds the same."""
    potential: Int64
    branches: Int64 | None = None
    """Of a proof by cases, see `branching.Tree`."""


@dataclass(frozen=True, eq=False)
class Face:
    """All placements that are equally good at the placement goals, and one of them."""

    net: PlacementNetwork
    network: Network
    flow: Int64
    leavers: Optimum | None = None
    """The fewest leaders that leave their broker, where that was asked."""


@dataclass(frozen=True, eq=False)
class Attempt:
    """Moves that were handed out, and the rows for which that failed, ``(n_rows,)``."""

    moves: Moves
    levels: list[ProvedLevel]
    failed: BoolArray
    face: Face


@dataclass(frozen=True, eq=False)
class Placement:
    """Where replicas stand afterwards."""

    lists: npt.NDArray[np.int32]
    """``(n_partitions, max_rf)``: an arrival stands in the place of what left."""
    levels: tuple[ProvedLevel, ...]
    groups: dict[str, Int64]
    """What the judge needs to build the networks anew: ``units`` and ``merged_units``, the unit of each
    movable row in the fine and in the merged network; empty where every row is a unit."""
    face: Face | None = None
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
    if problem.request.leaders_only:
        return Placement(problem.current, (), {})
    material = gather(problem)
    if held is not None:
        material = replace(material, held=held[material.brokers])
    wanted = tuple(goal for goal in goals if goal in PLACEMENT_GOALS)
    expanded = expanded_at_first(material)
    while True:
        found = attempt(material, wanted, expanded)
        wider = expanded | found.failed
        if not found.failed.any() or wider.sum() * len(material.brokers) > MAX_EXPANDED_ARCS:
            return Placement(
                lists_after(material, found.moves),
                tuple(found.levels),
                groups_of(material, expanded),
                found.face,
            )
        expanded = wider


def expanded_at_first(material: Material) -> BoolArray:
    """Rows that are nodes from the start: all of a small cluster, else those that break the rack rule or have
    replicas too many.

    Which of its replicas such a partition gives up is for itself alone: counts rarely hand out.
    """
    n_rows, problem = len(material.rows), material.problem
    if arcs_of_partitions(material) <= MAX_ROW_ARCS:
        return np.ones(n_rows, dtype=bool)
    expanded = np.zeros(n_rows, dtype=bool)
    crowded = material.excess.any(axis=1) & (problem.n_racks > 1)
    shrinks = material.in_rack.sum(axis=1) > problem.rf[material.rows]
    for some, most in ((crowded, MAX_EXPANDED_ARCS), (shrinks, MAX_SHRINKING_ARCS)):
        if some.sum() * len(material.brokers) <= most:
            expanded |= some
    return expanded


def arcs_of_partitions(material: Material) -> int:
    """About as many arcs has the network in which every partition is a unit."""
    return len(material.rows) * (len(material.brokers) + material.problem.n_racks + 4)


def attempt(material: Material, goals: tuple[str, ...], expanded: BoolArray) -> Attempt:
    """Solve and hand out with the given rows expanded."""
    if expanded.all() and arcs_of_partitions(material) <= MAX_PARTITION_ARCS:
        net = topic_network(material, expanded)
        return finish(net, net.network, goals, [], "partitions")
    coarse = merged_network(material)
    first = goals[: goals.index("topics")] if "topics" in goals else goals
    levels, _, _ = solve_levels(coarse, coarse.network, first, "merged")
    name = "partitions" if expanded.all() else "mixed" if expanded.any() else "topics"
    try:
        net, face = on_merged_face(material, expanded, coarse, levels)
        return finish(net, face, goals[len(first) :], levels, name)
    except Infeasible:
        # what the merged network promises cannot be had topic by topic
        fine = topic_network(material, expanded)
        return finish(fine, fine.network, goals, [], name)


def on_merged_face(
    material: Material, expanded: BoolArray, coarse: PlacementNetwork, levels: list[ProvedLevel]
) -> tuple[PlacementNetwork, Network]:
    """The fine network, and of it the face of ``levels``, which the merged network has proved."""
    fine = topic_network(material, expanded)
    face = fine.network
    for level in levels:
        face = narrow(face, fine.objective(level.goal), lift(coarse, fine, level.potential))
    face = tightened(fine, face)
    return (fine, face) if expanded.all() else opened(fine, face)


def merged_network(material: Material) -> PlacementNetwork:
    """All topics as one family, a unit for each kind of partition."""
    n_kinds = int(material.kind.max(initial=0)) + 1
    return build(material, material.kind, np.zeros(n_kinds, dtype=np.int64))


def groups_of(material: Material, expanded: BoolArray) -> dict[str, Int64]:
    if expanded.all() and arcs_of_partitions(material) <= MAX_PARTITION_ARCS:
        return {}
    return {"units": units_of(material, expanded), "merged_units": material.kind}


def units_of(material: Material, expanded: BoolArray) -> Int64:
    """A unit for each kind in each topic, and for each row that is expanded; ``(n_rows,)``."""
    topic = material.problem.cluster.topic_idx[material.rows].astype(np.int64)
    n_kinds = int(material.kind.max(initial=0)) + 1
    n_together = len(material.problem.cluster.topics) * n_kinds
    key = np.where(expanded, n_together + np.arange(len(topic)), topic * n_kinds + material.kind)
    return distinct(key, n_together + len(topic))[1]


def topic_network(material: Material, expanded: BoolArray) -> PlacementNetwork:
    """Topics as families, with the units of `units_of`."""
    unit_of = units_of(material, expanded)
    family = np.zeros(int(unit_of.max(initial=-1)) + 1, dtype=np.int64)
    cluster = material.problem.cluster
    family[unit_of] = distinct(cluster.topic_idx[material.rows], len(cluster.topics))[1]
    net = build(material, unit_of, family)
    return replace(net, network=tightened(net, net.network))


def solve_levels(
    net: PlacementNetwork, network: Network, goals: tuple[str, ...], name: str
) -> tuple[list[ProvedLevel], Network, Int64]:
    """Goals one after the other, each on the optimal face of those before."""
    levels = []
    flow = net.guess()
    for goal in goals:
        LOG.info("where replicas stand: %s", goal)
        objective = net.objective(goal)
        if goal == "topics":
            best = solve_topics(net, network, objective, flow)
        else:
            best = solve(network, objective, flow)
        flow = best.flow
        levels.append(ProvedLevel(goal, best.value, name, best.potential))
        network = tightened(net, narrow(network, objective, best.potential))
    return levels, network, flow


def finish(
    net: PlacementNetwork, network: Network, goals: tuple[str, ...], before: list[ProvedLevel], name: str
) -> Attempt:
    """Solve the goals that are left, settle ties and hand out."""
    levels, network, flow = solve_levels(net, network, goals, name)
    LOG.info("which partitions move")
    wish = net.objective("elections")
    leavers = solve(network, wish, flow)
    suited = Face(net, narrow(network, wish, leavers.potential), leavers.flow)
    settled = settle(suited, ties=name == "partitions")
    moves, failed_units = hand_out(net, settled)
    failed = np.isin(net.unit_of, failed_units)
    return Attempt(moves, before + levels, failed, Face(net, network, settled, leavers))


def narrowed(face: Face, wish: Objective) -> Face:
    """What of a face is best at one thing more."""
    best = solve(face.network, wish, face.flow)
    return Face(face.net, narrow(face.network, wish, best.potential), best.flow)


def settle(face: Face, *, ties: bool) -> Int64:
    """The flow of the placement of the face that is level and then has the lowest broker ids."""
    face = narrowed(face, face.net.objective("replicas"))
    if ties:
        lowest = np.zeros(len(face.network.tail), dtype=np.int64)
        lowest[face.net.arrive.index] = face.net.arrive.broker
        face = narrowed(face, Objective.of_linear(lowest))
    return face.flow


def settled_for_leaders(face: Face, price: Int64) -> npt.NDArray[np.int32]:
    """Lists of an equally good placement that suits the leaders better; ``price`` is ``(n_brokers,)``.

    Leading at broker b is worth ``price[b]`` to the leader levels (their potentials), changing a
    leader costs 1. So a partition that lands where leading is cheap saves, and one that loses the
    leader it has must take the cheapest of the others.
    """
    net, material = face.net, face.net.material
    problem = material.problem
    lists = problem.current[material.rows]
    leader = lists[:, 0]
    worth = np.where(problem.leads, price, price.max(initial=0) + 1)
    others = np.where(lists[:, 1:] >= 0, worth[np.maximum(lists[:, 1:], 0)], worth.max(initial=0))
    change = 1 + others.min(axis=1, initial=int(worth.max(initial=0))) - worth[leader]
    cost = np.zeros(len(face.network.tail), dtype=np.int64)
    arrives = 1 + worth[material.brokers[net.arrive.broker]] - worth[leader[net.arrive.unit]]
    cost[net.arrive.index] = np.minimum(arrives, 0)
    cost[net.leave.index] = np.where(net.leave_leaders, change[net.leave.unit], 0)
    suited = narrowed(face, Objective.of_linear(cost))
    moves, _ = hand_out(net, settle(suited, ties=True))
    return lists_after(material, moves)


def tightened(net: PlacementNetwork, network: Network) -> Network:
    """Cell arcs bounded by what can leave and reach their cell: implied, and far fewer steps."""
    n_eligible = len(net.material.brokers)

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
    kind[fine.unit_of] = fine.material.kind
    n_eligible, n_racks = len(fine.material.brokers), fine.material.problem.n_racks
    n_fine, n_cells = len(fine.network.supply), len(fine.cell.unit)
    first_pool = 1 + 2 * n_eligible
    like = np.empty(n_fine, dtype=np.int64)
    like[: 1 + n_eligible] = np.arange(1 + n_eligible)
    cells = np.arange(n_cells)
    like[1 + n_eligible : 1 + n_eligible + n_cells] = 1 + n_eligible + cells % n_eligible
    n_kinds, at = len(coarse.family_of), 1 + n_eligible + n_cells
    pools = (kind[:, None] * n_racks + np.arange(n_racks)).ravel()
    halves = (len(coarse.network.supply) - first_pool - n_kinds * (n_racks > 1)) // (n_kinds * n_racks)
    for half in range(halves):
        like[at : at + len(pools)] = first_pool + half * n_kinds * n_racks + pools
        at += len(pools)
    like[at:] = len(coarse.network.supply) - n_kinds + kind if n_racks > 1 else 0
    return potential[like]
