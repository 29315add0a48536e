"""Where replicas may stand, as a flow that every legal assignment is a flow of.

Replicas leave the cells (topic, broker) for the pool of their unit in their rack, may pass through the
unit's centre to another rack as far as the rack rule lets them, and arrive in cells again; what is in
a cell flows on to its broker and into the sink. A unit is a partition or all partitions of a topic;
the larger it is the more it forgets, so its bound is still one.

Nodes: 0 the sink; the eligible brokers; the cells, topic by topic; the pools, unit by unit; with a limit
on changes a second half of pools, where arrivals start; the centres, where there are several racks.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from equipoise.cluster import measures
from equipoise.judge.duality import FlowProblem
from equipoise.judge.goals import per_topic, shares, weights, widened
from equipoise.judge.relaxation import Arcs, Cost, Int64, Relaxation, whole
from equipoise.judge.rules import rack_limits
from equipoise.judge.violations import Case

BoolArray = npt.NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Layout:
    """Rows that may change, the units and topics they belong to, and where nodes are."""

    case: Case
    rows: Int64
    """Partitions that may change, ``(n_rows,)``."""
    unit: Int64
    """``(n_rows,)``."""
    topic: Int64
    """``(n_units,)``: rank among the topics that have such rows."""
    brokers: Int64
    """Positions of the eligible brokers."""

    @property
    def n_units(self) -> int:
        return len(self.topic)

    @property
    def n_topics(self) -> int:
        return int(self.topic.max(initial=-1)) + 1

    @property
    def n_racks(self) -> int:
        return len(self.case.cluster.brokers.rack_names)

    @property
    def limited(self) -> bool:
        return self.case.rules.max_changes_per_partition is not None

    def cell(self, topic: Int64, broker: Int64) -> Int64:
        return 1 + len(self.brokers) * (1 + topic) + broker

    def pool(self, unit: Int64, rack: Int64, *, arriving: bool = False) -> Int64:
        half = self.n_units * self.n_racks if arriving and self.limited else 0
        return 1 + len(self.brokers) * (1 + self.n_topics) + half + unit * self.n_racks + rack

    def centre(self, unit: Int64) -> Int64:
        if self.n_racks == 1:
            return self.pool(unit, np.zeros_like(unit))
        return self.n_nodes - self.n_units + unit

    @property
    def n_nodes(self) -> int:
        pools = self.n_units * self.n_racks * (2 if self.limited else 1)
        centres = self.n_units if self.n_racks > 1 else 0
        return 1 + len(self.brokers) * (1 + self.n_topics) + pools + centres


def placement_relaxation(case: Case, names: set[str], proofs: Mapping[str, np.ndarray]) -> Relaxation:
    """The network in the finest grain that the certificate has potentials for.

    The certificate may say which partitions it took together, in ``units``: any way to group the
    partitions of a topic gives a bound. Potentials of the "merged" network, where all topics are
    one and units are those of ``merged_units``, are lifted: every node takes that of its like.
    """
    rows = np.flatnonzero(case.rules.movable)
    _, topic = np.unique(case.cluster.topic_idx[rows], return_inverse=True)
    each = {"partitions", "joint", "joint-budget", "leaving-partitions"} & names
    units = np.arange(len(rows)) if each else grouping(proofs.get("units", topic), len(rows))
    together = grouping(proofs.get("merged_units", np.zeros_like(topic)), len(rows))
    layout = layout_of(case, units)
    one = np.zeros(int(together.max(initial=-1)) + 1, dtype=np.int64)
    merged = Layout(case, rows, together, one, layout.brokers)
    arcs, supply, excess = arcs_of(layout)

    def lifted(name: str, potential: Int64, _: FlowProblem) -> Int64:
        if name != "merged":
            return whole(potential, layout.n_nodes)
        return whole(potential, merged.n_nodes)[like(layout, merged, common(units, together))]

    return Relaxation(
        arcs.network(supply),
        lambda goal: cost_of(goal, layout, arcs, excess),
        lifted,
        ((arcs.kinds["cell"], "tail"),),
    )


def layout_of(case: Case, units: Int64) -> Layout:
    """The layout of units ``(n_rows,)``; raises ``ValueError`` for one that lies in two topics."""
    rows = np.flatnonzero(case.rules.movable)
    _, topic = np.unique(case.cluster.topic_idx[rows], return_inverse=True)
    return Layout(case, rows, units, common(units, topic), np.flatnonzero(case.rules.eligible))


def grouping(group: np.ndarray, n_rows: int) -> Int64:
    """The group of each row as numbers from 0; raises ``ValueError`` where it is no such array."""
    if group.shape != (n_rows,) or group.dtype.kind != "i":
        raise ValueError(f"units of shape {group.shape} for {n_rows} partitions")
    groups, numbered = np.unique(group, return_inverse=True)
    if not np.array_equal(groups, np.arange(len(groups))):
        raise ValueError("units that are not numbered one after the other")
    return numbered.astype(np.int64)


def common(fine: Int64, coarse: Int64) -> Int64:
    """For each group of ``fine`` the one of ``coarse`` that it lies in; raises ``ValueError`` if in two."""
    of = np.zeros(int(fine.max(initial=-1)) + 1, dtype=np.int64)
    of[fine] = coarse
    if not np.array_equal(of[fine], coarse):
        raise ValueError("a unit that lies in two others")
    return of


def like(fine: Layout, merged: Layout, unit: Int64) -> Int64:
    """For each node of ``fine`` its like in ``merged``, where unit u has become ``unit[u]``."""
    n = len(fine.brokers)
    of, rack = (axis.ravel() for axis in np.indices((fine.n_units, fine.n_racks)))
    return np.concatenate(
        [
            np.arange(1 + n),
            1 + n + np.tile(np.arange(n), fine.n_topics),
            merged.pool(unit[of], rack),
            *([merged.pool(unit[of], rack, arriving=True)] if fine.limited else []),
            *([merged.centre(unit)] if fine.n_racks > 1 else []),
        ]
    )


def arcs_of(layout: Layout) -> tuple[Arcs, Int64, int]:
    """The arcs, the supplies, and how many replicas stand above the rack limit."""
    case, brokers = layout.case, layout.brokers
    rules, rack = case.rules, case.cluster.brokers.rack_idx.astype(np.int64)
    place = np.full(case.cluster.n_brokers, -1)
    place[brokers] = np.arange(len(brokers))
    rf = rules.rf[layout.rows].astype(np.int64)
    lists = rules.base[layout.rows]
    row, position = np.nonzero(lists >= 0)
    holder = lists[row, position]
    # the only replica of a partition has to stand where it may be led
    stays = (place[holder] >= 0) & ((rf[row] > 1) | rules.leads[holder])
    pinned = rules.pinned[layout.rows][row, position]
    unit, at = layout.unit[row], place[holder]

    supply = np.zeros(layout.n_nodes, dtype=np.int64)
    np.add.at(supply, layout.cell(layout.topic[unit[stays]], at[stays]), 1)
    np.add.at(supply, layout.pool(unit[~stays], rack[holder[~stays]]), 1)
    np.add.at(supply, layout.centre(layout.unit), rf - (lists >= 0).sum(axis=1))
    supply[0] = -supply.sum()

    arcs = Arcs()
    everyone, everything = np.arange(len(brokers)), int(rf.sum()) + len(row)
    arcs.add("sink", 1 + everyone, np.zeros_like(everyone), np.full(len(brokers), everything))
    topic, broker = (axis.ravel() for axis in np.indices((layout.n_topics, len(brokers))))
    size = np.bincount(layout.unit, minlength=layout.n_units)
    members = np.bincount(layout.topic, weights=size, minlength=layout.n_topics).astype(np.int64)
    arcs.add("cell", layout.cell(topic, broker), 1 + broker, members[topic])

    for kind, led in (("leave", False), ("leave-leaders", True)):
        some = stays & ~pinned & ((holder == case.before[layout.rows][row, 0]) == led)
        key, count = np.unique((unit * len(brokers) + at)[some], return_counts=True)
        unit_, broker = key // max(1, len(brokers)), key % max(1, len(brokers))
        from_rack = rack[brokers[broker]]
        arcs.add(kind, layout.cell(layout.topic[unit_], broker), layout.pool(unit_, from_rack), count)

    room = arrival_room(layout, size, unit[stays], at[stays])
    unit_, broker = np.nonzero(room > 0)
    into_rack = rack[brokers[broker]]
    start = layout.pool(unit_, into_rack, arriving=True)
    arcs.add("arrive", start, layout.cell(layout.topic[unit_], broker), room[unit_, broker])
    return arcs, supply, rack_arcs(layout, arcs)


def arrival_room(layout: Layout, size: Int64, unit: Int64, at: Int64) -> Int64:
    """``(n_units, n_eligible)``: partitions of a unit that are not on a broker and may come to it."""
    rules, brokers = layout.case.rules, layout.brokers
    alone = np.bincount(layout.unit[rules.rf[layout.rows] == 1], minlength=layout.n_units)
    room = np.where(rules.leads[brokers][None, :], size[:, None], (size - alone)[:, None]).astype(np.int64)
    np.subtract.at(room, (unit, at), 1)
    room[:, ~rules.receives[brokers]] = 0
    return room


def rack_arcs(layout: Layout, arcs: Arcs) -> int:
    """Arcs between racks and for the limit on changes; returns the replicas above the rack limit."""
    case, rules, table = layout.case, layout.case.rules, layout.case.cluster.brokers
    unit, rack = (axis.ravel() for axis in np.indices((layout.n_units, layout.n_racks)))
    if layout.limited:
        created = case.cluster.rf[layout.rows] == 0  # those have nothing to move
        most = np.where(created, rules.rf[layout.rows], rules.max_changes_per_partition or 0)
        room = np.bincount(layout.unit, weights=most, minlength=layout.n_units).astype(np.int64)
        arcs.add("limit", layout.pool(unit, rack), layout.pool(unit, rack, arriving=True), room[unit])
    if layout.n_racks == 1:
        arcs.add("excess", *(np.zeros(0, dtype=np.int64),) * 3)
        return 0
    counts = measures.replicas_per_rack(rules.base[layout.rows], table.rack_idx, layout.n_racks).astype(
        np.int64
    )
    limit = rack_limits(table, rules.eligible, rules.rf[layout.rows], strict=rules.strict_racks)[:, None]
    out, above, into = counts, np.maximum(counts - limit, 0), np.maximum(limit - counts, 0)
    in_all = int(above.sum())
    if rules.stay_in_rack:
        change = rules.rf[layout.rows] - counts.sum(axis=1)
        out, above, into = (
            part * allowed[:, None]
            for part, allowed in ((out, change < 0), (above, change < 0), (into, change > 0))
        )

    def of_units(part: Int64) -> Int64:
        total = np.zeros((layout.n_units, layout.n_racks), dtype=np.int64)
        np.add.at(total, layout.unit, part)
        return total.ravel()

    excess, others, room = of_units(above), of_units(out - above), of_units(into)
    pool, centre = layout.pool(unit, rack), layout.centre(unit)
    arcs.add("excess", pool, centre, excess, excess if rules.strict_racks else None)
    arcs.add("out", pool, centre, others)
    arcs.add("into", centre, pool, room)
    return in_all


def cost_of(goal: str, layout: Layout, arcs: Arcs, excess: int) -> Cost:
    """What a goal costs on the arcs; raises ``ValueError`` for one that is not of placement."""
    case, rules = layout.case, layout.case.rules
    linear, none = np.zeros(arcs.n, dtype=np.int64), np.zeros(0, dtype=np.int64)
    if goal == "racks":
        linear[arcs.kinds["excess"]] = -1
        return linear, none, none, none, excess
    if goal == "moves":
        linear[arcs.kinds["arrive"]] = 1
        created = case.cluster.rf[layout.rows] == 0
        taken_over = int((rules.base != case.before)[layout.rows].sum())
        return linear, none, none, none, taken_over - int(rules.rf[layout.rows][created].sum())
    if goal == "elections":
        leaves = arcs.kinds["leave-leaders"]
        cells = np.concatenate(arcs.tail)[leaves] - 1 - len(layout.brokers)
        linear[leaves] = rules.leads[layout.brokers[cells % max(1, len(layout.brokers))]]
        return linear, none, none, none, 0  # of those who may lead on: the leader network has the others
    weight = weights(case, rules.eligible)
    fixed = rules.base[~rules.movable]
    if goal == "replicas":
        base = np.bincount(fixed[fixed >= 0], minlength=case.cluster.n_brokers)[layout.brokers].astype(
            np.int64
        )
        total = int(base.sum()) + int(rules.rf[layout.rows].sum())
        below, above = (round(side * 1000) for side in rules.tolerance)
        low, high = widened(total, weight, below, above) if below or above else shares(total, weight)
        return linear, arcs.kinds["sink"], low - base, high - base, 0
    if goal == "topics":
        topic = layout.topic[layout.unit]
        totals = np.bincount(topic, weights=rules.rf[layout.rows], minlength=layout.n_topics).astype(np.int64)
        stays = staying(layout)
        low, high = shares(totals[:, None] + stays.sum(axis=1)[:, None], weight[None, :])
        return linear, arcs.kinds["cell"], (low - stays).ravel(), (high - stays).ravel(), unmoved_topics(case)
    raise ValueError(f"{goal} is not a goal of placement")


def staying(layout: Layout) -> Int64:
    """Replicas that may not change, in topics of which others may; ``(n_topics, n_eligible)``."""
    case = layout.case
    n_brokers = case.cluster.n_brokers
    rank = np.full(len(case.cluster.topics), -1, dtype=np.int64)
    rank[case.cluster.topic_idx[layout.rows]] = layout.topic[layout.unit]
    row, position = np.nonzero((case.rules.base >= 0) & ~case.rules.movable[:, None])
    topic = rank[case.cluster.topic_idx[row]]
    key = topic[topic >= 0] * n_brokers + case.rules.base[row, position][topic >= 0]
    counts = np.bincount(key, minlength=layout.n_topics * n_brokers).astype(np.int64)
    return counts.reshape(-1, n_brokers)[:, layout.brokers]


def unmoved_topics(case: Case) -> int:
    """What the topics of which nothing may change add to the goal ``topics``."""
    whole = np.ones(len(case.cluster.topics), dtype=bool)
    whole[case.cluster.topic_idx[case.rules.movable]] = False
    rows = whole[case.cluster.topic_idx]
    return per_topic(case, np.where(rows[:, None], case.before, -1), case.rules.eligible)
