"""Where replicas may stand, as a flow that every legal assignment is a flow of.

Replicas leave the cells (topic, broker) for the pool of their unit in their rack, may pass through the
unit's centre to another rack as far as the rack rule lets them, and arrive in cells again; what is in
a cell flows on to its broker and into the sink. A unit is a partition or all partitions of a topic;
the larger it is the more it forgets, so its bound is still one.

Its nodes are those of `placement_layout`.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from equipoise.cluster.proofs import NetworkName
from equipoise.judge.arc_costs import each
from equipoise.judge.copies import weights
from equipoise.judge.duality import FlowProblem
from equipoise.judge.goals.registry import goal_of
from equipoise.judge.moves_within import data_moves
from equipoise.judge.placement_layout import Layout, common, grouping, layout_of, like
from equipoise.judge.relaxation import Arcs, Int64, Relaxation, one_each
from equipoise.judge.views import PlacementView
from equipoise.judge.violations import Case

BY_PARTITION = frozenset(
    {
        NetworkName.PARTITIONS,
        NetworkName.JOINT,
        NetworkName.JOINT_BUDGET,
        NetworkName.LEAVING_PARTITIONS,
    }
)
"""Networks whose prices are those of single partitions."""


def placement_relaxation(case: Case, names: set[str], proofs: Mapping[str, np.ndarray]) -> Relaxation:
    """The network in the finest grain that the certificate has potentials for.

    The certificate may say which partitions it took together, in ``units``: any way to group the
    partitions of a topic gives a bound. Potentials of the "merged" network, where all topics are
    one and units are those of ``merged_units``, are lifted: every node takes that of its like.
    """
    rows = np.flatnonzero(case.rules.movable)
    _, topic = np.unique(case.cluster.topic_idx[rows], return_inverse=True)
    # Levels of one family hand on a face, so all have to be
    # on one grain: the finest of which there are prices.
    units = np.arange(len(rows)) if BY_PARTITION & names else grouping(proofs.get("units", topic), len(rows))
    together = grouping(proofs.get("merged_units", np.zeros_like(topic)), len(rows))
    layout = layout_of(case, units)
    one = np.zeros(int(together.max(initial=-1)) + 1, dtype=np.int64)
    merged = Layout(case, rows, together, one, layout.brokers)
    arcs, supply, view = arcs_of(layout)

    def lifted(name: str, potential: Int64, _: FlowProblem) -> Int64:
        if name != NetworkName.MERGED:
            return one_each(potential, layout.n_nodes)
        return one_each(potential, merged.n_nodes)[like(layout, merged, common(units, together))]

    return Relaxation(
        arcs.network(supply),
        lambda goal: goal_of(goal).on_placement(view),
        lifted,
        ((arcs.kinds["cell"], "tail"),),
        data_moves(view),
    )


def arcs_of(layout: Layout) -> tuple[Arcs, Int64, PlacementView]:
    """The arcs, the supplies, and what goals are shown of them."""
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
    # Of every plan each replica that is left arrives at the sink once, so plans are flows of this network,
    # and a bound on flows is one on plans.
    supply[0] = -supply.sum()

    arcs = Arcs()
    everyone, everything = np.arange(len(brokers)), int(rf.sum()) + len(row)
    # More than there can be: no count is held by it.
    arcs.add("sink", 1 + everyone, layout.rack(rack[brokers]), np.full(len(brokers), everything))
    racks = np.arange(layout.n_sums)
    arcs.add("rack", layout.rack(racks), 0 * racks, np.full(len(racks), everything))
    topic, broker = (axis.ravel() for axis in np.indices((layout.n_topics, len(brokers))))
    size = np.bincount(layout.unit, minlength=layout.n_units)
    members = np.bincount(layout.topic, weights=size, minlength=layout.n_topics).astype(np.int64)
    arcs.add("cell", layout.cell(topic, broker), 1 + broker, members[topic])

    # where sizes count, what may leave has an arc for each of them
    weight = weights(layout, np.bincount(row[~stays], minlength=len(layout.rows)))
    sizes, rank = np.unique(weight.leaving * case.counts_sizes, return_inverse=True)
    # Arcs that differ in cost alone may be cut or joined
    # without a change of nodes, so prices fit all the same.
    ways, copies = max(1, len(brokers)) * max(1, len(sizes)), list[Int64]()
    for kind, led in (("leave", False), ("leave-leaders", True)):
        some = stays & ~pinned & ((holder == case.before[layout.rows][row, 0]) == led)
        key, count = np.unique((unit * ways + at * len(sizes) + rank[row])[some], return_counts=True)
        unit_, broker = key // ways, key % ways // max(1, len(sizes))
        copies.append(sizes[key % max(1, len(sizes))])
        from_rack = rack[brokers[broker]]
        arcs.add(kind, layout.cell(layout.topic[unit_], broker), layout.pool(unit_, from_rack), count)

    room = arrival_room(layout, size, unit[stays], at[stays])
    unit_, broker = np.nonzero(room > 0)
    into_rack = rack[brokers[broker]]
    start = layout.pool(unit_, into_rack, arriving=True)
    arcs.add("arrive", start, layout.cell(layout.topic[unit_], broker), room[unit_, broker])
    excess = rack_arcs(layout, arcs)
    leaving = np.concatenate([arcs.kinds["leave"], arcs.kinds["leave-leaders"]])
    copied = each(arcs.n, leaving, np.concatenate(copies), offset=weight.certain)
    return arcs, supply, PlacementView(layout, arcs, excess, copied if case.counts_sizes else None)


def arrival_room(layout: Layout, size: Int64, unit: Int64, at: Int64) -> Int64:
    """``(n_units, n_eligible)``: partitions of a unit that are not on a broker and may come to it."""
    rules, brokers = layout.case.rules, layout.brokers
    alone = np.bincount(layout.unit[rules.rf[layout.rows] == 1], minlength=layout.n_units)
    room = np.where(rules.leads[brokers][None, :], size[:, None], (size - alone)[:, None]).astype(np.int64)
    # A single replica on a broker that may not lead is no partition that stays, so it is in neither term.
    np.subtract.at(room, (unit, at), 1)
    room[:, ~rules.receives[brokers]] = 0
    return room


def rack_arcs(layout: Layout, arcs: Arcs) -> int:
    """Arcs between racks and for the limit on changes; returns the replicas above the rack limit."""
    case, rules = layout.case, layout.case.rules
    unit, rack = (axis.ravel() for axis in np.indices((layout.n_units, layout.n_racks)))
    if layout.limited:
        created = case.cluster.rf[layout.rows] == 0  # those have nothing to move
        most = np.where(created, rules.rf[layout.rows], rules.max_changes_per_partition or 0)
        room = np.bincount(layout.unit, weights=most, minlength=layout.n_units).astype(np.int64)
        arcs.add("limit", layout.pool(unit, rack), layout.pool(unit, rack, arriving=True), room[unit])
    if layout.n_racks == 1:
        for kind in ("mended", "eased"):
            arcs.add(kind, *(np.zeros(0, dtype=np.int64),) * 3)
        return 0
    counts, limit, above = layout.counts, layout.limit, layout.above
    # What a crowd gets and passes on to another rack is as much excess as
    # before. What it gives to the centre is mended, what it gets from there is
    # eased: bounds on these two keep every partition at what it is allowed.
    out, into = counts, np.maximum(limit - counts, 0)
    there, allowed = above.sum(axis=1, keepdims=True), layout.allowed[:, None]
    # any rack may hold all that the partition may have above the limit, and none holds more
    over = np.maximum(limit + allowed - np.maximum(counts, limit), 0)
    leaves = np.maximum(counts - limit - allowed, 0)
    mends, eases, in_all = np.maximum(there - allowed, 0), np.maximum(allowed - there, 0), int(there.sum())
    if rules.stay_in_rack:
        # A partition that keeps its length keeps its number in each rack; one that shrinks can only lose in a
        # rack, one that grows only gain.
        change = rules.rf[layout.rows] - counts.sum(axis=1)
        shrinks, grows = (change < 0)[:, None], (change > 0)[:, None]
        out, above, leaves, mends = (part * shrinks for part in (out, above, leaves, mends))
        into, over, eases = (part * grows for part in (into, over, eases))

    def of_units(part: Int64) -> Int64:
        total = np.zeros((layout.n_units, part.shape[1]), dtype=np.int64)
        np.add.at(total, layout.unit, part)
        return total.ravel()

    pool, centre, crowd = layout.pool(unit, rack), layout.centre(unit), layout.crowd(unit)
    some = layout.is_crowded[unit]
    arcs.add("excess", pool[some], crowd[some], of_units(above)[some], of_units(leaves)[some])
    arcs.add("over", crowd[some], pool[some], of_units(over)[some])
    arcs.add("out", pool, centre, of_units(out - above))
    arcs.add("into", centre, pool, of_units(into))
    # In a larger unit these bounds are sums, which a partition
    # may overdraw on another's account: a relaxation.
    units = np.flatnonzero(layout.is_crowded)
    crowd, centre, most = layout.crowd(units), layout.centre(units), above.sum(axis=1, keepdims=True)
    arcs.add("mended", crowd, centre, of_units(most)[units], of_units(mends)[units])
    arcs.add("eased", centre, crowd, of_units(eases)[units])
    return in_all
