"""Which replicas leave a broker, by their size: an arc for each size of what may leave.

What leaves a broker is copied wherever it goes, so that it costs its own size where it leaves: of a unit's
replicas on a broker the smallest leave first, and k of them cost a convex function of k. What a partition
copies is what leaves, with what is sure to be copied: replicas that have to leave, and those that come to it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from equipoise.cluster import measures
from equipoise.planning.basis.distinct import places
from equipoise.planning.flow.network import Int64, Network
from equipoise.planning.networks.placement import Arcs, PlacementNetwork
from equipoise.planning.networks.placement_data import PlacementData

BoolArray = npt.NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Weights:
    """What copies weigh on a network whose units are known."""

    row: Int64
    """``(n_rows,)``: of a replica that leaves."""
    certain: int
    """Copied whatever leaves."""
    loose: BoolArray
    """``(n_rows,)``: what a row copies its unit does not tell."""


def weights(data: PlacementData, unit_of: Int64) -> Weights:
    """What the replicas of each row weigh where they leave.

    A partition that is to have fewer replicas loses some for nothing. Of which that is only its own node
    tells: in a unit of several its replicas weigh nothing, and so the bound is no more than that.
    """
    problem, rows = data.problem, data.rows
    cluster = problem.cluster
    sizes = measures.whole_sizes(cluster.size_bytes) * (cluster.rf > 0)  # what is created copies nothing
    held = np.bincount(data.slot_row, minlength=len(rows))
    forced = np.bincount(data.slot_row[data.slot_broker < 0], minlength=len(rows))
    change = problem.rf[rows] - held
    # What shrinks copies what leaves less what it loses for nothing. With the others of a unit nobody knows
    # which of its replicas those are, so it costs nothing there, and surely copies nothing below 0.
    together = np.bincount(unit_of)[unit_of] > 1
    loose = together & (change < 0)
    comes = np.where(loose, np.maximum(forced + change, 0), forced + change)
    taken_over = measures.arrivals_by_row(cluster.replicas, problem.current)
    certain = sum((comes * sizes[rows]).tolist()) + sum((taken_over * sizes).tolist())
    return Weights(np.where(loose, 0, sizes[rows]), certain, loose)


def tells_sizes(data: PlacementData) -> bool:
    """True where units of several partitions cost what they copy, none being loose (`weights`)."""
    held = np.bincount(data.slot_row, minlength=len(data.rows))
    return not bool(np.any(data.problem.rf[data.rows] < held))


def by_size(net: PlacementNetwork, face: Network) -> tuple[PlacementNetwork, Network]:
    """The network, and a face of it, with each arc on which replicas may leave cut into one for each size.

    Those that the face closes are left out. Nodes stay as they are.
    """
    if net.certain_bytes is not None:
        return net, face
    data, leave = net.data, net.leave
    weight = weights(data, net.unit_of)
    sizes, rank = np.unique(weight.row, return_inverse=True)
    arc = arcs_of_slots(net)
    some = np.flatnonzero(arc >= 0)
    # Goals before have closed most of these arcs, so cutting the others alone keeps the network small.
    some = some[face.upper[leave.start + arc[some]] > 0]
    keys, count = np.unique(arc[some] * len(sizes) + rank[data.slot_row[some]], return_counts=True)
    cut, size = keys // max(1, len(sizes)), sizes[keys % max(1, len(sizes))]
    at = leave.start + cut
    # Costs of units alone leave an arc of a face free or full, never between, so all its parts are full.
    full = face.lower[at] > 0

    now = slice(leave.start, leave.start + len(at))

    def cut_arcs(of: npt.NDArray[Any]) -> npt.NDArray[Any]:
        return np.concatenate([of[: leave.start], of[at], of[leave.stop :]])

    # A face differs from its network in what its arcs may carry alone.
    tail, head = cut_arcs(face.tail), cut_arcs(face.head)

    def within(network: Network, lower: Int64) -> Network:
        low, high = cut_arcs(network.lower), cut_arcs(network.upper)
        low[now], high[now] = lower, count
        return Network(network.supply, tail, head, low, high, network.params)

    # Nodes keep their numbers, so prices found before the cut are prices of the network after it.
    shift = len(cut) - len(leave.unit)

    def moved(arcs: Arcs) -> Arcs:
        return replace(arcs, start=arcs.start + shift, stop=arcs.stop + shift)

    cut_net = replace(
        net.after_leave(moved),
        network=within(net.network, 0 * count),
        leave=Arcs(leave.start, leave.stop + shift, leave.unit[cut], leave.broker[cut]),
        leave_leaders=net.leave_leaders[cut],
        leave_bytes=size,
        certain_bytes=weight.certain,
    )
    return cut_net, within(face, np.where(full, count, 0))


def arcs_of_slots(net: PlacementNetwork) -> Int64:
    """Which leave arc each slot is on, ``(n_slots,)``, where arcs are not cut by size; -1 where on none."""
    data, leave = net.data, net.leave
    n_eligible = len(data.brokers)
    free = np.flatnonzero((data.slot_broker >= 0) & ~data.slot_pinned)
    cell = net.unit_of[data.slot_row[free]] * n_eligible + data.slot_broker[free]
    keys = (leave.unit * n_eligible + leave.broker) * 2 + net.leave_leaders
    size = len(net.family_of) * n_eligible * 2
    arcs = np.full(len(data.slot_row), -1, dtype=np.int64)
    arcs[free] = places(keys, cell * 2 + (data.slot_position[free] == 0), size)
    return arcs
