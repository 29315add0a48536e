"""The plan to begin with: that of flows; within budgets one by a price on moves, or of light partitions."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace

from equipoise.planning.driver.on_budget import within_moves
from equipoise.planning.driver.on_bytes import within_bytes
from equipoise.planning.driver.state import State
from equipoise.planning.flow.network import Infeasible
from equipoise.planning.networks.move_budget import needed_moves
from equipoise.planning.problem.params import Effort
from equipoise.planning.problem.problem import Problem
from equipoise.planning.programs.small import SmallProgram, is_small
from equipoise.planning.request.conflicts import refuse_together
from equipoise.planning.rules import within_budgets
from equipoise.planning.rules.max_bytes import MAX_BYTES
from equipoise.planning.rules.max_moves import MAX_MOVES
from equipoise.planning.solution.as_is import as_it_is
from equipoise.planning.solution.solution import proved_by


def start(problem: Problem, free: State) -> State:
    """The plan to begin with; ``free`` is that of flows, which know no budgets.

    Where what is there serves as well as what flows found, it stays: so a second run is empty. Raises
    `Infeasible`, or `ImpossibleRequest` where a budget is below what the rules need.
    """
    as_is = as_it_is(problem)
    if within_budgets(problem, free.solution.lists):
        if as_is is None or free.solution.is_proved:
            return free
        # As good is enough here: what stays needs no copies, no elections and no reasons.
        return free.with_lists(as_is, ties=True)
    if not is_small(problem):
        return on_a_budget(problem, free)
    if not problem.params.effort.reaches(Effort.NORMAL):  # no method will look on from what is there
        with suppress(Infeasible):
            return on_a_budget(problem, free)
    if MAX_MOVES.is_given(problem.request):
        MAX_MOVES.refuse(needed_moves(problem), problem.request)
    # The program of a small cluster knows budgets, so any lists that keep them will do to begin with.
    lists = as_is if as_is is not None else SmallProgram.of(problem).any_lists()
    if lists is None:
        refuse_together(problem)
    solution = proved_by(problem, lists, free.placement.levels, free.placement.groups)
    return replace(free, solution=solution, within_budgets=True)


def on_a_budget(problem: Problem, free: State) -> State:
    """The plan within a budget of bytes, or of moves.

    Raises `Infeasible` where even what has to move breaks a budget.
    """
    state = (within_bytes if MAX_BYTES.is_given(problem.request) else within_moves)(problem, free)
    if not within_budgets(problem, state.solution.lists):
        raise Infeasible
    return replace(state, within_budgets=True)
