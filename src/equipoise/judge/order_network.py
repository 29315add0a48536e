"""Who leads where replicas stay: a flow with a node for every partition that may change its leader.

For a plan that moves nothing, where the replica sets of every best plan are those of today; or for orders of
the sets that a plan has, which says nothing of others.

Nodes: 0 the sink; the racks; the brokers; the cells (topic, broker) that lead or may come to lead
something; the partitions that may keep their leader or change it; those that have to change it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from equipoise.judge.checks import changes_per_partition
from equipoise.judge.duality import FlowProblem
from equipoise.judge.goals import weights
from equipoise.judge.leader_network import banded, topic_leader_bands
from equipoise.judge.relaxation import Arcs, Cost, Int64, Relaxation, whole
from equipoise.judge.violations import Case


@dataclass(frozen=True, eq=False)
class Choices:
    """Possible leaders of the partitions that may change; the pairs are in (item, position) order."""

    case: Case
    rows: Int64
    """Partitions that may change."""
    home: Int64
    """``(n_rows,)``: cell of today's leader, -1 where it may not lead on."""
    item: Int64
    """Of each pair: index into ``rows``."""
    cell: Int64
    """Of each pair: the cell of a broker that could lead instead."""

    @property
    def n_brokers(self) -> int:
        return self.case.cluster.n_brokers

    @property
    def first_cell(self) -> int:
        return 1 + len(self.case.cluster.brokers.rack_names) + self.n_brokers

    def nodes(self, open_: np.ndarray) -> tuple[Int64, Int64, Int64]:
        """Cells, partitions with a choice and partitions without a leader, as far as pairs are open."""
        kept = self.home[self.item] >= 0
        used = open_ | ~kept
        cells = np.unique(np.concatenate([self.home[self.home >= 0], self.cell[used]]))
        return cells, np.unique(self.item[used & kept]), np.flatnonzero(self.home < 0)


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
        if name == "items":
            return whole(potential, len(supply))
        if name == "brokers":
            return from_brokers(choices, potential, cells, items, lost)
        if open_ is None:  # what the levels on "brokers" left open; all later levels have those nodes
            open_ = face.upper[arcs.kinds["choose"]] > 0
        return from_open(choices, potential, open_, cells, items, lost)

    return Relaxation(
        arcs.network(supply),
        lambda goal: cost_of(goal, choices, arcs, cells),
        lifted,
        ((arcs.kinds["release"], "head"), (arcs.kinds["cell"], "tail")),
    )


def choices_of(case: Case) -> Choices:
    """Today's leaders and the others that could lead, broker by broker of each list."""
    rows = np.flatnonzero(case.rules.movable)
    lists, n = case.rules.base[rows].astype(np.int64), case.cluster.n_brokers
    topic = case.cluster.topic_idx[rows].astype(np.int64)
    may = (lists >= 0) & case.rules.leads[lists]
    today = case.before[rows, 0].astype(np.int64)
    keeps = (may & (lists == today[:, None])).any(axis=1)
    item, place = np.nonzero(may & (lists != today[:, None]))
    return Choices(
        case, rows, np.where(keeps, topic * n + today, -1), item, topic[item] * n + lists[item, place]
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


def cost_of(goal: str, choices: Choices, arcs: Arcs, cells: Int64) -> Cost:
    """What a goal costs on the arcs; raises ``ValueError`` for one that is not of leaders."""
    case, n = choices.case, choices.n_brokers
    brokers, rules = case.cluster.brokers, case.rules
    linear, none = np.zeros(arcs.n, dtype=np.int64), np.zeros(0, dtype=np.int64)
    if goal == "elections":
        linear[arcs.kinds["change"]] = 1
        return linear, none, none, none, int((case.before[choices.rows[choices.home < 0], 0] >= 0).sum())
    if goal == "reorders":
        stays = changes_per_partition(case.before, rules.base)[choices.rows] == 0
        stays &= case.cluster.rf[choices.rows] > 0
        linear[arcs.kinds["change"]] = stays[choices.item[choices.home[choices.item] >= 0]]
        return linear, none, none, none, int(stays[choices.home < 0].sum())
    fixed = case.before[~rules.movable, :1]
    weight = np.zeros(n, dtype=np.int64)
    weight[rules.leads] = weights(case, rules.leads)
    base = np.bincount(fixed[fixed >= 0], minlength=n).astype(np.int64)
    total = int(base[rules.leads].sum()) + len(choices.rows)
    if goal == "leaders":
        return linear, *banded(arcs.kinds["broker"], total, weight, base), 0
    if goal == "rack-leaders":
        n_racks = len(brokers.rack_names)
        of_rack, base_of_rack = np.zeros(n_racks, dtype=np.int64), np.zeros(n_racks, dtype=np.int64)
        np.add.at(of_rack, brokers.rack_idx, weight)
        np.add.at(base_of_rack, brokers.rack_idx, base)
        return linear, *banded(arcs.kinds["rack"], total, of_rack, base_of_rack), 0
    if goal == "topic-leaders":
        return linear, *topic_bands(choices, arcs, cells, weight)
    raise ValueError(f"{goal} is not a goal of leaders")


def topic_bands(choices: Choices, arcs: Arcs, cells: Int64, weight: Int64) -> tuple[Int64, Int64, Int64, int]:
    """Cell arcs of brokers that may lead, their bands, and what the other cells add."""
    low, high = topic_leader_bands(choices.case)
    mine = weight[cells % choices.n_brokers] > 0
    others = np.tile(weight > 0, len(choices.case.cluster.topics))
    others[cells] = False
    apart = np.maximum(np.maximum(low, -high), 0)[others]
    return arcs.kinds["cell"][mine], low[cells[mine]], high[cells[mine]], int((apart * apart).sum())


def from_brokers(choices: Choices, potential: Int64, cells: Int64, items: Int64, lost: Int64) -> Int64:
    """Every cell has its broker's potential, every partition that of its leader or of its set of options."""
    sets, set_of = option_sets(choices, lost)
    first_broker = choices.first_cell - choices.n_brokers
    potential = whole(potential, choices.first_cell + sets)
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
    some_cells, some_items, _ = choices.nodes(open_)
    first, n = choices.first_cell, choices.n_brokers
    potential = whole(potential, first + len(some_cells) + len(some_items) + len(lost))
    of_cell = potential[first - n + cells % n]
    of_cell[np.searchsorted(cells, some_cells)] = potential[first : first + len(some_cells)]
    of_item = of_cell[np.searchsorted(cells, choices.home[items])]
    items_from = first + len(some_cells)
    of_item[np.searchsorted(items, some_items)] = potential[items_from : items_from + len(some_items)]
    return np.concatenate([potential[:first], of_cell, of_item, potential[items_from + len(some_items) :]])
