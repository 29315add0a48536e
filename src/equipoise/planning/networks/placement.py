"""Where replicas stand, as a flow: what leaves which broker, and where it arrives.

For every *unit* (a partition, or all partitions of a topic, or all there are) replicas leave
the cells (topic, broker) into the unit's pool in their rack, may change racks through the unit's
centre as far as the rack rule lets them, and arrive at other cells; what a cell ends with flows on
to its broker and from there to the sink. A unit of one partition is exact. A larger unit forgets
which partition a replica belongs to: a relaxation, so its bounds hold, and its optimum is optimal
wherever it can be handed out to partitions (`handout.py`).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from equipoise.cluster.measures import data_moves
from equipoise.planning.bands import band
from equipoise.planning.goals import squares, table, topic_bands
from equipoise.planning.networks.material import Material
from equipoise.planning.networks.network import Infeasible, Int32, Int64, Network, Objective
from equipoise.planning.rows import counted

BoolArray = npt.NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Arcs:
    """A family of arcs of one meaning, ``network`` arcs ``start`` to ``stop``."""

    start: int
    stop: int
    unit: Int64
    broker: Int64
    """Index into ``Material.brokers``, or a rack for arcs between pools and centres."""

    @property
    def index(self) -> Int32:
        return np.arange(self.start, self.stop, dtype=np.int32)


@dataclass(frozen=True, eq=False)
class PlacementNetwork:
    """One network over the material; ``unit_of`` gives the unit of each row."""

    material: Material
    unit_of: Int64
    family_of: Int64
    """``(n_units,)``: the family (topic, or all) whose cells a unit shares."""
    network: Network
    sink: Arcs
    cell: Arcs
    leave: Arcs
    leave_leaders: BoolArray
    """Of each leave arc: it carries replicas that lead today; moving those costs an election more."""
    arrive: Arcs
    excess: Arcs
    out: Arcs
    into: Arcs
    total_excess: int

    def guess(self) -> Int64:
        """The flow of the present state, where nothing moves; a start for the convex costs."""
        flow = np.zeros(len(self.network.tail), dtype=np.int64)
        n_eligible = len(self.material.brokers)
        counts = self.network.supply[1 + n_eligible :][: len(self.cell.unit)]
        flow[self.cell.index] = counts
        flow[self.sink.index] = counts.reshape(-1, n_eligible).sum(axis=0)
        return flow

    def objective(self, goal: str) -> Objective:
        """The objective of a placement goal on this network."""
        material, n_arcs = self.material, len(self.network.tail)
        linear = np.zeros(n_arcs, dtype=np.int64)
        if goal == "racks":
            linear[self.excess.index] = -1
            return Objective.of_linear(linear, self.total_excess)
        if goal == "moves":
            linear[self.arrive.index] = 1
            created = material.problem.cluster.rf[material.rows] == 0
            taken_over = data_moves(material.problem.cluster.replicas, material.problem.current)
            created_replicas = int(material.problem.rf[material.rows[created]].sum())
            return Objective.of_linear(linear, taken_over - created_replicas)
        if goal == "replicas":
            tolerance = material.problem.request.tolerance or (0.0, 0.0)
            low, high = band(material.n_replicas, material.weight, tolerance)
            return Objective.of_bands(n_arcs, self.sink.index, low - material.base, high - material.base)
        if goal == "topics":
            low, high, apart = self.topic_bands()
            return Objective.of_bands(n_arcs, self.cell.index, low, high, apart)
        if goal == "elections":
            linear[self.leave.index] = self.leave_leaders & material.leads[self.leave.broker]
            return Objective.of_linear(linear)  # of those who may lead on: the others are lost anyway
        raise ValueError(f"{goal} is not a goal of placement")

    def topic_bands(self) -> tuple[Int64, Int64, int]:
        """Bands of the cells in the order of the cell arcs, less what is there for good; and the squared
        distances of the topics of which nothing may change."""
        material, problem = self.material, self.material.problem
        row, position = np.nonzero((problem.current >= 0) & ~problem.movable[:, None])
        fixed = table(problem, row, problem.current[row, position])
        topics = np.unique(problem.cluster.topic_idx[material.rows])
        others = np.delete(fixed, topics, axis=0)
        apart = squares(others, *topic_bands(problem, others, problem.eligible))
        base = fixed[topics][:, material.brokers]
        moving = np.bincount(
            problem.cluster.topic_idx[material.rows],
            weights=problem.rf[material.rows],
            minlength=len(problem.cluster.topics),
        )[topics]
        totals = moving.astype(np.int64) + base.sum(axis=1)
        low, high = band(totals[:, None], material.weight[None, :])
        return (low - base).ravel(), (high - base).ravel(), apart


def opened(net: PlacementNetwork, face: Network) -> tuple[PlacementNetwork, Network]:
    """The network, and a face of it, without the arcs that the face closed: on large ones nearly half of all.

    Those of sinks and cells stay, since every broker's and topic's count is on them.
    """
    kept = face.upper > 0
    kept[: net.leave.start] = True
    place = np.concatenate([[0], np.cumsum(kept)])
    ends = net.network.tail[kept], net.network.head[kept]

    def some(arcs: Arcs) -> Arcs:
        mine = kept[arcs.start : arcs.stop]
        return Arcs(int(place[arcs.start]), int(place[arcs.stop]), arcs.unit[mine], arcs.broker[mine])

    def within(network: Network) -> Network:
        return Network(network.supply, *ends, network.lower[kept], network.upper[kept])

    return replace(
        net,
        network=within(net.network),
        leave=some(net.leave),
        leave_leaders=net.leave_leaders[kept[net.leave.start : net.leave.stop]],
        arrive=some(net.arrive),
        excess=some(net.excess),
        out=some(net.out),
        into=some(net.into),
    ), within(face)


def build(material: Material, unit_of: Int64, family_of: Int64) -> PlacementNetwork:
    """The network of the given units: ``unit_of`` ``(n_rows,)``, ``family_of`` ``(n_units,)``."""
    problem = material.problem
    n_units, n_families = len(family_of), int(family_of.max(initial=-1)) + 1
    n_eligible, n_racks = len(material.brokers), problem.n_racks
    rf, rows = problem.rf[material.rows].astype(np.int64), material.rows
    if np.any(rf > problem.limit[rows] * n_racks):
        raise Infeasible

    def cell_node(family: Int64, broker: Int64) -> Int64:
        return 1 + n_eligible + family * n_eligible + broker

    first_pool = 1 + n_eligible + n_families * n_eligible
    limited = problem.request.max_changes_per_partition
    # With a limit on changes a pool has two halves; the arc between them carries what arrives.
    half = n_units * n_racks if limited is not None else 0
    first_centre = first_pool + n_units * n_racks + half
    n_nodes = first_centre + (n_units if n_racks > 1 else 0)

    def pool_node(unit: Int64, rack: Int64) -> Int64:
        return first_pool + unit * n_racks + rack

    def centre_node(unit: Int64) -> Int64:
        return first_centre + unit if n_racks > 1 else pool_node(unit, np.zeros_like(unit))

    unit_of_slot = unit_of[material.slot_row]
    stays = material.slot_broker >= 0
    at_cell = cell_node(family_of[unit_of_slot[stays]], material.slot_broker[stays])
    at_pool = pool_node(unit_of_slot[~stays], material.slot_rack[~stays])
    held = np.bincount(material.slot_row, minlength=len(rows))
    supply = np.bincount(np.concatenate([at_cell, at_pool]), minlength=n_nodes).astype(np.int64)
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
    total = int(rf.sum()) + len(material.slot_row)
    add(
        "sink",
        1 + everyone,
        np.zeros_like(everyone),
        np.full(n_eligible, total),
        np.full(n_eligible, -1),
        everyone,
    )
    family, broker = (axis.ravel() for axis in np.indices((n_families, n_eligible)))
    members = np.bincount(family_of[unit_of], minlength=n_families)
    add("cell", cell_node(family, broker), 1 + broker, members[family], family, broker)

    # leave: replicas in place, but for pinned ones; leaders apart from followers
    free = stays & ~material.slot_pinned
    leads = material.slot_position[free] == 0
    key = (unit_of_slot[free] * n_eligible + material.slot_broker[free]) * 2 + leads
    key, count = counted(key, n_units * n_eligible * 2)
    unit, broker, leaders = key // 2 // n_eligible, key // 2 % n_eligible, key % 2 == 1
    add(
        "leave",
        cell_node(family_of[unit], broker),
        pool_node(unit, material.rack[broker]),
        count,
        unit,
        broker,
    )

    # arrive: partitions of the unit that are not on the broker and may be
    unit, broker, room = arrival_room(material, unit_of, n_units)
    add(
        "arrive",
        pool_node(unit, material.rack[broker]) + half,
        cell_node(family_of[unit], broker),
        room,
        unit,
        broker,
    )

    total_excess = 0
    none = np.zeros(0, dtype=np.int64)
    if n_racks > 1:
        room_out, excess, room_in = rack_room(material, unit_of, n_units)
        total_excess = int(material.excess.sum())
        unit, rack = (axis.ravel() for axis in np.indices((n_units, n_racks)))
        for name, tail, head, upper in (
            ("excess", pool_node(unit, rack), centre_node(unit), excess.ravel()),
            ("out", pool_node(unit, rack), centre_node(unit), (room_out - excess).ravel()),
            ("into", centre_node(unit), pool_node(unit, rack), room_in.ravel()),
        ):
            some = upper > 0
            add(name, tail[some], head[some], upper[some], unit[some], rack[some])
    else:
        for name in ("excess", "out", "into"):
            add(name, none, none, none, none, none)
    if limited is not None:
        unit, rack = (axis.ravel() for axis in np.indices((n_units, n_racks)))
        created = problem.cluster.rf[rows] == 0  # those have nothing to move
        room = np.bincount(unit_of, weights=np.where(created, rf, limited), minlength=n_units).astype(
            np.int64
        )
        add("limit", pool_node(unit, rack), pool_node(unit, rack) + half, room[unit], unit, rack)
    families.pop("limit", None)
    lower = np.zeros(at, dtype=np.int64)
    if problem.request.rack_rule == "strict":  # not to be mended as far as possible, but kept
        lower[families["excess"].index] = np.concatenate(uppers)[families["excess"].index]
    upper = np.concatenate(uppers).astype(np.int64)
    if material.held is not None:
        lower[families["sink"].index] = upper[families["sink"].index] = material.held - material.base
    network = Network(
        supply, np.concatenate(tails).astype(np.int32), np.concatenate(heads).astype(np.int32), lower, upper
    )
    return PlacementNetwork(
        material=material,
        unit_of=unit_of,
        family_of=family_of,
        network=network,
        total_excess=total_excess,
        leave_leaders=leaders,
        **families,
    )


def arrival_room(material: Material, unit_of: Int64, n_units: int) -> tuple[Int64, Int64, Int64]:
    """Unit, broker and room of each arc on which replicas can arrive."""
    n_eligible = len(material.brokers)
    alone = material.problem.rf[material.rows] == 1
    size = np.bincount(unit_of, minlength=n_units)
    size_alone = np.bincount(unit_of[alone], minlength=n_units)
    room = np.where(material.leads[None, :], size[:, None], (size - size_alone)[:, None]).astype(np.int64)
    stays = material.slot_broker >= 0
    np.subtract.at(room, (unit_of[material.slot_row[stays]], material.slot_broker[stays]), 1)
    room[:, ~material.receives] = 0
    unit, broker = np.nonzero(room > 0)
    assert room.shape == (n_units, n_eligible)
    return unit, broker, room[unit, broker]


def rack_room(material: Material, unit_of: Int64, n_units: int) -> tuple[Int64, Int64, Int64]:
    """What may leave a rack, what stands above its limit, what may come; each ``(n_units, n_racks)``."""
    problem = material.problem
    out, excess = material.in_rack, material.excess
    into = np.maximum(problem.limit[material.rows].astype(np.int64)[:, None] - out, 0)
    if problem.request.stay_in_rack:
        grows = (problem.rf[material.rows] > out.sum(axis=1))[:, None]
        shrinks = (problem.rf[material.rows] < out.sum(axis=1))[:, None]
        if problem.request.rack_rule == "strict" and np.any((excess > 0) & ~shrinks):
            raise Infeasible
        out, excess, into = out * shrinks, excess * shrinks, into * grows

    def per_unit(table: Int64) -> Int64:
        if n_units == len(unit_of):
            return table[np.argsort(unit_of, kind="stable")]
        return np.column_stack([np.bincount(unit_of, column, n_units) for column in table.T]).astype(np.int64)

    return per_unit(out), per_unit(excess), per_unit(into)
