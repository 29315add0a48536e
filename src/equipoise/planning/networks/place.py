"""The placement goals in order: coarse networks first, partitions only where they are needed."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from equipoise.planning.networks.flow import Infeasible, Int64, Network, Objective, narrow, solve
from equipoise.planning.networks.handout import Moves, hand_out, lists_after
from equipoise.planning.networks.placement import Material, PlacementNetwork, build, gather
from equipoise.planning.problem import Problem

PLACEMENT_GOALS = ("racks", "replicas", "moves", "topics")
MAX_PARTITION_ARCS = 200_000
"""Up to here every partition is a unit of its own from the start."""


@dataclass(frozen=True, eq=False)
class ProvedLevel:
    """A goal solved on a network, and the potentials that prove it."""

    goal: str
    value: int
    network: str
    """Which network: "merged", "topics", "partitions" or "mixed"; the judge builds the same."""
    potential: Int64


@dataclass(frozen=True, eq=False)
class Placement:
    """Where replicas stand afterwards."""

    lists: npt.NDArray[np.int32]
    """``(n_partitions, max_rf)``: an arrival stands in the place of what left."""
    levels: tuple[ProvedLevel, ...]
    expanded: npt.NDArray[np.bool_]
    """``(n_topics,)``: topics whose partitions were nodes."""


def place(problem: Problem, goals: tuple[str, ...], held: Int64 | None = None) -> Placement:
    """Solve the placement goals among ``goals`` in their order; ``held``: broker counts that are decided.

    Raises `Infeasible`.
    """
    if problem.request.leaders_only:
        return Placement(problem.current, (), np.zeros(len(problem.cluster.topics), dtype=bool))
    material = gather(problem)
    if held is not None:
        material = replace(material, held=held[material.brokers])
    wanted = tuple(goal for goal in goals if goal in PLACEMENT_GOALS)
    n_topics = len(problem.cluster.topics)
    cost = len(material.rows) * (len(material.brokers) + problem.n_racks + 4)
    expanded = np.full(n_topics, cost <= MAX_PARTITION_ARCS)
    while True:
        moves, levels, failed = attempt(material, wanted, expanded)
        if not failed.any():
            return Placement(lists_after(material, moves), tuple(levels), expanded)
        expanded = expanded | failed


def attempt(
    material: Material, goals: tuple[str, ...], expanded: npt.NDArray[np.bool_]
) -> tuple[Moves, list[ProvedLevel], npt.NDArray[np.bool_]]:
    """The moves and levels with the given topics expanded, and the topics that could not be handed out."""
    if expanded.any():
        net = topic_network(material, expanded)
        name = "partitions" if expanded.all() else "mixed"
        return finish(net, net.network, goals, [], name)
    net = build(material, np.zeros(len(material.rows), dtype=np.int64), np.zeros(1, dtype=np.int64))
    first = goals[: goals.index("topics")] if "topics" in goals else goals
    levels, network, flow = solve_levels(net, net.network, first, "merged")
    rest = goals[len(first) :]
    if not rest:
        moves, failed = hand_out(net, flow)
        if not len(failed):
            return moves, levels, np.zeros_like(expanded)
    fine = topic_network(material, expanded)
    face = fine.network
    for level in levels:
        face = narrow(face, fine.objective(level.goal), lift(net, fine, level.potential))
    try:
        return finish(fine, tightened(fine, face), rest, levels, "topics")
    except Infeasible:
        # what the merged network promises cannot be had topic by topic
        return finish(fine, fine.network, goals, [], "topics")


def topic_network(material: Material, expanded: npt.NDArray[np.bool_]) -> PlacementNetwork:
    """A unit for each topic, and for each partition of the topics in ``expanded``."""
    topic = material.problem.cluster.topic_idx[material.rows].astype(np.int64)
    key = np.where(expanded[topic], len(expanded) + np.arange(len(topic)), topic)
    units, unit_of = np.unique(key, return_inverse=True)
    family = np.zeros(len(units), dtype=np.int64)
    present, topic_rank = np.unique(topic, return_inverse=True)
    family[unit_of] = topic_rank
    assert len(present) > family.max(initial=-1)
    net = build(material, unit_of, family)
    return replace(net, network=tightened(net, net.network))


def solve_levels(
    net: PlacementNetwork, network: Network, goals: tuple[str, ...], name: str
) -> tuple[list[ProvedLevel], Network, Int64]:
    """Goals one after the other, each on the optimal face of those before."""
    levels = []
    flow = net.guess()
    for goal in goals:
        objective = net.objective(goal)
        best = solve(network, objective, flow)
        flow = best.flow
        levels.append(ProvedLevel(goal, best.value, name, best.potential))
        network = tightened(net, narrow(network, objective, best.potential))
    return levels, network, flow


def finish(
    net: PlacementNetwork, network: Network, goals: tuple[str, ...], before: list[ProvedLevel], name: str
) -> tuple[Moves, list[ProvedLevel], npt.NDArray[np.bool_]]:
    """Solve the goals that are left, settle ties and hand out."""
    levels, network, flow = solve_levels(net, network, goals, name)
    flow = settle(net, network, flow, ties=name == "partitions")
    moves, failed_units = hand_out(net, flow)
    failed = np.zeros(len(net.material.problem.cluster.topics), dtype=bool)
    rows = np.isin(net.unit_of, failed_units)
    failed[net.material.problem.cluster.topic_idx[net.material.rows[rows]]] = True
    return moves, before + levels, failed


def settle(net: PlacementNetwork, network: Network, flow: Int64, *, ties: bool) -> Int64:
    """Among equally good placements: followers move rather than leaders, then the lowest broker ids."""
    leaders = np.zeros(len(network.tail), dtype=np.int64)
    leaders[net.leave.index] = net.leave_leaders
    objective = Objective.of_linear(leaders)
    best = solve(network, objective, flow)
    if not ties:
        return best.flow
    network = narrow(network, objective, best.potential)
    lowest = np.zeros(len(network.tail), dtype=np.int64)
    lowest[net.arrive.index] = net.arrive.broker
    return solve(network, Objective.of_linear(lowest), best.flow).flow


def tightened(net: PlacementNetwork, network: Network) -> Network:
    """Cell arcs bounded by what can leave and reach their cell: implied, and far fewer steps."""
    n_eligible = len(net.material.brokers)

    def cells(arcs: object, bound: Int64) -> Int64:
        key = net.family_of[arcs.unit] * n_eligible + arcs.broker
        return np.bincount(key, weights=bound[arcs.start : arcs.stop], minlength=len(net.cell.unit)).astype(np.int64)

    here = net.guess()[net.cell.index]
    least = here - cells(net.leave, network.upper) + cells(net.arrive, network.lower)
    most = here - cells(net.leave, network.lower) + cells(net.arrive, network.upper)
    lower, upper = network.lower.copy(), network.upper.copy()
    lower[net.cell.index] = np.maximum(lower[net.cell.index], least)
    upper[net.cell.index] = np.minimum(upper[net.cell.index], most)
    return replace(network, lower=lower, upper=upper)


def lift(coarse: PlacementNetwork, fine: PlacementNetwork, potential: Int64) -> Int64:
    """Potentials of a network of one unit on one of many: every node takes that of its like."""
    n_eligible, n_racks = len(fine.material.brokers), fine.material.problem.n_racks
    n_fine, n_cells = len(fine.network.supply), len(fine.cell.unit)
    first_pool = 1 + 2 * n_eligible
    like = np.empty(n_fine, dtype=np.int64)
    like[: 1 + n_eligible] = np.arange(1 + n_eligible)
    cells = np.arange(n_cells)
    like[1 + n_eligible : 1 + n_eligible + n_cells] = 1 + n_eligible + cells % n_eligible
    n_units = len(fine.family_of)
    at = 1 + n_eligible + n_cells
    halves = (len(coarse.network.supply) - first_pool - (n_racks > 1)) // n_racks
    for half in range(halves):
        pools = np.arange(n_units * n_racks)
        like[at : at + len(pools)] = first_pool + half * n_racks + pools % n_racks
        at += len(pools)
    like[at:] = len(coarse.network.supply) - 1
    return potential[like]
