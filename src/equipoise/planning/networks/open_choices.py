"""What each item may still choose once the network of nodes alone has decided its levels."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from equipoise.planning.flow.network import Infeasible, Int64, Network
from equipoise.planning.networks.role_networks import RoleNetwork, Roles, option_sets

BoolArray = npt.NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class CoarseFace:
    """The optimal face of the coarse network."""

    coarse: RoleNetwork
    network: Network


def open_options(roles: Roles, face: CoarseFace) -> BoolArray:
    """``(n_items, n_options)``: True where the choice keeps to the arcs of the face.

    Choices within it that give every node and group a number within the face's bounds are all best at the
    levels that it is of. Raises `Infeasible` where an item has two options that both must be taken.
    """
    kept, lost = np.flatnonzero(roles.default >= 0), np.flatnonzero(roles.default < 0)
    open_ = np.zeros(roles.option.shape, dtype=bool)
    open_[kept] = open_to_kept(roles, face, kept)
    open_[lost] = open_to_lost(roles, face, lost)
    return open_


def open_to_kept(roles: Roles, face: CoarseFace, items: Int64) -> BoolArray:
    """The open options of items that have a default: it, and others to which an arc has room."""
    default, option = roles.default[items], roles.option[items]
    # An arc between two nodes stands for all items with the one for default and the other for option. Costs
    # are of units alone there, so on a face it is free or full: full means that every such item has to go
    # that way, and two such ways for one item are more than the items can keep.
    home = option[np.arange(len(items)), default]
    may, must = tables(roles, face, face.coarse.change_arcs, roles.n_nodes)
    at = home[:, None], np.maximum(option, 0)
    others = option >= 0
    others[np.arange(len(items)), default] = False
    open_ = may[at] & others
    # To stay is the arc's flow of nothing: `held_to` closes it where an item has to go.
    open_[np.arange(len(items)), default] = True
    return held_to(open_, must[at] & others)


def open_to_lost(roles: Roles, face: CoarseFace, items: Int64) -> BoolArray:
    """The open options of items that have lost their default."""
    sets, set_of = option_sets(roles, items)
    may, must = tables(roles, face, face.coarse.free_arcs, len(sets), roles.n_nodes)
    option = roles.option[items]
    at = set_of[:, None], np.maximum(option, 0)
    return held_to(may[at] & (option >= 0), must[at] & (option >= 0))


def tables(
    roles: Roles, face: CoarseFace, arcs: Int64, n_tails: int, first_tail: int = 0
) -> tuple[BoolArray, BoolArray]:
    """``(n_tails, n_nodes)`` each: whether the arc between the two may, and whether it must carry flow."""
    first_node = 1 + len(roles.group_low)
    network = face.network
    ends = network.tail[arcs] - first_node - first_tail, network.head[arcs] - first_node
    may, must = (np.zeros((n_tails, roles.n_nodes), dtype=bool) for _ in range(2))
    may[ends], must[ends] = network.upper[arcs] > 0, network.lower[arcs] > 0
    return may, must


def held_to(open_: BoolArray, must: BoolArray) -> BoolArray:
    """The open options, of items with one that must be taken that one alone."""
    if np.any(must.sum(axis=1) > 1):
        raise Infeasible
    return open_ & ~must.any(axis=1, keepdims=True) | must
