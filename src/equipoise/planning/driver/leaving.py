"""Elections by flows: leaders leave with their replicas, and brokers that lead too many give some away."""

from __future__ import annotations

from dataclasses import replace

from equipoise.cluster.proofs import NetworkName
from equipoise.planning.bounds.leaders import leaders_given
from equipoise.planning.bounds.leaving import fewest_given_up
from equipoise.planning.driver.first import ordered
from equipoise.planning.driver.state import State
from equipoise.planning.goals import BROKER_LEADER, PLACEMENT
from equipoise.planning.networks.leaders_leaving import with_leaders_leaving
from equipoise.planning.networks.place import arcs_of_partitions, ids_decide


def elections_come_next(state: State, goal: str) -> bool:
    """True where all goals before are closed, and know replicas, brokers and racks alone."""
    before = state.proofs_before(goal)
    placed = [proof.goal for proof in before if proof.goal in PLACEMENT]
    plain = all(proof.goal in placed or proof.goal in BROKER_LEADER for proof in before)
    # The judge builds its network from the faces of the goals before, and a budget may keep a plan off those.
    if state.within_budgets or not plain or not all(proof.closes for proof in before):
        return False
    # Where not even the first is what the flows say, placements are too many to tell anything.
    return not placed or len(state.faces.kept(state.solution.before(goal))) > 0


def by_forced_leader_changes(state: State, goal: str) -> State:
    """The state with a bound of what must leave, and of what brokers must give away."""
    reached = state.solution.before(goal)
    face = state.faces.of(state.faces.kept(reached))
    if face is None:
        return state
    level = fewest_given_up(face, reached)
    if state.placement.by_row:  # said aloud, since no other level may tell
        level = replace(level, network=NetworkName.LEAVING_PARTITIONS)
    return state.with_level(level, reached)


def elections_are_far(state: State, goal: str) -> bool:
    """True where elections come next, and many are above their bound; where a program could follow, any."""
    if not elections_come_next(state, goal):
        return False
    proof, params = state.proof(goal), state.problem.params
    far = (proof.value - proof.bound) * params.leaving_part > proof.bound
    return far or arcs_of_partitions(state.problem) <= params.face_arcs


def by_leaders_leaving(state: State, goal: str) -> State:
    """The state with a placement of which more leaders leave, if elections are fewer then.

    The nearer elections are to their bound, the fewer of the leaders that brokers must give up leave at
    first, at least two for each election above it; then twice as many each time, as long as it helps.
    """
    reached = state.solution.before(goal)
    face = state.faces.of(state.faces.kept(reached))
    if face is None:
        return state
    gives = leaders_given(state.problem, reached)[face.net.data.brokers]
    placed = {name: value for name, value in reached.items() if name in PLACEMENT}
    proof, part = state.proof(goal), state.problem.params.leaving_part
    by_ids = state.placement.by_row and ids_decide(state.problem)
    while part > 1 and 2 * (proof.value - proof.bound) * part > proof.bound:
        part //= 2
    while part:
        lists = with_leaders_leaving(face, -(-gives // part), placed, by_ids=by_ids)
        found = state if lists is None else state.with_lists(*ordered(state.problem, lists))
        if found is state or found.proof(goal).closes:
            return found
        state, part = found, part // 2
    return state
