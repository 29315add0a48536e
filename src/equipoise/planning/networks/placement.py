"""Where replicas stand, as a flow: what leaves which broker, and where it arrives.

For every *unit* (a partition, or all partitions of a topic, or all there are) replicas leave
the cells (topic, broker) into the unit's pool in their rack, may change racks through the unit's
centre as far as the rack rule lets them, and arrive at other cells; what a cell ends with flows on
to its broker and from there to the sink. What a rack holds above the limit leaves through the unit's
crowd: to the centre, where it is mended, or to another rack that it is above the limit of, so that
there is never more of it. A unit of one partition is exact. A larger unit forgets
which partition a replica belongs to: a relaxation, so its bounds hold, and its optimum is optimal
wherever it can be disaggregated to partitions (`disaggregation.py`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from equipoise.cluster.brokers import IntArray
from equipoise.planning.basis.distinct import counted
from equipoise.planning.flow.network import Infeasible, Int32, Int64, Network, Objective
from equipoise.planning.goals import PLACEMENT
from equipoise.planning.networks.placement_data import PlacementData
from equipoise.planning.problem.bands import band
from equipoise.planning.problem.shares import squares, table, topic_bands
from equipoise.planning.rules import rack_span
from equipoise.planning.rules.max_changes_per_partition import most_arrivals

BoolArray = npt.NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Arcs:
    """A family of arcs of one meaning, ``network`` arcs ``start`` to ``stop``."""

    start: int
    stop: int
    unit: Int64
    broker: Int64
    """Index into ``PlacementData.brokers``, or a rack for arcs between pools and centres."""

    @property
    def index(self) -> Int32:
        return np.arange(self.start, self.stop, dtype=np.int32)


@dataclass(frozen=True, eq=False)
class PlacementNetwork:
    """One network over the placement data; ``unit_of`` gives the unit of each row."""

    data: PlacementData
    unit_of: Int64
    family_of: Int64
    """``(n_units,)``: the family (topic, or all) whose cells a unit shares."""
    network: Network
    sink: Arcs
    cell: Arcs
    leave: Arcs
    leave_leaders: BoolArray
    """Of each leave arc: it carries replicas that lead today; moving those costs an election more."""
    leave_bytes: Int64
    """Of each leave arc: what a replica on it weighs, once arcs are of one size each (`sizes.by_size`)."""
    arrive: Arcs
    excess: Arcs
    """Of what stands above the limit, from pools to crowds."""
    over: Arcs
    """From crowds to pools of other racks."""
    out: Arcs
    into: Arcs
    mended: Arcs
    """From crowds to centres."""
    eased: Arcs
    """From centres to crowds: a partition may come to hold more above a limit that has become higher."""
    rack: Arcs
    """From racks to the sink, where a goal counts what racks hold; else brokers are joined to it directly."""
    total_excess: int
    crowd: Int64
    """``(n_units,)``: the node of each unit's crowd, -1 where it has none."""
    certain_bytes: int | None = None
    """Copied whatever leaves; None as long as ``leave_bytes`` are not told."""

    def after_leave(self, of: Callable[[Arcs], Arcs]) -> PlacementNetwork:
        """With the families whose arcs come after those that leave, each as ``of`` has it."""
        return replace(
            self,
            arrive=of(self.arrive),
            excess=of(self.excess),
            over=of(self.over),
            out=of(self.out),
            into=of(self.into),
            mended=of(self.mended),
            eased=of(self.eased),
            rack=of(self.rack),
        )

    def guess(self) -> Int64:
        """The flow of the present state, where nothing moves; a start for the convex costs."""
        flow = np.zeros(len(self.network.tail), dtype=np.int64)
        n_eligible = len(self.data.brokers)
        # Replicas that have to leave are nowhere in it: it need not be a flow, since only the centres of
        # convex costs are taken from it.
        counts = self.network.supply[1 + n_eligible :][: len(self.cell.unit)]
        flow[self.cell.index] = counts
        flow[self.sink.index] = counts.reshape(-1, n_eligible).sum(axis=0)
        if len(self.rack.unit):
            flow[self.rack.index] = self.by_rack(flow[self.sink.index])
        return flow

    def by_rack(self, counts: Int64) -> Int64:
        """``(n_racks,)``: counts of eligible brokers, ``(n_eligible,)``, added up by rack."""
        n_racks = self.data.problem.n_racks
        return np.bincount(self.data.rack, weights=counts, minlength=n_racks).astype(np.int64)

    def objective(self, goal: str) -> Objective:
        """The objective of a placement goal on this network."""
        return PLACEMENT[goal].on_placement(self)

    def forced_leader_changes(self) -> Objective:
        """Leaders that leave their broker, of those who may lead on: the others are lost anyway."""
        linear = np.zeros(len(self.network.tail), dtype=np.int64)
        linear[self.leave.index] = self.leave_leaders & self.data.leads[self.leave.broker]
        return Objective.of_linear(linear)

    def stands_there(self, arcs: Arcs, lists: IntArray) -> BoolArray:
        """Whether each arc's unit, a row, stands in a list at the arc's broker, ``(n_arcs,)``."""
        there = lists[self.data.rows[arcs.unit]] == self.data.brokers[arcs.broker][:, None]
        return np.asarray(there.any(axis=1))

    def topic_bands(self) -> tuple[Int64, Int64, int]:
        """Bands of the cells in the order of the cell arcs, less what is there for good; and the squared
        distances of the topics of which nothing may change."""
        data, problem = self.data, self.data.problem
        row, position = np.nonzero((problem.current >= 0) & ~problem.movable[:, None])
        fixed = table(problem, row, problem.current[row, position])
        topics = np.unique(problem.cluster.topic_idx[data.rows])
        # Topics of which nothing may change have no cells here,
        # but they count in the goal's value all the same.
        others = np.delete(fixed, topics, axis=0)
        apart = squares(others, *topic_bands(problem, others, problem.eligible))
        base = np.take(fixed[topics], data.brokers, axis=1)
        moving = np.bincount(
            problem.cluster.topic_idx[data.rows],
            weights=problem.rf[data.rows],
            minlength=len(problem.cluster.topics),
        )[topics]
        totals = moving.astype(np.int64) + base.sum(axis=1)
        low, high = band(totals[:, None], data.weight[None, :])
        return (low - base).ravel(), (high - base).ravel(), apart


def opened(net: PlacementNetwork, face: Network) -> PlacementNetwork:
    """The network as a face of it has it, without the arcs that it closed: on large ones nearly half of all.

    Those of sinks and cells stay, since every broker's and topic's count is on them.
    """
    kept = face.upper > 0
    # What a face closes is closed on all faces after it, so nothing that a later goal could use is lost.
    kept[: net.leave.start] = kept[net.rack.index] = True
    place = np.concatenate([[0], np.cumsum(kept)])
    ends = net.network.tail[kept], net.network.head[kept]

    def some(arcs: Arcs) -> Arcs:
        mine = kept[arcs.start : arcs.stop]
        return Arcs(int(place[arcs.start]), int(place[arcs.stop]), arcs.unit[mine], arcs.broker[mine])

    return replace(
        net.after_leave(some),
        network=Network(face.supply, *ends, face.lower[kept], face.upper[kept], face.params),
        leave=some(net.leave),
        leave_leaders=net.leave_leaders[kept[net.leave.start : net.leave.stop]],
        leave_bytes=net.leave_bytes[kept[net.leave.start : net.leave.stop]],
    )


def build(data: PlacementData, unit_of: Int64, family_of: Int64) -> PlacementNetwork:
    """The network of the given units: ``unit_of`` ``(n_rows,)``, ``family_of`` ``(n_units,)``."""
    problem = data.problem
    n_units, n_families = len(family_of), int(family_of.max(initial=-1)) + 1
    n_eligible, n_racks = len(data.brokers), problem.n_racks
    rf, rows = problem.rf[data.rows].astype(np.int64), data.rows
    # A quick no; whether brokers are enough is for the flow to find out.
    if np.any(rf > problem.limit[rows] * n_racks):
        raise Infeasible

    def cell_node(family: Int64, broker: Int64) -> Int64:
        return 1 + n_eligible + family * n_eligible + broker

    first_pool = 1 + n_eligible + n_families * n_eligible
    arrivals = most_arrivals(problem, rows)
    # With a limit on changes a pool has two halves; the arc between them carries what arrives.
    half = n_units * n_racks if arrivals is not None else 0
    first_centre = first_pool + n_units * n_racks + half
    first_crowd = first_centre + (n_units if n_racks > 1 else 0)
    there = data.excess.sum(axis=1)
    # Who neither has nor may get excess needs no crowd, and most partitions do not.
    most = np.maximum(there, data.allowed) * (n_racks > 1)
    crowded = np.bincount(unit_of, weights=most, minlength=n_units) > 0
    crowd = np.where(crowded, first_crowd + np.cumsum(crowded) - 1, -1)
    first_rack = first_crowd + int(crowded.sum())
    by_rack = n_racks > 1 and any(PLACEMENT[goal].of_racks for goal in problem.goals if goal in PLACEMENT)
    n_nodes = first_rack + (n_racks if by_rack else 0)

    def pool_node(unit: Int64, rack: Int64) -> Int64:
        return first_pool + unit * n_racks + rack

    def centre_node(unit: Int64) -> Int64:
        return first_centre + unit if n_racks > 1 else pool_node(unit, np.zeros_like(unit))

    unit_of_slot = unit_of[data.slot_row]
    stays = data.slot_broker >= 0
    at_cell = cell_node(family_of[unit_of_slot[stays]], data.slot_broker[stays])
    at_pool = pool_node(unit_of_slot[~stays], data.slot_rack[~stays])
    held = np.bincount(data.slot_row, minlength=len(rows))
    supply = np.bincount(np.concatenate([at_cell, at_pool]), minlength=n_nodes).astype(np.int64)
    # The centre gives what lists grow by and takes what they shrink
    # by: those replicas are of no rack yet, or of none any more.
    supply += np.bincount(centre_node(unit_of), rf - held, n_nodes).astype(np.int64)
    supply[0] = -supply.sum()

    tails, heads, uppers, families = [], [], [], {}
    at = 0

    def add(name: str, tail: Int64, head: Int64, upper: Int64, unit: Int64, broker: Int64) -> None:
        nonlocal at
        families[name] = Arcs(at, at + len(tail), unit, broker)
        at += len(tail)
        tails.append(tail)
        heads.append(head)
        uppers.append(upper)

    everyone = np.arange(n_eligible)
    # More than can ever pass, so that no count is held by it.
    total = int(rf.sum()) + len(data.slot_row)
    add(
        "sink",
        1 + everyone,
        first_rack + data.rack if by_rack else np.zeros_like(everyone),
        np.full(n_eligible, total),
        np.full(n_eligible, -1),
        everyone,
    )
    family, broker = (axis.ravel() for axis in np.indices((n_families, n_eligible)))
    members = np.bincount(family_of[unit_of], minlength=n_families)
    add("cell", cell_node(family, broker), 1 + broker, members[family], family, broker)

    # leave: replicas in place, but for pinned ones; leaders apart from followers
    free = stays & ~data.slot_pinned
    # Both may leave for the same cost, but a leader that leaves is an election, so each has an arc that can
    # be priced by itself (`forced_leader_changes`).
    leads = data.slot_position[free] == 0
    key = (unit_of_slot[free] * n_eligible + data.slot_broker[free]) * 2 + leads
    key, count = counted(key, n_units * n_eligible * 2)
    unit, broker, leaders = key // 2 // n_eligible, key // 2 % n_eligible, key % 2 == 1
    add(
        "leave",
        cell_node(family_of[unit], broker),
        pool_node(unit, data.rack[broker]),
        count,
        unit,
        broker,
    )

    # arrive: partitions of the unit that are not on the broker and may be
    unit, broker, room = arrival_room(data, unit_of, n_units)
    add(
        "arrive",
        pool_node(unit, data.rack[broker]) + half,
        cell_node(family_of[unit], broker),
        room,
        unit,
        broker,
    )

    total_excess = 0
    none = np.zeros(0, dtype=np.int64)
    must_leave = must_mend = none
    if n_racks > 1:
        may = rack_room(data, unit_of, n_units)
        # What comes back from a crowd above another rack's limit is as much excess
        # as before; what is mended is less, what is eased is more. So lower and
        # upper bounds of these two keep each partition at what it is allowed.
        must_leave = may.must_leave[may.excess > 0]
        total_excess = int(data.excess.sum())
        unit, rack = (axis.ravel() for axis in np.indices((n_units, n_racks)))
        pool, centre = pool_node(unit, rack), centre_node(unit)
        for name, tail, head, upper in (
            ("excess", pool, crowd[unit], may.excess.ravel()),
            ("over", crowd[unit], pool, may.over.ravel()),
            ("out", pool, centre, (may.out - may.excess).ravel()),
            ("into", centre, pool, may.into.ravel()),
        ):
            some = upper > 0
            add(name, tail[some], head[some], upper[some], unit[some], rack[some])
        unit = np.flatnonzero(crowded)
        must_mend, may_grow = (
            np.bincount(unit_of, weights=np.maximum(part, 0), minlength=n_units)[unit].astype(np.int64)
            for part in (there - data.allowed, data.allowed - there)
        )
        add("mended", crowd[unit], centre_node(unit), may.excess.sum(axis=1)[unit], unit, 0 * unit)
        add("eased", centre_node(unit), crowd[unit], may_grow, unit, 0 * unit)
    else:
        for name in ("excess", "over", "out", "into", "mended", "eased"):
            add(name, none, none, none, none, none)
    if arrivals is not None:
        unit, rack = (axis.ravel() for axis in np.indices((n_units, n_racks)))
        most = np.bincount(unit_of, weights=arrivals, minlength=n_units).astype(np.int64)
        add("limit", pool_node(unit, rack), pool_node(unit, rack) + half, most[unit], unit, rack)
    # No goal and no later step asks for these arcs: it is enough that they are in the network.
    families.pop("limit", None)
    racks = np.arange(n_racks if by_rack else 0)
    add("rack", first_rack + racks, 0 * racks, np.full(len(racks), total), racks, racks)
    lower = np.zeros(at, dtype=np.int64)
    lower[families["excess"].index] = must_leave
    lower[families["mended"].index] = must_mend
    upper = np.concatenate(uppers).astype(np.int64)
    if data.held is not None:
        # Brokers have to end with these counts; what is there for good never passes an arc.
        lower[families["sink"].index] = upper[families["sink"].index] = data.held - data.base
    network = Network(
        supply, np.concatenate(tails).astype(np.int32), np.concatenate(heads).astype(np.int32), lower, upper,
        data.problem.params,
    )  # fmt: skip
    return PlacementNetwork(
        data=data,
        unit_of=unit_of,
        family_of=family_of,
        network=network,
        total_excess=total_excess,
        crowd=crowd,
        leave_leaders=leaders,
        leave_bytes=np.zeros(len(leaders), dtype=np.int64),
        certain_bytes=None,
        **families,
    )


def arrival_room(data: PlacementData, unit_of: Int64, n_units: int) -> tuple[Int64, Int64, Int64]:
    """Unit, broker and room of each arc on which replicas can arrive."""
    n_eligible = len(data.brokers)
    alone = data.problem.rf[data.rows] == 1
    size = np.bincount(unit_of, minlength=n_units)
    size_alone = np.bincount(unit_of[alone], minlength=n_units)
    # A single replica on a broker that may not lead has no broker here (`gather`), so it is in neither term.
    room = np.where(data.leads[None, :], size[:, None], (size - size_alone)[:, None]).astype(np.int64)
    stays = data.slot_broker >= 0
    np.subtract.at(room, (unit_of[data.slot_row[stays]], data.slot_broker[stays]), 1)
    room[:, ~data.receives] = 0
    unit, broker = np.nonzero(room > 0)
    assert room.shape == (n_units, n_eligible)
    return unit, broker, room[unit, broker]


class RackRoom(NamedTuple):
    """How many replicas of a unit may change racks, ``(n_units, n_racks)`` each."""

    out: Int64
    """May leave a rack."""
    excess: Int64
    """Those of them that stand above its limit."""
    must_leave: Int64
    """Those of these that have to."""
    into: Int64
    """May come, within the limit."""
    over: Int64
    """May come above the limit, for others that were above one."""


def rack_room(data: PlacementData, unit_of: Int64, n_units: int) -> RackRoom:
    """What the rules about racks leave of each unit."""
    now, limit = data.in_rack, data.problem.limit[data.rows][:, None].astype(np.int64)
    span = rack_span(data.problem, data.rows, now)
    out, into = now - np.maximum(span.least, 0), np.maximum(np.minimum(span.most, limit) - now, 0)
    over = np.maximum(span.most - np.maximum(now, limit), 0)
    # What has to leave is above the limit, too: rules let a rack hold the limit at least, or what it has now.
    must_leave, excess = np.maximum(now - span.most, 0), np.minimum(data.excess, out)
    if np.any(must_leave > out):
        raise Infeasible

    alone = np.argsort(unit_of, kind="stable") if n_units == len(unit_of) else None

    def per_unit(table: Int64) -> Int64:
        if alone is not None:
            return table[alone]
        return np.column_stack([np.bincount(unit_of, column, n_units) for column in table.T]).astype(np.int64)

    return RackRoom(*(per_unit(table) for table in (out, excess, must_leave, into, over)))
