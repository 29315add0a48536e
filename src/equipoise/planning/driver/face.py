"""Placements and leaders at once, on the optimal face of the goals before."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from equipoise.planning.driver.first import ordered
from equipoise.planning.driver.pinning import placed_with
from equipoise.planning.driver.state import State
from equipoise.planning.goals import LEADER, PLACEMENT
from equipoise.planning.networks.place import arcs_of_partitions
from equipoise.planning.solution.size import Size

if TYPE_CHECKING:
    from equipoise.planning.programs.joint.solve import Joint

FACE_GOALS = (*PLACEMENT, *LEADER)


def face_is_open(state: State, goal: str) -> bool:
    """True where placements are left to choose from, and every goal before has been decided among them."""
    before = state.proofs_before(goal)
    joint = all(proof.goal in FACE_GOALS for proof in before)
    known = joint and all(proof.closes or proof.goal in state.decided for proof in before)
    return known and state.placement.by_row and not state.has_one_placement and goal not in state.decided


def face_arcs(state: State, goal: str) -> Size:
    """Arcs of the network in which every partition is a unit."""
    problem = state.problem
    return Size(arcs_of_partitions(problem), problem.params.face_arcs, "arcs")


def by_face(state: State, goal: str) -> State:
    """The state with a goal decided among all placements that are as good at the goals before it."""
    reached = state.solution.before(goal)
    joint = best_after(state, goal, reached)
    if joint is None:
        # Without an answer the placement can still be solved for who leads now: that may be better, and is
        # tried before the goal is given up.
        if goal in PLACEMENT:
            lists = placed_with(state.problem, state.solution.lists, 1)
            state = state.with_lists(*ordered(state.problem, lists))
        return state
    state = with_best_of(state, joint)
    return replace(state.with_level(joint.level, reached), decided=state.decided | {goal})


def with_best_of(state: State, joint: Joint) -> State:
    """The state with the best of the placements that a program found, in the order of all goals."""
    for lists in (joint.lists, *joint.others):
        if lists is not None:
            state = state.with_lists(*ordered(state.problem, lists))
    return state


def best_after(state: State, goal: str, reached: Mapping[str, int]) -> Joint | None:
    """The best of a goal where those before have ``reached`` some values; None where that is not found."""
    from equipoise.planning.programs.joint.solve import Start, best_of_face

    kept = state.faces.kept(reached)
    face = state.faces.of(kept)
    if face is None:
        return None
    claimed = (proof for proof in state.proofs_before(goal) if proof.claims)
    known = tuple(level for proof in claimed if (level := proof.level))
    own = state.proof(goal)
    later = state.problem.goals[state.problem.goals.index(goal) + 1 :][:1]
    # A goal that programs serve has one of its own; any other gets what this placement leaves it.
    tells = any(name not in FACE_GOALS for name in later)
    start = Start(state.solution.lists, own.bound if own.claims else 0, known, tells)
    return best_of_face(face, goal, reached, frozenset(kept), start)
