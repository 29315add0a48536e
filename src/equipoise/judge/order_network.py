"""Who leads where replicas stay: a flow with a node for every partition that may change its leader.

For a plan that moves nothing, where the replica sets of every best plan are those of today; or for orders of
the sets that a plan has, which says nothing of others.

Nodes: 0 the sink; the racks; the brokers; the cells (topic, broker) that lead or may come to lead
something; the partitions that may keep their leader or change it; those that have to change it.
"""

from __future__ import annotations

import numpy as np

from equipoise.cluster.proofs import NetworkName
from equipoise.judge.duality import FlowProblem
from equipoise.judge.goals.registry import goal_of
from equipoise.judge.order_choices import Choices, choices_of
from equipoise.judge.relaxation import Arcs, Int64, Relaxation, one_each
from equipoise.judge.views import OrderView
from equipoise.judge.violations import Case


def order_relaxation(case: Case) -> Relaxation:
    """The network of a case.

    Potentials of the "brokers" network have one node for all cells of a broker, and those of
    "brokers+items" lack what the levels before have closed; both are lifted.
    """
    choices = choices_of(case)
    everything = np.ones(len(choices.item), dtype=bool)
    cells, items, lost = choices.nodes(everything)
    arcs, supply = arcs_of(choices, cells, items, lost)

    open_: np.ndarray | None = None

    def lifted(name: str, potential: Int64, face: FlowProblem) -> Int64:
        nonlocal open_
        if name == NetworkName.ITEMS:
            return one_each(potential, len(supply))
        if name == NetworkName.BROKERS:
            return from_brokers(choices, potential, cells, items, lost)
        if open_ is None:  # what the levels on "brokers" left open; all later levels have those nodes
            open_ = face.upper[arcs.kinds["choose"]] > 0
        return from_open(choices, potential, open_, cells, items, lost)

    view = OrderView(choices, arcs, cells)
    return Relaxation(
        arcs.network(supply),
        lambda goal: goal_of(goal).on_orders(view),
        lifted,
        ((arcs.kinds["release"], "head"), (arcs.kinds["cell"], "tail")),
    )


def arcs_of(choices: Choices, cells: Int64, items: Int64, lost: Int64) -> tuple[Arcs, Int64]:
    """The arcs and the supplies."""
    brokers, n = choices.case.cluster.brokers, choices.n_brokers
    n_racks, total = len(brokers.rack_names), len(choices.rows)
    first_item = choices.first_cell + len(cells)
    first_lost = first_item + len(items)
    node = np.full(total, -1, dtype=np.int64)
    node[items], node[lost] = first_item + np.arange(len(items)), first_lost + np.arange(len(lost))
    home, into = (choices.first_cell + np.searchsorted(cells, key) for key in (choices.home, choices.cell))

    supply = np.zeros(first_lost + len(lost), dtype=np.int64)
    np.add.at(supply, home[choices.home >= 0], 1)
    # Who leads on starts at its cell and may go straight to
    # its broker, which changes nothing and costs nothing.
    supply[first_lost:] = 1
    supply[0] = -total
    rack, broker = 1 + np.arange(n_racks), 1 + n_racks + np.arange(n)
    arcs = Arcs()
    arcs.add("rack", rack, np.zeros_like(rack), np.full(n_racks, total))
    arcs.add("broker", broker, 1 + brokers.rack_idx.astype(np.int64), np.full(n, total))
    at = choices.first_cell + np.arange(len(cells))
    arcs.add("cell", at, 1 + n_racks + cells % n, np.full(len(cells), total))
    arcs.add("release", home[items], node[items], np.ones(len(items), dtype=np.int64))
    arcs.add("choose", node[choices.item], into, np.ones(len(into), dtype=np.int64))
    arcs.kinds["change"] = arcs.kinds["choose"][choices.home[choices.item] >= 0]
    return arcs, supply


def from_brokers(choices: Choices, potential: Int64, cells: Int64, items: Int64, lost: Int64) -> Int64:
    """Every cell has its broker's potential, every partition that of its leader or of its set of options."""
    sets, set_of = option_sets(choices, lost)
    first_broker = choices.first_cell - choices.n_brokers
    potential = one_each(potential, choices.first_cell + sets)
    n = choices.n_brokers
    return np.concatenate(
        [
            potential[: choices.first_cell],
            potential[first_broker + cells % n],
            potential[first_broker + choices.home[items] % n],
            potential[choices.first_cell + set_of],
        ]
    )


def option_sets(choices: Choices, lost: Int64) -> tuple[int, Int64]:
    """How many distinct sets of brokers the partitions without a leader could have, and which is whose."""
    lists = choices.case.rules.base[choices.rows[lost]].astype(np.int64)
    lists = np.sort(np.where((lists >= 0) & choices.case.rules.leads[lists], lists, -1), axis=1)
    sets, set_of = np.unique(lists, axis=0, return_inverse=True)
    return len(sets), set_of.ravel()


def from_open(
    choices: Choices, potential: Int64, open_: np.ndarray, cells: Int64, items: Int64, lost: Int64
) -> Int64:
    """What has no node there gets the potential of its broker: nothing can flow through it any more."""
    # Between nodes of one price an arc's reduced cost is its cost, which is never below 0: what is lifted
    # takes nothing off the bound.
    some_cells, some_items, _ = choices.nodes(open_)
    first, n = choices.first_cell, choices.n_brokers
    potential = one_each(potential, first + len(some_cells) + len(some_items) + len(lost))
    of_cell = potential[first - n + cells % n]
    of_cell[np.searchsorted(cells, some_cells)] = potential[first : first + len(some_cells)]
    of_item = of_cell[np.searchsorted(cells, choices.home[items])]
    items_from = first + len(some_cells)
    of_item[np.searchsorted(items, some_items)] = potential[items_from : items_from + len(some_items)]
    return np.concatenate([potential[:first], of_cell, of_item, potential[items_from + len(some_items) :]])
