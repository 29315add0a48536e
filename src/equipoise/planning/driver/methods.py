"""The methods of the planner, as data: what each is for, what it needs, up to which size, and what it runs.

The driver takes the goals in their order, and for each the methods in the order of this list, the cheapest
first, until its proof closes. Two ways of all goals come before. `equipoise plan --explain-solver` prints
what ran; the tables of ways and of methods in docs/method.md are compared with these.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass, replace

from equipoise.cluster.proofs import NetworkName
from equipoise.planning.basis.certificate import ProvedLevel
from equipoise.planning.basis.way import Way
from equipoise.planning.bounds.topic_leaders import with_topic_leaders
from equipoise.planning.driver.face import (
    FACE_GOALS,
    by_face,
    face_arcs,
    face_is_open,
)
from equipoise.planning.driver.failover import (
    by_failover_prices,
    pairs_of_brokers,
    spread_replicas,
    with_first_followers,
)
from equipoise.planning.driver.leaving import (
    by_forced_leader_changes,
    by_leaders_leaving,
    elections_are_far,
    elections_come_next,
)
from equipoise.planning.driver.some_topics import by_some_topics, many_partitions, topics_are_open
from equipoise.planning.driver.state import State
from equipoise.planning.goals import GOALS, goals_before
from equipoise.planning.goals.elections import Elections
from equipoise.planning.goals.failover import Failover
from equipoise.planning.goals.moves import Moves
from equipoise.planning.goals.topic_leaders import TopicLeaders
from equipoise.planning.problem.params import Effort
from equipoise.planning.programs.model import Model
from equipoise.planning.programs.small import SmallProgram, cells, pair_cells, trees
from equipoise.planning.solution.size import ANY_SIZE, Size


@dataclass(frozen=True)
class Method(Way):
    """A way to a better plan, or to a better bound, for goals taken one by one."""

    improves: bool
    bounds: bool
    goals: Collection[str]
    """It serves these."""
    needs: Callable[[State, str], bool]
    size: Callable[[State, str], Size]
    run: Callable[[State, str], State]
    effort: Effort = Effort.NORMAL
    """The least effort with which it is used."""


# first followers


def may_move_for_followers(state: State, goal: str) -> bool:
    """True where `failover` stands before the moves, so that replicas may move for it."""
    before = goals_before(state.problem.goals, goal)
    return not state.within_budgets and Moves.name in state.problem.goals and Moves.name not in before


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
    # What a solver claims is only where to aim: the tree proves what it can with prices, and never needs to
    # prove more than the plan has.
    model, wanted = Model(problem, problem.goals), min(claimed, proof.value)
    tree = trees(model, state.solution.reached, {goal: wanted}).get(goal)
    if tree is not None:
        level = ProvedLevel(goal, tree.bound, NetworkName.PROGRAM, tree.prices, tree.branches)
        state = state.with_level(level)
    if (proof := state.proof(goal)).bound < claimed and not proof.closes:
        state = state.with_proof(replace(proof, note=f"a search that cannot be checked says {claimed}"))
    return state


def small_size(state: State, goal: str) -> Size:
    """Partitions times brokers; where pairs of leader and first follower have columns, those."""
    problem, params = state.problem, state.problem.params
    with_pairs = any(GOALS[name].of_pairs for name in (*goals_before(problem.goals, goal), goal))
    size = Size(cells(problem), params.small_cells, "partitions x brokers")
    paired = Size(pair_cells(problem), params.small_pairs, "partitions x pairs of brokers")
    return paired if with_pairs and size.fits else size


# prices of leaders' sums


def by_prices_of_sums(state: State, goal: str) -> State:
    best = state.solution
    proofs = with_topic_leaders(state.problem, best.lists, best.proofs)
    return replace(state, solution=replace(best, proofs=proofs))


def always(state: State, goal: str) -> bool:
    return True


def any_size(state: State, goal: str) -> Size:
    """There is no limit to it."""
    return ANY_SIZE


FLOWS = Way(
    "flows",
    "a plan, its goals in their order, each on the face of those before, and a bound for each",
    "500 x 60: 0.2, 2,000 x 30: 0.4, 10,000 x 12: 1.1",
)
BEGINNING = Way(
    "the plan to begin with",
    "what is there, if it serves as well; where a budget binds, a plan by a price on every move, or of light "
    "partitions",
    "nothing; within a budget that binds 600 x 12: 0.6, 2,000 x 30: 0.9",
)
METHODS = (
    Method(
        "leaders that must leave",
        "a bound on elections by flows: leaders leave with replicas, and crowded brokers give some away",
        "600 x 12 and 10,000 x 12: 0.01",
        improves=False, bounds=True, goals=(Elections.name,),
        needs=elections_come_next, size=any_size, run=by_forced_leader_changes,
    ),
    Method(
        "leaders that had better leave",
        "a placement by flows in which brokers that lead too many give leaders away with their replicas",
        "10,000 x 12: 0.2, 87,859 x 12: 0.3",
        improves=True, bounds=False, goals=(Elections.name,),
        needs=elections_are_far, size=any_size, run=by_leaders_leaving, effort=Effort.QUICK,
    ),
    Method(
        "placements and leaders at once",
        "a linear program on the optimal face of the goals before: which replicas move decides who can lead",
        "500 x 60: 0.5, 2,000 x 30: 0.6, 10,000 x 12: 2.0",
        improves=True, bounds=True, goals=FACE_GOALS,
        needs=face_is_open, size=face_arcs, run=by_face,
    ),
    Method(
        "placements and leaders of some topics",
        "the same for the least level topics alone, with all others as they are",
        "5,000 x 60: 0.7, 30,000 x 12: 1.9",
        improves=True, bounds=False, goals=(TopicLeaders.name,),
        needs=topics_are_open, size=many_partitions, run=by_some_topics,
    ),
    Method(
        "prices of survivors",
        "a bound on failover in any placement, by a price on each sum that ties brokers together",
        "500 x 60 and 2,000 x 30: 0.1, 180 x 122: 0.3",
        improves=False, bounds=True, goals=(Failover.name,),
        needs=always, size=pairs_of_brokers, run=by_failover_prices,
    ),
    Method(
        "first followers",
        "replicas move so that what any one broker leads is spread over the survivors",
        "500 x 60 and 180 x 122: 0.2, 2,000 x 30: 0.4",
        improves=True, bounds=False, goals=(Failover.name,),
        needs=may_move_for_followers, size=spread_replicas, run=with_first_followers,
    ),
    Method(
        "program of a small cluster",
        "a 0-1 program of all placements and orders decides what is open, and prices prove it case by case",
        "100 x 6, for `positions`: 0.6",
        improves=True, bounds=True, goals=GOALS,
        needs=always, size=small_size, run=by_small_program,
    ),
    Method(
        "prices of leaders' sums",
        "a bound on topic-leaders in any placement, where nothing else is known of those",
        "2,000 x 30: 0.01, 87,859 x 40: 0.5",
        improves=False, bounds=True, goals=(TopicLeaders.name,),
        needs=always, size=any_size, run=by_prices_of_sums, effort=Effort.QUICK,
    ),
)  # fmt: skip
