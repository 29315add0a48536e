"""Planning on the plan's own result: where that finds better, it is the better plan.

So a second run is empty, where goals of followers are open: flows choose one position of the lists after the
other, and from other lists they choose otherwise.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from equipoise.cluster.brokers import IntArray
from equipoise.cluster.measures import lengths
from equipoise.errors import ImpossibleRequest, UnusableInput
from equipoise.planning.driver.state import State
from equipoise.planning.flow.network import Infeasible
from equipoise.planning.goals import FOLLOWER, LEADER, ORDER
from equipoise.planning.problem.problem import Problem
from equipoise.planning.programs.small import is_small
from equipoise.planning.request.laying import build_problem
from equipoise.planning.request.second_run import asked_again

LATE = frozenset([*FOLLOWER, *(goal for goal in ORDER if goal not in LEADER)])


def at_rest(state: State, lists_of: Callable[[Problem], IntArray]) -> State:
    """The state, or one that planning on its result leaves as it is; ``lists_of`` plans a problem."""
    problem = state.problem
    # Each round is better in the order of goals than the one
    # before, and no goal counts below 0: rounds come to an end.
    while not state.solution.is_proved and (is_small(problem) or not LATE.isdisjoint(problem.goals)):
        lists = state.solution.lists
        try:
            done = build_problem(replace(problem.cluster, replicas=lists), asked_again(problem))
            found = lists_of(replace(done, params=problem.params))
        except (UnusableInput, ImpossibleRequest, Infeasible):  # what can be asked only once
            break
        if not np.array_equal(lengths(found), lengths(lists)):
            break
        better = state.with_lists(found)
        if better is state:
            break
        state = better
    return state
