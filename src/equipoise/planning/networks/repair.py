"""What could not be disaggregated, repaired: those topics are placed again, partition by partition.

Where replicas may change racks, a flow over topics now and then promises counts of a few small topics that
no choice of partitions meets. To solve the whole again with those partitions as nodes makes the flow promise
others elsewhere. Here every other topic stays as it is, and each broker gets from these as many replicas as
before, in another way: mostly that is as good at every goal, and the values of the lists tell if it is.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from equipoise.cluster.brokers import IntArray
from equipoise.cluster.proofs import NetworkName
from equipoise.planning.flow.network import Infeasible, Int64
from equipoise.planning.goals import value_of
from equipoise.planning.networks.disaggregated_exactly import subset
from equipoise.planning.networks.disaggregation import Moved, disaggregate, lists_after, moved
from equipoise.planning.networks.faces import OptimalFace, least_change, solve_levels, topic_network


def repaired(face: OptimalFace, moves: Moved, failed: Int64, promised: Mapping[str, int]) -> IntArray | None:
    """Lists of the moves, with other ones for topics of ``failed`` units; None where they are worse.

    ``promised``: what the placement goals have to reach, in their order.
    """
    data = face.net.data
    if not len(failed):
        return lists_after(data, moves)
    # A few topics alone may have no other way; small ones beside them give more to choose from.
    for beside in (0, data.problem.params.repaired_arcs):
        rows = rows_of_topics(face, failed, beside)
        if len(rows) * len(data.brokers) > data.problem.params.repaired_arcs:
            return None
        try:
            lists = lists_after(data, placed_again(face, moves, rows, tuple(promised)))
        except Infeasible:
            continue
        if all(value_of(data.problem, lists, goal) <= most for goal, most in promised.items()):
            return lists
    return None


def rows_of_topics(face: OptimalFace, failed: Int64, most_arcs: int) -> Int64:
    """Rows of the topics of some units, and of the smallest others as long as ``most_arcs`` allow it."""
    data = face.net.data
    topic = face.net.family_of[face.net.unit_of]
    size = np.bincount(topic)
    ours = np.isin(np.arange(len(size)), face.net.family_of[failed])
    others = np.argsort(np.where(ours, 0, size), kind="stable")
    within = np.cumsum(size[others]) * len(data.brokers) <= most_arcs
    ours[others[within]] = True
    return np.flatnonzero(ours[topic])


def placed_again(face: OptimalFace, moves: Moved, rows: Int64, goals: tuple[str, ...]) -> Moved:
    """The moves with those of whole topics found anew; brokers get as many replicas of them as before.

    Raises `Infeasible`.
    """
    net, n_eligible = face.net, len(face.net.data.brokers)
    part, slots = subset(net.data, rows)
    topics = np.unique(net.family_of[net.unit_of[rows]])
    counts = face.flow[net.cell.index].reshape(-1, n_eligible)[topics].sum(axis=0)
    part = replace(part, held=part.base + counts)
    small = topic_network(part, np.ones(len(rows), dtype=bool))
    found = solve_levels(small, small.network, goals, NetworkName.PARTITIONS)[1]
    found = least_change(found, by_ids=True)
    again, _ = disaggregate(found.net, found.flow)
    leaving = moves.leaving.copy()
    leaving[slots] = again.leaving
    kept = ~np.isin(moves.row, rows)
    return moved(leaving, [(moves.row[kept], moves.broker[kept]), (rows[again.row], again.broker)])
