"""The first plan: by flows, goal after goal, and the order of lists on it."""

from __future__ import annotations

from dataclasses import replace

from equipoise.cluster.brokers import IntArray
from equipoise.planning.certificate import ProvedLevel
from equipoise.planning.driver.budget import pinned_to
from equipoise.planning.driver.solution import proved_by
from equipoise.planning.driver.state import Faces, State
from equipoise.planning.flow.network import Int64
from equipoise.planning.networks.leadable import with_leaders
from equipoise.planning.networks.orders import order
from equipoise.planning.networks.place import Placement, place
from equipoise.planning.problem.problem import Problem


def by_networks(problem: Problem, held: Int64 | None = None) -> State:
    """Placement first, orders on it; with the bound of each goal over placements and orders together.

    ``held``: replicas of each broker afterwards, where those are decided already. Raises `Infeasible`.
    """
    placement = within_changes(problem, place(problem, problem.goals, held), held)
    lists, orders = ordered(problem, placement.lists)
    solution = proved_by(problem, lists, (*placement.levels, *orders), placement.groups)
    return State(problem, solution, Faces(problem, placement))


def ordered(problem: Problem, lists: IntArray) -> tuple[IntArray, tuple[ProvedLevel, ...]]:
    """A placement's lists put in order, and the levels of the order."""
    lists, levels = order(problem, with_leaders(problem, lists), problem.goals)
    return lists, tuple(levels)


def within_changes(problem: Problem, placement: Placement, held: Int64 | None) -> Placement:
    """The placement with ``--max-changes-per-partition`` kept: in racks, flows only keep it rack by rack."""
    pinned = pinned_to(problem, placement.lists)
    while pinned is not None:
        placement = replace(placement, lists=place(pinned, problem.goals, held).lists)
        pinned = pinned_to(pinned, placement.lists)
    return placement
