"""Placements and leaders at once of some topics, where a cluster is too large for all of them.

A part of a plan is released and made as good as it can be with the rest as it is: large neighbourhood search
(P. Shaw, "Using constraint programming and local search methods to solve vehicle routing problems", CP 1998).
Nothing is proved by it of all plans.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from equipoise.cluster.brokers import IntArray
from equipoise.cluster.measures import widened
from equipoise.planning.driver.face import FACE_GOALS, best_after, with_best_of
from equipoise.planning.driver.state import Faces, State
from equipoise.planning.goals import goals_before
from equipoise.planning.goals.elections import Elections
from equipoise.planning.goals.moves import Moves
from equipoise.planning.networks.place import arcs_of_one, place
from equipoise.planning.problem.problem import BoolArray, Problem
from equipoise.planning.problem.shares import squared, table, topic_bands
from equipoise.planning.rules.max_bytes import MAX_BYTES
from equipoise.planning.solution.size import Size
from equipoise.planning.solution.solution import proved_by


def topics_are_open(state: State, goal: str) -> bool:
    """True where all placements were too many for one program, and a second run would still find nothing.

    Within a budget that binds a second run has another budget, and goes on anyway.
    """
    before = set(goals_before(state.problem.goals, goal))
    rests = {Moves.name, Elections.name} <= before <= {*FACE_GOALS}
    return rests and not state.by_topics and (state.within_budgets or goal not in state.decided)


def many_partitions(state: State, goal: str) -> Size:
    """Partitions that may change, of which those of some topics are looked at."""
    problem = state.problem
    return Size(int(problem.movable.sum()), problem.params.topics_of_partitions, "partitions")


def by_some_topics(state: State, goal: str) -> State:
    """The state with the leaders of the least level topics made level, and their replicas moved for it.

    Then the next topics are looked at, as long as each part gains enough of what is left.
    """
    problem = state.problem
    left, most = problem.movable, problem.params.topics_arcs
    if state.within_budgets:  # the program has a condition more there, which makes it slow, one of bytes most
        most //= 4 if MAX_BYTES.is_given(problem.request) else 2
    while (part := least_level(problem, state.solution.lists, left, most)).any():
        value = state.proof(goal).value
        state, left = with_part_solved(state, goal, part), left & ~part
        if (value - state.proof(goal).value) * problem.params.topics_gain < value:
            break
    return replace(state, decided=state.decided | {goal}, by_topics=True)


def with_part_solved(state: State, goal: str, part: BoolArray) -> State:
    """The state with some partitions placed and led anew, the others as they are."""
    lists = state.solution.lists
    released = with_part_released(state.problem, lists, part)
    placement = place(released, released.goals)
    if not placement.by_row:
        return state
    solution = proved_by(released, lists, placement.levels, placement.groups)
    begun = State(released, solution, Faces(placement))
    joint = best_after(begun, goal, solution.before(goal))
    return state if joint is None else with_best_of(state, joint)


def least_level(problem: Problem, lists: IntArray, left: BoolArray, most: int) -> BoolArray:
    """Partitions ``left`` of the topics whose leaders are farthest from their bands for those they have.

    They have ``most`` arcs.
    """
    count = table(problem, np.arange(len(lists)), lists[:, 0])
    away = squared(count, *topic_bands(problem, count, problem.leads)).sum(axis=1)
    topic = problem.cluster.topic_idx
    n_left = np.bincount(topic[left], minlength=len(count))
    arcs = arcs_of_one(problem) * n_left
    some = (n_left > 0) & (arcs <= most)  # one that is too large keeps none out
    # Level ones change leaders with the others, but more of them than of those have gained nothing.
    most = min(most, 2 * int(arcs[some & (away > 0)].sum()))
    order = np.argsort(-away / np.maximum(n_left, 1), kind="stable")
    order = order[some[order]]
    chosen = np.zeros(len(count), dtype=bool)
    chosen[order[np.cumsum(arcs[order]) <= most]] = True
    return left & chosen[topic]


def with_part_released(problem: Problem, lists: IntArray, part: BoolArray) -> Problem:
    """The problem in which all but a part of the partitions have stood as the plan's ``lists`` have them."""
    cluster = problem.cluster
    width = max(some.shape[1] for some in (lists, cluster.replicas, problem.current))

    planned, inside = widened(lists, width), part[:, None]
    pinned = np.zeros((len(lists), width), dtype=bool)
    pinned[:, : problem.pinned.shape[1]] = problem.pinned
    return replace(
        problem,
        params=replace(problem.params, grown_pivots=problem.params.topics_pivots),
        cluster=replace(cluster, replicas=np.where(inside, widened(cluster.replicas, width), planned)),
        current=np.where(inside, widened(problem.current, width), planned),
        pinned=pinned,
        movable=part,
    )
