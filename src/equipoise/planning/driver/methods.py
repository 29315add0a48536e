"""The methods of the planner, as data: what each is for, what it needs, up to which size, and what it runs.

The driver takes the goals in their order, and for each the methods in the order of this list, the cheapest
first, until its proof closes. `equipoise plan --explain-solver` prints what ran; the table of methods in
docs/method.md is made from this list.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass, replace

from equipoise.cluster.proofs import NetworkName
from equipoise.planning.bounds.leaving import fewest_given_up
from equipoise.planning.bounds.topic_leaders import with_topic_leaders
from equipoise.planning.certificate import ProvedLevel
from equipoise.planning.driver.failover import (
    by_failover_prices,
    pairs_of_brokers,
    spread_replicas,
    with_first_followers,
)
from equipoise.planning.driver.first import ordered
from equipoise.planning.driver.pinning import placed_with
from equipoise.planning.driver.size import ANY_SIZE, Size
from equipoise.planning.driver.solution import goals_before
from equipoise.planning.driver.state import State
from equipoise.planning.goals import ALL_GOALS, BROKER_LEADER, LEADER, PLACEMENT
from equipoise.planning.networks.place import arcs_of_partitions
from equipoise.planning.problem.params import Effort
from equipoise.planning.programs.small import SmallProgram, cells, pairs, trees


@dataclass(frozen=True)
class Method:
    """One way to a better plan, or to a better bound."""

    name: str
    gains: str
    """What it gains, in a sentence."""
    improves: bool
    bounds: bool
    goals: Collection[str]
    """It serves these."""
    needs: Callable[[State, str], bool]
    size: Callable[[State, str], Size]
    run: Callable[[State, str], State]
    effort: Effort = Effort.NORMAL
    """The least effort with which it is used."""


# what must leave


def elections_come_next(state: State, goal: str) -> bool:
    """True where all goals before are closed, and know replicas, brokers and racks alone."""
    before = state.proofs_before(goal)
    plain = all(proof.goal in PLACEMENT or proof.goal in BROKER_LEADER for proof in before)
    return not state.within_budgets and plain and all(proof.closes for proof in before)


def by_forced_leader_changes(state: State, goal: str) -> State:
    reached = state.solution.before(goal)
    face = state.faces.of(state.faces.kept(reached))
    if face is None:
        return state
    level = fewest_given_up(face, reached)
    if state.placement.by_row:  # said aloud, since no other level may tell
        level = replace(level, network=NetworkName.LEAVING_PARTITIONS)
    return state.with_level(level, reached)


# placements and leaders at once


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
    from equipoise.planning.programs.joint.solve import Start, best_of_face

    problem, best = state.problem, state.solution
    reached, proof = best.before(goal), best.proof(goal)
    kept = state.faces.kept(reached)
    face = state.faces.of(kept)
    known = tuple(level for proof in state.proofs_before(goal) if proof.closes and (level := proof.level))
    start = Start(best.lists, proof.bound if proof.claims else 0, known)
    joint = best_of_face(face, goal, reached, frozenset(kept), start) if face else None
    if joint is None:
        if goal in PLACEMENT:
            state = state.with_lists(*ordered(problem, placed_with(problem, best.lists, 1)))
        return state
    if joint.lists is not None:
        state = state.with_lists(*ordered(problem, joint.lists))
    return replace(state.with_level(joint.level, reached), decided=state.decided | {goal})


FACE_GOALS = (*PLACEMENT, *LEADER)


# first followers


def may_move_for_followers(state: State, goal: str) -> bool:
    """True where `failover` stands before the moves, so that replicas may move for it."""
    before = goals_before(state.problem.goals, goal)
    return not state.within_budgets and "moves" in state.problem.goals and "moves" not in before


def within_no_budget(state: State, goal: str) -> bool:
    return not state.within_budgets


# the program of a small cluster


def by_small_program(state: State, goal: str) -> State:
    """The least of the goal by the 0-1 program, and a proof by cases of what the solver claims."""
    problem, best = state.problem, state.solution
    program = SmallProgram.of(problem)
    for earlier, value in best.before(goal).items():
        program.hold(earlier, value)
    lists, claimed = program.least(goal, best.lists)
    state = state.with_lists(lists)
    proof = state.proof(goal)
    if proof.closes or not claimed:
        return state
    tree = trees(problem, problem.goals, state.solution.reached, {goal: min(claimed, proof.value)}).get(goal)
    if tree is not None:
        level = ProvedLevel(goal, tree.bound, NetworkName.PROGRAM, tree.prices, tree.branches)
        state = state.with_level(level)
    if (proof := state.proof(goal)).bound < claimed and not proof.closes:
        state = state.with_proof(replace(proof, note=f"a search that cannot be checked says {claimed}"))
    return state


def small_size(state: State, goal: str) -> Size:
    """Partitions times brokers; where pairs of leader and first follower have columns, those."""
    problem, params = state.problem, state.problem.params
    with_pairs = "failover" in (*goals_before(problem.goals, goal), goal)
    size = Size(cells(problem), params.small_cells, "partitions x brokers")
    paired = Size(pairs(problem), params.small_pairs, "partitions x pairs of brokers")
    return paired if with_pairs and size.fits else size


# prices of leaders' sums


def by_prices_of_sums(state: State, goal: str) -> State:
    return replace(state, solution=with_topic_leaders(state.problem, state.solution))


def always(state: State, goal: str) -> bool:
    return True


def any_size(state: State, goal: str) -> Size:
    """There is no limit to it."""
    return ANY_SIZE


METHODS = (
    Method(
        "leaders that must leave",
        "a bound on elections by flows: leaders leave with replicas, and crowded brokers give some away",
        improves=False, bounds=True, goals=("elections",),
        needs=elections_come_next, size=any_size, run=by_forced_leader_changes,
    ),
    Method(
        "placements and leaders at once",
        "a linear program on the optimal face of the goals before: which replicas move decides who can lead",
        improves=True, bounds=True, goals=FACE_GOALS,
        needs=face_is_open, size=face_arcs, run=by_face,
    ),
    Method(
        "prices of survivors",
        "a bound on failover in any placement, by a price on each sum that ties brokers together",
        improves=False, bounds=True, goals=("failover",),
        needs=within_no_budget, size=pairs_of_brokers, run=by_failover_prices,
    ),
    Method(
        "first followers",
        "replicas move so that what any one broker leads is spread over the survivors",
        improves=True, bounds=False, goals=("failover",),
        needs=may_move_for_followers, size=spread_replicas, run=with_first_followers,
    ),
    Method(
        "program of a small cluster",
        "a 0-1 program of all placements and orders decides what is open, and prices prove it case by case",
        improves=True, bounds=True, goals=ALL_GOALS,
        needs=always, size=small_size, run=by_small_program,
    ),
    Method(
        "prices of leaders' sums",
        "a bound on topic-leaders in any placement, where nothing else is known of those",
        improves=False, bounds=True, goals=("topic-leaders",),
        needs=always, size=any_size, run=by_prices_of_sums, effort=Effort.QUICK,
    ),
)  # fmt: skip
