"""Units of partitions placed exactly: by a flow over their partitions, with their counts held.

What the first that fits cannot place comes here: units that cross racks, grow, or end in a clash.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from equipoise.planning.flow.convex import narrow, solve
from equipoise.planning.flow.network import Infeasible, Int64, Objective, TooDear
from equipoise.planning.goals.bytes import Bytes
from equipoise.planning.networks.placement import Arcs, PlacementNetwork, build
from equipoise.planning.networks.placement_data import PlacementData
from equipoise.planning.networks.sizes import by_size, weights
from equipoise.planning.problem.problem import BoolArray


def disaggregate_exactly(
    net: PlacementNetwork, flow: Int64, units: Int64, leaving: BoolArray, pieces: list[tuple[Int64, Int64]]
) -> Int64:
    """Place whole units by a flow over their partitions; returns those that miss their counts.

    Those are placed too, as near to their counts as can be.
    """
    failed = [np.zeros(0, dtype=np.int64)]
    size = np.bincount(net.unit_of, minlength=len(net.family_of))[units]
    weight = np.cumsum(size * (len(net.data.brokers) + 8))
    most = net.data.problem.params.exact_batch
    # Units meet nowhere once their counts are held, so how they are split into batches changes no result.
    for batch in np.split(units, np.flatnonzero(np.diff(weight // most)) + 1):
        failed.append(place_batch(net, flow, batch, leaving, pieces))
    return np.concatenate(failed)


def place_batch(
    net: PlacementNetwork, flow: Int64, units: Int64, leaving: BoolArray, pieces: list[tuple[Int64, Int64]]
) -> Int64:
    """Place several units; returns those whose counts cannot be met with as few moves."""
    data, n_units, n_eligible = net.data, len(net.family_of), len(net.data.brokers)
    rows = np.flatnonzero(np.isin(net.unit_of, units))
    part, slots = subset(data, rows)
    # Each unit gets cells of its own, and its counts are their bands: what misses them costs the square of by
    # how much, so where they cannot be met they are missed by as little as can be.
    families, family_of = np.unique(net.unit_of[rows], return_inverse=True)
    small = build(part, np.arange(len(rows)), family_of)
    coming = per_unit(net.arrive, flow, n_units, n_eligible)[families]
    end = small.guess()[small.cell.index].reshape(coming.shape) + coming
    end -= per_unit(net.leave, flow, n_units, n_eligible)[families]
    small, chosen = nearest(small, coming[family_of], end, least_bytes=net.certain_bytes is not None)

    # A unit has failed where its partitions miss a count, or reach it with more copies, less mended or more
    # bytes than the network promised: then its value is above the bound.
    apart = (chosen[small.cell.index].reshape(end.shape) != end).any(axis=1)
    apart |= count_of(small.arrive, chosen, family_of) > coming.sum(axis=1)
    mended = np.bincount(net.mended.unit, weights=flow[net.mended.index], minlength=n_units)[families]
    apart |= count_of(small.mended, chosen, family_of, len(families)) < mended
    if net.certain_bytes is not None:
        wanted = bytes_leaving(net, flow, np.arange(n_units))[families]
        # With loose rows a unit promised fewer bytes than it can keep to (`weights`), which is no failure.
        told = np.bincount(family_of, weights(data, net.unit_of).loose[rows]) == 0
        apart |= told & (bytes_leaving(small, chosen, family_of) > wanted)

    used = small.leave.index[chosen[small.leave.index] > 0] - small.leave.start
    gone = np.zeros((len(rows), n_eligible), dtype=bool)
    gone[small.leave.unit[used], small.leave.broker[used]] = True
    stays = part.slot_broker >= 0
    leaving[slots] = ~stays
    leaving[slots[stays]] = gone[part.slot_row[stays], part.slot_broker[stays]]
    used = small.arrive.index[chosen[small.arrive.index] > 0] - small.arrive.start
    pieces.append((rows[small.arrive.unit[used]], small.arrive.broker[used]))
    return families[apart]


def nearest(
    small: PlacementNetwork, coming: npt.NDArray[np.int32], end: Int64, *, least_bytes: bool
) -> tuple[PlacementNetwork, Int64]:
    """The network of some partitions, as it was solved, and its flow that is nearest to their counts.

    ``coming``: ``(n_rows, n_eligible)``, arrivals of each one's unit; ``end``: the counts, by unit.
    """
    network = small.network
    # Arrivals where the counts have none are rarely needed, and without them the network is much smaller.
    few = network.upper.copy()
    few[small.arrive.index] *= coming[small.arrive.unit, small.arrive.broker] > 0
    counts = Objective.of_bands(len(few), small.cell.index, end.ravel(), end.ravel())
    try:
        network = replace(network, upper=few)
        best = solve(network, counts, small.guess())
    except Infeasible:
        network = small.network
        best = solve(network, counts, small.guess())
    linear = np.zeros(len(few), dtype=np.int64)
    # The face holds the counts. Among what is left, mending a rack is worth any number of copies, and a copy
    # more is worth more than a leader that stays.
    linear[small.arrive.index] = 1000
    linear[small.mended.index] = -1_000_000
    face = narrow(network, counts, best.potential)
    start = best.flow
    if least_bytes:  # as few copies, and of those the smallest, before it matters who leads
        best = solve(face, Objective.of_linear(linear), start)
        face = narrow(face, Objective.of_linear(linear), best.potential)
        small, face = by_size(small, face)
        start, smallest = small.guess(), small.objective(Bytes.name)
        with suppress(TooDear):  # then a unit that need not weigh as much is apart
            best = solve(face, smallest, start)
            face, start = narrow(face, smallest, best.potential), best.flow
        linear = np.zeros(len(face.tail), dtype=np.int64)
    linear[small.leave.index] = small.leave_leaders
    return small, solve(face, Objective.of_linear(linear), start).flow


def count_of(arcs: Arcs, flow: Int64, family_of: Int64, n_families: int = 0) -> Int64:
    """Flow of a family of arcs by the family of its unit."""
    n_families = n_families or int(family_of.max(initial=-1)) + 1
    return np.bincount(family_of[arcs.unit], weights=flow[arcs.index], minlength=n_families).astype(np.int64)


def bytes_leaving(net: PlacementNetwork, flow: Int64, family_of: Int64) -> Int64:
    """What the replicas that leave weigh, by the family of their unit."""
    total = np.zeros(int(family_of.max(initial=-1)) + 1, dtype=np.int64)
    np.add.at(total, family_of[net.leave.unit], net.leave_bytes * flow[net.leave.index])
    return total


def subset(data: PlacementData, rows: Int64) -> tuple[PlacementData, Int64]:
    """The placement data of some rows only, and which slots they are."""
    new = np.full(len(data.rows), -1, dtype=np.int64)
    new[rows] = np.arange(len(rows))
    slots = np.flatnonzero(new[data.slot_row] >= 0)
    part = replace(
        data,
        rows=data.rows[rows],
        in_rack=data.in_rack[rows],
        excess=data.excess[rows],
        allowed=data.allowed[rows],
        kind=data.kind[rows],
        slot_row=new[data.slot_row[slots]],
        slot_position=data.slot_position[slots],
        slot_broker=data.slot_broker[slots],
        slot_rack=data.slot_rack[slots],
        slot_pinned=data.slot_pinned[slots],
        held=None,  # that is decided of all rows together
    )
    return part, slots


def per_unit(arcs: Arcs, flow: Int64, n_units: int, n_eligible: int) -> npt.NDArray[np.int32]:
    """``(n_units, n_eligible)``: the flow of a family of arcs."""
    table = np.zeros((n_units, n_eligible), dtype=np.int32)
    np.add.at(table, (arcs.unit, arcs.broker), flow[arcs.start : arcs.stop].astype(np.int32))
    return table
