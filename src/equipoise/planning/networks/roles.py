"""Who plays a part in each partition (leads it, follows first), chosen goal after goal.

As with placement there is a coarse network, of nodes alone, with as much room between two nodes as
there are items with the one as default and the other as option, and a fine one with a node for
each item. The coarse face says which items can change at all; only those enter the fine one.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass, replace

import numpy as np

from equipoise.cluster.proofs import NetworkName
from equipoise.planning.basis.certificate import ProvedLevel
from equipoise.planning.flow.convex import narrow, solve
from equipoise.planning.flow.network import Infeasible, Int64, Network, Objective
from equipoise.planning.goals.interface import Counted
from equipoise.planning.networks.open_choices import CoarseFace
from equipoise.planning.networks.role_networks import (
    RoleNetwork,
    Roles,
    coarse_network,
    fine_network,
    option_sets,
    present,
    transfers,
)
from equipoise.planning.networks.topic_rounding import is_called_for, rounded

LOG = logging.getLogger(__name__)


@dataclass(frozen=True, eq=False)
class Chosen:
    """The column chosen for each item and the proof of each level."""

    column: Int64
    levels: tuple[ProvedLevel, ...]


def choose(roles: Roles, goals: tuple[tuple[str, Counted], ...]) -> Chosen:
    """Solve the levels ``(goal name, kind)`` in order.

    Cells as the last level are only nearly best, and without a proof, beyond ``roles.params.exact_leaders``.
    """
    if (roles.option >= 0).sum() <= roles.params.order_options:
        return choose_fine(roles, goals, None, ())
    # Levels of nodes alone ask only how many items change from node to node, which the coarse network counts.
    # From the first level that asks who they are each item has to be a node.
    cut = next((k for k, goal in enumerate(goals) if goal[1].needs_items), len(goals))
    coarse = coarse_network(roles)
    network, levels = coarse.network, []
    guess = np.zeros(len(network.tail), dtype=np.int64)
    for goal, kind in goals[:cut]:
        LOG.info("the order of lists: %s", goal)
        objective = coarse.objective(roles, kind)
        best = solve(network, objective, guess)
        guess = best.flow
        levels.append(ProvedLevel(goal, best.value, NetworkName.BROKERS, best.potential))
        network = narrow(network, objective, best.potential)
    face = CoarseFace(coarse, network)
    if is_called_for(roles, goals):
        column = rounded(roles, face)
        if column is not None:
            return Chosen(column, tuple(levels))
    try:
        return choose_fine(roles, goals[cut:], face, tuple(levels))
    except Infeasible:
        # the room between nodes was promised to one item twice
        return choose_fine(roles, goals, None, ())


def choose_fine(
    roles: Roles,
    goals: tuple[tuple[str, Counted], ...],
    face: CoarseFace | None,
    levels: tuple[ProvedLevel, ...],
) -> Chosen:
    """Solve the levels with a node for each item that may change; raises `Infeasible` off a face."""
    item, column, key = transfers(roles)
    least = np.zeros(len(item), dtype=np.int64)
    if face is not None:
        pair = (
            face.network.tail[face.coarse.change_arcs].astype(np.int64),
            face.network.head[face.coarse.change_arcs],
        )
        shift = 1 + len(roles.group_low)
        arc_key = (pair[0] - shift) * roles.n_nodes + pair[1] - shift
        # Arcs of the coarse network are in the order of their
        # pairs, and each possible change has its pair there.
        at = np.searchsorted(arc_key, key)
        open_ = face.network.upper[face.coarse.change_arcs][at] > 0
        least = (face.network.lower[face.coarse.change_arcs][at] > 0).astype(np.int64)
        item, column, least = item[open_], column[open_], least[open_]
    # Items without a default have to choose in any case: all their options stay, and `on_face` bounds them.
    lost_item, lost_column = np.nonzero((roles.option >= 0) & (roles.default < 0)[:, None])
    net = fine_network(roles, item, column, lost_item, lost_column)
    network = net.network
    if face is not None:
        network = on_face(roles, net, face, least, lost_item, roles.option[lost_item, lost_column])
    name = NetworkName.BROKERS_AND_ITEMS if face is not None else NetworkName.ITEMS
    solved = list(levels)
    guess = present(roles, net)
    for goal, kind in goals:
        LOG.info("the order of lists: %s", goal)
        objective = net.objective(roles, kind)
        best = solve(network, objective, guess)
        guess = best.flow
        solved.append(ProvedLevel(goal, best.value, name, best.potential))
        network = narrow(network, objective, best.potential)
    if not goals or face is None:
        # Ties go to who stands first in the list, on a coarse face to anyone. Where no level is left a flow
        # of that face is still to be found.
        lowest = np.zeros(len(network.tail), dtype=np.int64)
        if face is None:
            lowest[net.change_arcs] = column
            lowest[len(lowest) - len(lost_item) :] = lost_column
        guess = solve(network, Objective.of_linear(lowest), guess).flow
    chosen = roles.default.copy()
    moved = guess[net.change_arcs] > 0
    chosen[item[moved]] = column[moved]
    taken = guess[len(guess) - len(lost_item) :] > 0
    chosen[lost_item[taken]] = lost_column[taken]
    return Chosen(chosen, tuple(solved))


def on_face(
    roles: Roles, net: RoleNetwork, face: CoarseFace, least: Int64, lost_item: Int64, lost_node: Int64
) -> Network:
    """The fine network's bounds with nodes, groups and lost items held to the coarse face."""
    lower, upper = net.network.lower.copy(), net.network.upper.copy()
    coarse, bounds = face.coarse, face.network
    for mine, theirs in ((net.node_arcs, coarse.node_arcs), (net.group_arcs, coarse.group_arcs)):
        lower[mine] = bounds.lower[theirs]
        upper[mine] = bounds.upper[theirs]
    lower[net.change_arcs] = least
    first_node = 1 + len(roles.group_low)
    sets = bounds.tail[coarse.free_arcs].astype(np.int64) - first_node - roles.n_nodes
    key = sets * roles.n_nodes + bounds.head[coarse.free_arcs] - first_node
    lost, of = np.unique(lost_item, return_inverse=True)
    at = np.searchsorted(key, option_sets(roles, lost)[1][of] * roles.n_nodes + lost_node)
    upper[net.free_arcs] = (bounds.upper[coarse.free_arcs][at] > 0).astype(np.int64)
    lower[net.free_arcs] = (bounds.lower[coarse.free_arcs][at] > 0).astype(np.int64)
    return replace(net.network, lower=lower, upper=upper)
