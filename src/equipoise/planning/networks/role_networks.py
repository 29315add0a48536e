"""The networks of who plays a part in each partition: a coarse one of nodes alone, a fine one of items.

Every item has options, nodes among which one is chosen, and a default that costs nothing. Nodes
have a band (leaders per broker), cells (family, node) have one too (leaders of a topic per
broker). Leaders have brokers as nodes; first followers have pairs (leader, follower).
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
import numpy.typing as npt

from equipoise.planning.basis.distinct import counted, distinct, distinct_rows
from equipoise.planning.flow.network import Int64, Network, Objective
from equipoise.planning.goals.interface import Counted
from equipoise.planning.problem.params import Params


@dataclass(frozen=True, eq=False)
class Roles:
    """One choice for each item."""

    option: Int64
    """``(n_items, n_options)`` node of each option, -1 where there is none."""
    default: Int64
    """``(n_items,)`` column of the default, -1 where the item has lost it."""
    family: Int64
    """``(n_items,)``: items of a family share cells."""
    base: Int64
    """``(n_nodes,)``: what is on each node for good."""
    base_cell: tuple[Int64, Int64]
    """Cells (family * n_nodes + node) with something there for good, ascending, and how much."""
    low: Int64
    """``(n_nodes,)``: band of each node."""
    high: Int64
    group: Int64
    """``(n_nodes,)``: the group (rack) of each node, for a level on groups."""
    group_low: Int64
    group_high: Int64
    cell_weight: Int64
    """``(n_nodes,)``: weight in a family's shares; 0 for nodes without one."""
    forced: int
    """Items without a default that count as changed all the same."""
    reorders: npt.NDArray[np.bool_]
    """``(n_items,)``: a change of this item is a pure reorder of its list."""
    params: Params
    leading: Int64 | None = None
    """``(n_items, n_options)``: what each option costs a goal that counts that, None where none does."""
    led: int = 0
    """What that goal counts of what is there for good."""

    @property
    def n_nodes(self) -> int:
        return len(self.base)

    @property
    def forced_reorders(self) -> int:
        """Items without a default that are reordered whatever they choose."""
        return int(self.reorders[self.default < 0].sum())


@dataclass(frozen=True, eq=False)
class RoleNetwork:
    """Arcs: node → group, group → sink, cell → node (fine only), then the changes from item defaults."""

    network: Network
    node_arcs: Int64
    group_arcs: Int64
    cell_arcs: Int64
    change_arcs: Int64
    """Arcs that carry a change, one unit of cost each."""
    cell_low: Int64
    cell_high: Int64
    change_item: Int64
    """Item of each change arc in the fine network; empty in the coarse one."""
    free_arcs: Int64
    """Arcs from what lost its default to its options."""
    apart: int
    """Squared distances of the cells that nothing can reach."""
    change_column: Int64 = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    """Option of each change arc in the fine network."""
    lost: tuple[Int64, Int64] = (np.zeros(0, dtype=np.int64),) * 2
    """Item and option of each of the ``free_arcs`` there."""

    def objective(self, roles: Roles, counted: Counted) -> Objective:
        """The objective of a goal that counts this."""
        n_arcs = len(self.network.tail)
        if counted in (Counted.CHANGES, Counted.REORDERS):
            linear = np.zeros(n_arcs, dtype=np.int64)
            # Who has lost its default changes whatever it chooses:
            # that costs no arc, and is the same in every flow.
            changes = counted is Counted.CHANGES
            linear[self.change_arcs] = 1 if changes else roles.reorders[self.change_item]
            return Objective.of_linear(linear, roles.forced if changes else roles.forced_reorders)
        if counted is Counted.LEADING:
            return self.leading(roles)
        arcs, low, high = {
            Counted.NODES: (self.node_arcs, roles.low - roles.base, roles.high - roles.base),
            Counted.GROUPS: (self.group_arcs, *group_bands(roles)),
            Counted.CELLS: (self.cell_arcs, self.cell_low, self.cell_high),
        }[counted]
        apart = self.apart if counted is Counted.CELLS else 0
        return Objective.of_bands(n_arcs, arcs.astype(np.int32), low, high, apart)

    def leading(self, roles: Roles) -> Objective:
        """What the chosen options cost: a change costs, or saves, what it differs from the default by."""
        assert roles.leading is not None, "no goal counts it"
        linear = np.zeros(len(self.network.tail), dtype=np.int64)
        kept = np.flatnonzero(roles.default >= 0)
        stays = np.zeros(len(roles.default), dtype=np.int64)
        stays[kept] = roles.leading[kept, roles.default[kept]]
        linear[self.change_arcs] = (
            roles.leading[self.change_item, self.change_column] - stays[self.change_item]
        )
        linear[self.free_arcs] = roles.leading[self.lost]
        return Objective.of_linear(linear, roles.led + int(stays.sum()))


@dataclass(frozen=True, eq=False)
class Bunch:
    """Arcs of one meaning."""

    tail: Int64
    head: Int64
    upper: Int64


NO_ARCS = Bunch(*(np.zeros(0, dtype=np.int64),) * 3)


@dataclass(frozen=True, eq=False)
class Cells:
    """What is counted by family and node."""

    node: Int64
    """``(n_cells,)`` as all: the network's node of each cell."""
    of: Int64
    """Role node that it belongs to."""
    low: Int64
    high: Int64
    apart: int
    """Squared distances of the cells that nothing can reach."""


NO_CELLS = Cells(*(np.zeros(0, dtype=np.int64),) * 4, apart=0)


def group_bands(roles: Roles) -> tuple[Int64, Int64]:
    held = np.bincount(roles.group, weights=roles.base, minlength=len(roles.group_low)).astype(np.int64)
    return roles.group_low - held, roles.group_high - held


def transfers(roles: Roles) -> tuple[Int64, Int64, Int64]:
    """Item, column and key (default node * n_nodes + option node) of each possible change."""
    item, column = np.nonzero(roles.option >= 0)
    has = roles.default[item] >= 0
    item, column = item[has], column[has]
    other = column != roles.default[item]
    item, column = item[other], column[other]
    key = roles.option[item, roles.default[item]] * roles.n_nodes + roles.option[item, column]
    return item, column, key


def option_sets(roles: Roles, items: Int64) -> tuple[Int64, Int64]:
    """Distinct sets of options (each row ascending) and the set of each item."""
    return distinct_rows(np.sort(roles.option[items], axis=1))


def coarse_network(roles: Roles) -> RoleNetwork:
    """Nodes alone, and one source for each distinct set of options of items that lost their default."""
    n, n_groups = roles.n_nodes, len(roles.group_low)
    lost = np.flatnonzero(roles.default < 0)
    _, _, key = transfers(roles)
    # An item with several options has room on several arcs: the network may promise it twice. That is a
    # relaxation, so what it proves holds, and the fine network shows whether it can be had.
    pair, room = counted(key, n * n)
    sets, set_of = option_sets(roles, lost)
    size = np.bincount(set_of, minlength=len(sets))
    source, at = np.nonzero(sets >= 0)
    supply = np.zeros(1 + n_groups + n + len(sets), dtype=np.int64)
    kept = np.flatnonzero(roles.default >= 0)
    # Items start where their default is, so to keep it is to go straight on and costs nothing.
    supply[1 + n_groups : 1 + n_groups + n] = np.bincount(
        roles.option[kept, roles.default[kept]], minlength=n
    )
    supply[1 + n_groups + n :] = size
    first = 1 + n_groups
    change = Bunch(pair // n + first, pair % n + first, room)
    free = Bunch(source + first + n, sets[source, at] + first, size[source])
    return assemble(roles, supply, NO_ARCS, change, free, NO_CELLS)


def assemble(
    roles: Roles, supply: Int64, keep: Bunch, change: Bunch, free: Bunch, cells: Cells
) -> RoleNetwork:
    """Common part: node → group → sink in front of the arcs given; the sink takes what is supplied."""
    n, n_groups = roles.n_nodes, len(roles.group_low)
    total = int(supply.sum())
    supply[0] = -total
    nodes, groups = 1 + n_groups + np.arange(n), 1 + np.arange(n_groups)
    parts = [
        Bunch(nodes, 1 + roles.group, np.full(n, total)),
        Bunch(groups, np.zeros(n_groups, dtype=np.int64), np.full(n_groups, total)),
        Bunch(cells.node, 1 + n_groups + cells.of, np.full(len(cells.of), total)),
        keep,
        change,
        free,
    ]
    ends = np.cumsum([len(part.tail) for part in parts])
    node_arcs, group_arcs, cell_arcs, _, change_arcs, free_arcs = np.split(np.arange(ends[-1]), ends[:-1])
    network = Network(
        supply,
        np.concatenate([part.tail for part in parts]).astype(np.int32),
        np.concatenate([part.head for part in parts]).astype(np.int32),
        np.zeros(ends[-1], dtype=np.int64),
        np.concatenate([part.upper for part in parts]).astype(np.int64),
        roles.params,
    )
    return RoleNetwork(
        network,
        node_arcs,
        group_arcs,
        cell_arcs,
        change_arcs,
        cells.low,
        cells.high,
        np.zeros(0, dtype=np.int64),
        free_arcs,
        cells.apart,
    )


def fine_network(
    roles: Roles, item: Int64, column: Int64, lost_item: Int64, lost_column: Int64
) -> RoleNetwork:
    """Items that may change as nodes between the cells of their default and of their options."""
    n, n_groups = roles.n_nodes, len(roles.group_low)
    kept = np.flatnonzero(roles.default >= 0)
    home = roles.family[kept] * n + roles.option[kept, roles.default[kept]]
    target = roles.family[item] * n + roles.option[item, column]
    lost_target = roles.family[lost_item] * n + roles.option[lost_item, lost_column]
    weighed = np.flatnonzero(roles.cell_weight > 0)
    n_families = int(roles.family.max(initial=-1)) + 1
    cells, cell = distinct(np.concatenate([home, target, lost_target]), n_families * n)
    at_home, at_target, at_lost = np.split(cell, np.cumsum([len(home), len(target)]))
    changing, node_of = distinct(item, len(roles.default))
    lost, lost_node = distinct(lost_item, len(roles.default))
    first_cell = 1 + n_groups + n
    first_item = first_cell + len(cells)
    first_lost = first_item + len(changing)
    supply = np.zeros(first_lost + len(lost), dtype=np.int64)
    supply[first_cell:first_item] = np.bincount(at_home, minlength=len(cells))
    supply[first_lost:] = 1
    kept_as = np.full(len(roles.default), -1, dtype=np.int64)
    kept_as[kept] = at_home
    # An item gives its home up on one arc of one unit, so of several choices it can take one alone.
    keep = Bunch(
        first_cell + kept_as[changing],
        first_item + np.arange(len(changing)),
        np.ones(len(changing), dtype=np.int64),
    )
    change = Bunch(first_item + node_of, first_cell + at_target, np.ones(len(item), dtype=np.int64))
    free = Bunch(first_lost + lost_node, first_cell + at_lost, np.ones(len(lost_item), dtype=np.int64))
    low, high = cell_bands(roles, cells, weighed)
    families = np.union1d(roles.family, roles.base_cell[0] // n)
    grid = (families[:, None] * n + weighed[None, :]).ravel()
    # Cells without a node keep what they have. Their distance
    # is in the value of every plan, so it is in the bound.
    never = grid[~np.isin(grid, cells)]
    least, most = cell_bands(roles, never, weighed)
    apart = int((np.maximum(np.maximum(least, -most), 0) ** 2).sum())
    of_cells = Cells(first_cell + np.arange(len(cells)), cells % n, low, high, apart)
    net = replace(
        assemble(roles, supply, keep, change, free, of_cells),
        change_item=item, change_column=column, lost=(lost_item, lost_column),
    )  # fmt: skip
    return tightened_cells(net, supply, first_cell, len(cells))


def tightened_cells(net: RoleNetwork, supply: Int64, first_cell: int, n_cells: int) -> RoleNetwork:
    """Cell arcs bounded by what their cell has, can lose and can get: implied, and fewer steps."""
    network = net.network
    # Arcs of nodes, groups and cells come first; those after them lead into cells or out of them.
    rest = np.arange(int(net.cell_arcs[-1]) + 1 if len(net.cell_arcs) else 0, len(network.tail))

    def at(ends: npt.NDArray[np.int32]) -> Int64:
        inside = (ends[rest] >= first_cell) & (ends[rest] < first_cell + n_cells)
        return np.bincount(
            ends[rest][inside] - first_cell, weights=network.upper[rest][inside], minlength=n_cells
        ).astype(np.int64)

    here = supply[first_cell : first_cell + n_cells]
    lower, upper = network.lower.copy(), network.upper.copy()
    lower[net.cell_arcs] = np.maximum(here - at(network.tail), 0)
    upper[net.cell_arcs] = here + at(network.head)
    return replace(net, network=replace(network, lower=lower, upper=upper))


def cell_bands(roles: Roles, cells: Int64, weighed: Int64) -> tuple[Int64, Int64]:
    """Floor and ceiling of each cell's share of its family, less what is there for good."""
    n = roles.n_nodes
    total = np.bincount(roles.family, minlength=int(cells.max(initial=0)) // n + 1)
    fixed, count = roles.base_cell
    # Shares are of all that a family has. What may not change counts in them, and is then taken off the band
    # of the cell where it is.
    np.add.at(total, fixed[fixed < len(total) * n] // n, count[fixed < len(total) * n])
    # In whole numbers: by rounding errors a share that is
    # whole could get a floor and a ceiling of two numbers.
    whole = max(1, int(roles.cell_weight[weighed].sum()))
    parts = total[cells // n] * roles.cell_weight[cells % n]
    held = np.zeros(len(cells), dtype=np.int64)
    if len(fixed):
        at = np.minimum(np.searchsorted(fixed, cells), len(fixed) - 1)
        held = np.where(fixed[at] == cells, count[at], 0)
    return parts // whole - held, -(-parts // whole) - held


def present(roles: Roles, net: RoleNetwork) -> Int64:
    """The flow where every item keeps its default."""
    flow = np.zeros(len(net.network.tail), dtype=np.int64)
    first_cell = 1 + len(roles.group_low) + roles.n_nodes
    n_cells = len(net.cell_arcs)
    flow[net.cell_arcs] = net.network.supply[first_cell : first_cell + n_cells]
    kept = np.flatnonzero(roles.default >= 0)
    flow[net.node_arcs] = np.bincount(roles.option[kept, roles.default[kept]], minlength=roles.n_nodes)
    flow[net.group_arcs] = np.bincount(
        roles.group, weights=flow[net.node_arcs], minlength=len(net.group_arcs)
    )
    return flow
