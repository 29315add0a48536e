"""Leaders that move with their replica, where their broker leads too many anyway.

Of equally good placements the first plan has one in which the fewest leaders leave their broker, as each of
those is an election whatever comes then. But where a broker has to give leaders away and only brokers of its
rack get more, a leader that stays takes two elections, by way of another rack: followers of a partition
rarely stand in the rack of its leader. Where few brokers share a rack, that is most of them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from equipoise.cluster.brokers import IntArray
from equipoise.planning.basis.distinct import ranks
from equipoise.planning.flow.network import Int64, Objective
from equipoise.planning.networks.disaggregation import disaggregate
from equipoise.planning.networks.faces import OptimalFace, break_ties, narrowed
from equipoise.planning.networks.placement import PlacementNetwork
from equipoise.planning.networks.repair import repaired
from equipoise.planning.problem.bands import band


def with_leaders_leaving(
    face: OptimalFace, gives: Int64, reached: Mapping[str, int], *, by_ids: bool
) -> IntArray | None:
    """Lists of the face in which leaders leave brokers, of each about as many as it ``gives``; None without.

    ``gives``: ``(n_eligible,)``; ``reached``: what the placement goals have to reach, in their order;
    ``by_ids``: as of `faces.break_ties`.
    """
    net = face.net
    suited = narrowed(face, leaders_to_leave(net, face.flow, gives))
    chosen = replace(face, flow=break_ties(suited, by_ids=by_ids))
    return repaired(chosen, *disaggregate(net, chosen.flow, leaders_apart=True), reached)


def leaders_to_leave(net: PlacementNetwork, flow: Int64, gives: Int64) -> Objective:
    """The squares of how far leaders that leave are from what each broker gives, arc by arc.

    Each broker gives leaders of those topics first of which it leads most above its share, and of a topic no
    more than replicas of it leave the broker in a ``flow`` of the face.
    """
    leave, n_eligible, n_cells = net.leave, len(net.data.brokers), len(net.cell.unit)
    cell = net.family_of[leave.unit] * n_eligible + leave.broker
    left = np.bincount(cell, flow[leave.index], n_cells).astype(np.int64)
    leads = net.leave_leaders & net.data.leads[leave.broker]
    arc, cell = leave.index[leads], cell[leads]
    leaders = net.network.upper[arc]
    led = np.bincount(cell, leaders, n_cells).astype(np.int64)
    partitions = np.bincount(net.family_of[net.unit_of], minlength=n_cells // n_eligible)
    share = band(partitions[:, None], net.data.weight * net.data.leads)[1].ravel()
    # Each leader that may leave a cell: how far above its share the broker is until this one has left.
    of = np.repeat(np.arange(n_cells), np.minimum(led, left))
    above = (led - share)[of] - ranks(of)
    order = np.lexsort((-above, net.cell.broker[of]))
    broker = net.cell.broker[of][order]
    given = np.bincount(of[order][ranks(broker) < gives[broker]], minlength=n_cells)
    # A cell has an arc for each unit, and what it gives goes to one after the other.
    order = np.argsort(cell, kind="stable")
    before = np.cumsum(leaders[order]) - leaders[order]
    before -= before[np.searchsorted(cell[order], cell[order])]
    wanted = np.empty_like(leaders)
    wanted[order] = np.clip(given[cell[order]] - before, 0, leaders[order])
    return Objective.of_bands(len(net.network.tail), arc, wanted, wanted)
