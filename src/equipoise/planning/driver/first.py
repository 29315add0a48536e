"""The first plan: by flows, goal after goal, and the order of lists on it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from equipoise.cluster import measures
from equipoise.cluster.brokers import IntArray
from equipoise.planning.basis.certificate import ProvedLevel
from equipoise.planning.driver.state import Faces, State
from equipoise.planning.flow.network import Infeasible, Int64, Objective
from equipoise.planning.networks.disaggregation import disaggregate, lists_after
from equipoise.planning.networks.faces import OptimalFace, break_ties, narrowed
from equipoise.planning.networks.leadable import with_leaders
from equipoise.planning.networks.move_budget import pinned_to
from equipoise.planning.networks.orders import order
from equipoise.planning.networks.place import Placement, place
from equipoise.planning.problem.problem import Problem
from equipoise.planning.rules.max_bytes import MAX_BYTES
from equipoise.planning.rules.max_changes_per_partition import MAX_CHANGES
from equipoise.planning.solution.solution import proved_by


def by_networks(problem: Problem, held: Int64 | None = None) -> State:
    """Placement first, orders on it; with the bound of each goal over placements and orders together.

    ``held``: replicas of each broker afterwards, where those are decided already. Raises `Infeasible`.
    """
    placement = within_changes(problem, place(problem, problem.goals, held), held)
    lists, orders = ordered(problem, placement.lists)
    solution = proved_by(problem, lists, (*placement.levels, *orders), placement.groups)
    return State(problem, solution, Faces(placement))


def ordered(problem: Problem, lists: IntArray) -> tuple[IntArray, tuple[ProvedLevel, ...]]:
    """A placement's lists put in order, and the levels of the order."""
    lists, levels = order(problem, with_leaders(problem, lists), problem.goals)
    return lists, tuple(levels)


def within_changes(problem: Problem, placement: Placement, held: Int64 | None) -> Placement:
    """The placement with ``--max-changes-per-partition`` kept: in racks, flows only keep it rack by rack."""
    pinned, near, lists = pinned_to(problem, placement.lists), placement, placement.lists
    # Each round pins more, so there is an end to it; a placement in
    # which nobody changes too much comes at last, or none at all.
    while pinned is not None:
        found = pinned_on_face(pinned, near, lists)
        if found is None:
            near = place(pinned, problem.goals, held)
        lists = near.lists if found is None else found
        pinned = pinned_to(pinned, lists)
    return replace(placement, lists=lists)


def pinned_on_face(pinned: Problem, placement: Placement, lists: IntArray) -> IntArray | None:
    """Lists as good as a placement in which nothing leaves that is ``pinned``; None where none are known.

    A flow on the placement's face says it, where all goals anew would take many. It is near ``lists``.
    """
    face = placement.face
    if face is None or not placement.by_row or MAX_BYTES.is_given(pinned.request):
        return None
    data, leave = face.net.data, face.net.leave
    stays = face.net.stands_there(leave, np.where(pinned.pinned, pinned.current, -1))
    upper = face.network.upper.copy()
    # To close arcs of the face keeps the goals at their best, as far as any flow is left.
    upper[leave.index[stays]] = 0
    try:
        left = replace(face, network=replace(face.network, upper=upper))
        suited = narrowed(left, face.net.forced_leader_changes())
        suited = narrowed(suited, others_leaving(pinned, face, lists))
        moves, failed = disaggregate(face.net, break_ties(suited, by_ids=True))
    except Infeasible:
        return None
    return None if len(failed) else lists_after(data, moves)


def others_leaving(problem: Problem, face: OptimalFace, lists: IntArray) -> Objective:
    """Replicas that leave and stay in ``lists``, those twice whose partition has all its changes there.

    Placements are many, and in any other one other partitions change too often.
    """
    leave = face.net.leave
    stays = face.net.stands_there(leave, lists)
    changes = measures.arrivals_by_row(problem.cluster.replicas, lists)[face.net.data.rows[leave.unit]]
    cost = np.zeros(len(face.network.tail), dtype=np.int64)
    cost[leave.index] = np.where(changes < (MAX_CHANGES.allowed(problem.request) or 0), stays, 2 * stays)
    return Objective.of_linear(cost)
