"""The leaders of topics on large clusters: nearly level, in a tenth of the time that the best takes.

The goals before say how many partitions each broker leads, and who may change. Among what is left every
cell (topic, broker) should have its share. First brokers have prices: everyone goes where that is better at
these prices, brokers that then lead too many become dearer, and so on. What is still off is mended by flows
over the brokers alone: changes that have no cell in common add up, so a flow finds the best set of them
that gives every broker its number; and its potentials are the prices for the next.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from equipoise.planning.basis.distinct import distinct, ranks
from equipoise.planning.flow.convex import solve
from equipoise.planning.flow.network import Infeasible, Int32, Int64, Network, Objective
from equipoise.planning.goals.interface import Counted
from equipoise.planning.networks.open_choices import BoolArray, CoarseFace, open_options
from equipoise.planning.networks.role_networks import Roles, cell_bands

FINENESS = 64
"""Parts of one that prices are whole numbers of."""
PENALTY = 2**10
"""Of a leader too many or too few on a broker: far more than any change is worth, until there is no other."""
GREAT = -4 * FINENESS
"""Changes that gain more than this come first, in any order: else they would all go to the same cells."""
NOWHERE = 2**28
"""Cost of what is not open."""


@dataclass(frozen=True, eq=False)
class Choices:
    """Items with more than one open option, and the cells (family, node) that these lie in."""

    item: Int64
    """``(n,)``: index into the roles' items."""
    cell: Int32
    """``(n, n_options)``: number of the cell, that of the last one where the option is not open."""
    node: Int32
    """``(n_cells,)`` as ``low`` and ``high``; the last cell stands for none."""
    low: Int32
    high: Int32


@dataclass(frozen=True, eq=False)
class Offers:
    """Changes that some choices may make."""

    choice: Int64
    to: Int32
    """The cell that would be chosen."""
    cost: Int32
    """In parts of `FINENESS`, with those before in the same cells."""


class ChosenLeaders:
    """What is chosen, and what each cell and node has of it; changed in place."""

    def __init__(self, choices: Choices, column: Int64, roles: Roles) -> None:
        cells = choices.cell
        self.choices = choices
        self.at: Int32 = cells[np.arange(len(cells)), column[choices.item]]
        """``(n,)``: the cell of each choice."""
        chosen = roles.option[np.arange(len(column)), column]
        self.led: Int64 = np.bincount(chosen, minlength=roles.n_nodes)
        """``(n_nodes,)``: of all items."""
        self.has = np.bincount(self.at, minlength=len(choices.node)).astype(np.int32)
        """``(n_cells,)``, of choices alone."""

    def margins(self) -> tuple[Int32, Int32]:
        """What one more in each cell would cost, and what the last one there costs."""
        above, below = self.has - self.choices.high, self.choices.low - self.has
        # The square of the distance rises by 2 d + 1 from d on; inside the band one more costs nothing. Below
        # it the last one has saved what its loss would cost, so its cost is below 0.
        more = np.where(above >= 0, 2 * above + 1, np.minimum(1 - 2 * below, 0))
        last = np.where(below >= 0, -2 * below - 1, np.maximum(2 * above - 1, 0))
        more[-1] = NOWHERE // FINENESS
        return more * np.int32(FINENESS), last * np.int32(FINENESS)

    def wishes(self, price: Int32, turn: int) -> tuple[Int32, Int32]:
        """The best change of every choice at these prices of nodes: its cell and its cost, ``(n,)`` each.

        ``turn`` decides between what is as good.
        """
        more, last = self.margins()
        there = price[self.choices.node]
        more, last = more + there, last + there
        chance = scattered(len(self.at), turn)
        to, cost = self.at, np.full(len(self.at), NOWHERE, dtype=np.int32)
        for k, cell in enumerate(self.choices.cell.T):
            # Less than an eighth of a unit: it decides between
            # what is equal, or nearly so where prices are broken.
            its = more[cell] + (chance >> np.int32(3 * k) & np.int32(7))
            its[cell == self.at] = NOWHERE
            to, cost = np.where(its < cost, cell, to), np.minimum(its, cost)
        return to, cost - last[self.at]

    def offers(self, price: Int32, turn: int, reach: int) -> Offers:
        """Changes that cost less than ``reach``, cheapest first, each with what those before make dearer."""
        to, cost = self.wishes(price, turn)
        some = np.flatnonzero(cost < reach)
        some = some[in_order(np.where(cost < GREAT, GREAT - scattered(len(cost), turn), cost)[some])]
        # Each unit in a cell costs at most 2 more than the one before it. With that on top, changes cost no
        # more together than their costs add up to, whichever of them are made.
        dearer = 2 * FINENESS * turns(self.at[some], to[some]).astype(np.int32)
        cost = cost[some] + dearer
        keep = cost < reach
        return Offers(some[keep], to[some[keep]], cost[keep])

    def change(self, offers: Offers, taken: Int64 | BoolArray) -> None:
        """Make the changes ``taken``."""
        choice, to = offers.choice[taken], offers.to[taken]
        node, left = self.choices.node, self.at[choice]
        for cell, sign in ((left, -1), (to, 1)):
            self.has += sign * np.bincount(cell, minlength=len(self.has)).astype(np.int32)
            self.led += sign * np.bincount(node[cell], minlength=len(self.led))
        self.at[choice] = to


def is_called_for(roles: Roles, goals: tuple[tuple[str, Counted], ...]) -> bool:
    """True for cells as the last level of more than ``exact_leaders`` options, where replicas move.

    Where none does, the best order is the best of all plans, and is proved. Changes are to be limited by a
    level before: planning again on the result would find something better to do.
    """
    kinds = [kind for _, kind in goals]
    of_items = [kind for kind in kinds if kind.needs_items]
    asked = of_items == kinds[-1:] == [Counted.CELLS] and Counted.CHANGES in kinds
    return asked and not roles.reorders.all() and int((roles.option >= 0).sum()) > roles.params.exact_leaders


def rounded(roles: Roles, face: CoarseFace) -> Int64 | None:
    """A column for each item, ``(n_items,)``: best at the levels of the face, nearly so at that of cells.

    None where no such choice is found, or no more than ``open_leaders`` options are open.
    """
    try:
        # Everything that these leave open is equally good at the levels before, as long as counts of nodes
        # keep to the face: only then it may be chosen by prices.
        open_ = open_options(roles, face)
    except Infeasible:
        return None
    if open_.sum() - len(open_) <= roles.params.open_leaders:
        return None
    stays = (roles.default >= 0) & open_[np.arange(len(open_)), roles.default]
    column = np.where(stays, roles.default, open_.argmax(axis=1))
    standing = ChosenLeaders(choices_of(roles, open_, column), column, roles)
    price = by_prices(standing, face)
    if not by_flows(standing, face, price):
        return None
    choices = standing.choices
    column[choices.item] = (choices.cell == standing.at[:, None]).argmax(axis=1)
    return column


def choices_of(roles: Roles, open_: BoolArray, column: Int64) -> Choices:
    """The items that have a choice, where the others choose ``column``."""
    n = roles.n_nodes
    decided = open_.sum(axis=1) <= 1
    item, fixed = np.flatnonzero(~decided), np.flatnonzero(decided)
    n_cells = (int(roles.family.max(initial=-1)) + 1) * n
    # What is not open gets one more cell, which costs too much for anyone to go to.
    key = np.where(open_[item], roles.family[item, None] * n + roles.option[item], n_cells)
    cells, cell = distinct(np.append(key.ravel(), n_cells), n_cells + 1)
    # Who has no choice is there for good: bands are what is left to the others.
    there = np.bincount(roles.family[fixed] * n + roles.option[fixed, column[fixed]], minlength=n_cells)
    there = there[cells[:-1]]
    low, high = (
        np.append(band - there, 0).astype(np.int32)
        for band in cell_bands(roles, cells[:-1], np.flatnonzero(roles.cell_weight > 0))
    )
    of_option = cell[:-1].reshape(key.shape).astype(np.int32)
    return Choices(item, of_option, (cells % n).astype(np.int32), low, high)


def by_prices(standing: ChosenLeaders, face: CoarseFace) -> Int32:
    """Some rounds of choices at prices, and of prices that follow them; returns the prices, ``(n_nodes,)``.

    A price moves by steps that grow while a node stays on one side of its bounds and shrink where it does
    not (M. Riedmiller, H. Braun, "A direct adaptive method for faster backpropagation learning").
    """
    price = np.zeros(len(standing.led), dtype=np.int32)
    step, side = np.full(len(price), FINENESS / 2), np.zeros(len(price))
    for turn in range(face.network.params.rounding_rounds):
        now = np.sign(over(standing, face))
        step = np.where(now * side > 0, step * 1.2, np.where(now * side < 0, step / 2, step))
        step, side = np.clip(step, 1, FINENESS), now
        price += (now * step).astype(np.int32)
        # Only changes that gain at these prices; flows may take others, to bring nodes within their bounds.
        offers = standing.offers(price, turn, 0)
        standing.change(offers, np.arange(len(offers.to)))
    return price


def by_flows(standing: ChosenLeaders, face: CoarseFace, price: Int32) -> bool:
    """Flows over the nodes until all are within their bounds, and some more; False if they never are."""
    params, within = face.network.params, 0
    for turn in range(params.rounding_tries):
        # A flow can only take what it is offered; its potentials say which changes to offer to the next.
        price = by_flow(standing, face, price, params.rounding_rounds + turn)
        within += not over(standing, face).any()
        if within == params.rounding_flows:
            return True
    return within > 0


def over(standing: ChosenLeaders, face: CoarseFace) -> Int64:
    """``(n_nodes,)``: how many too many each node has, below 0 where it has too few."""
    arcs = face.coarse.node_arcs
    least, most = face.network.lower[arcs], face.network.upper[arcs]
    return np.maximum(standing.led - most, 0) - np.maximum(least - standing.led, 0)


def by_flow(standing: ChosenLeaders, face: CoarseFace, price: Int32, turn: int) -> Int32:
    """Make the changes that bring nodes within their bounds at the least cost; returns the next prices."""
    offers = standing.offers(price, turn, FINENESS * face.network.params.rounding_reach)
    node, n = standing.choices.node, len(price)
    left, to = node[standing.at[offers.choice]].astype(np.int64), node[offers.to].astype(np.int64)
    # Rounded down, which takes off the eighth that chance has added.
    cost = (offers.cost + price[left] - price[to]) // FINENESS  # of the change alone, without prices
    lowest = int(cost.min(initial=0))
    kind = ((cost - lowest) * n + left) * n + to
    order = in_order(kind)
    kinds, first, room = np.unique(kind[order], return_index=True, return_counts=True)
    best = solve(*network_of(standing, face, (kinds // n % n, kinds % n, room, kinds // n // n + lowest)))
    times = best.flow[len(best.flow) - len(kinds) :]
    of_kind = np.repeat(np.arange(len(kinds)), times)
    standing.change(offers, order[first[of_kind] + ranks(of_kind)])
    # Only differences of prices matter; one node at 0 keeps them small.
    stands = best.potential[-n:]
    return FINENESS * (stands - stands[0]).astype(np.int32)


def network_of(
    standing: ChosenLeaders, face: CoarseFace, changes: tuple[Int64, Int64, Int64, Int64]
) -> tuple[Network, Objective]:
    """Node → group → sink within the bounds of the face, or for a penalty outside, then the ``changes``.

    Those are arcs between nodes: from, to, room and cost of each.
    """
    left, to, room, cost = changes
    coarse, bounds = face.coarse, face.network
    front = np.concatenate([coarse.node_arcs, coarse.group_arcs])
    n, first = len(standing.led), 1 + len(coarse.group_arcs)
    nodes, sink = first + np.arange(n), np.zeros(n, dtype=np.int64)
    everything = np.full(2 * n, standing.led.sum())
    network = Network(
        np.concatenate([[-standing.led.sum()], np.zeros(first - 1, dtype=np.int64), standing.led]),
        np.concatenate([bounds.tail[front], nodes, sink, first + left]).astype(np.int32),
        np.concatenate([bounds.head[front], sink, nodes, first + to]).astype(np.int32),
        np.concatenate([bounds.lower[front], np.zeros(2 * n + len(left), dtype=np.int64)]),
        np.concatenate([bounds.upper[front], everything, room]),
        bounds.params,
    )
    free = np.zeros(len(front), dtype=np.int64)
    return network, Objective.of_linear(np.concatenate([free, np.full(2 * n, PENALTY), cost]))


def scattered(n: int, turn: int) -> Int32:
    """``(n,)`` numbers below 2**16 without a pattern, the same on any machine; others for every turn."""
    mixed = np.arange(n, dtype=np.uint32) * np.uint32(2654435761) + np.uint32(turn * 0x9E3779B1 % 2**32)
    mixed ^= mixed >> np.uint32(15)
    mixed *= np.uint32(2246822519)
    return (mixed >> np.uint32(16)).astype(np.int32)


def in_order(numbers: Int32 | Int64) -> Int64:
    """The order in which numbers rise, equal ones as they come; faster than a stable sort of places."""
    lowest = int(numbers.min(initial=0))
    keyed = (numbers.astype(np.int64) - lowest << np.int64(32)) + np.arange(len(numbers))
    keyed.sort()
    return keyed & np.int64(2**32 - 1)


def turns(left: Int32, to: Int32) -> Int64:
    """How often the two cells of each change are among those of the changes before it, ``(n,)``."""
    ends = np.stack([left, to], axis=1).ravel()
    order = in_order(ends)
    before = np.empty(len(ends), dtype=np.int64)
    before[order] = ranks(ends[order])
    return before.reshape(-1, 2).sum(axis=1)
