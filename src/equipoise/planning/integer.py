"""Placements and orders together, for small clusters: a lexicographic 0-1 program.

Where a leader level is held back by where replicas stand, flows alone cannot tell which of the
equally good placements frees it. This program can. It is given the value of every level that is
already proved and minimises the others one after the other: by HiGHS, whose linear relaxation is nearly
always whole, and where that leaves something open by OR-Tools CP-SAT (one worker, a deterministic limit:
same input, same answer). It starts from the better of what flows found and what there is, and takes only
what is better still: where it finds nothing, nothing changes. What is proved in the end, by a tree of
prices, is `branching.proof_of` each level.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass
from math import ceil
from typing import TYPE_CHECKING, Any

import numpy as np

from equipoise.cluster.brokers import IntArray
from equipoise.planning.model import Model
from equipoise.planning.problem import Problem, rack_excess

if TYPE_CHECKING:
    from equipoise.planning.branching import Tree

LOG = logging.getLogger(__name__)
MAX_CELLS = 2_500
"""Partitions times brokers, up to which the program is tried."""
MAX_PAIRS = 12_000
"""Partitions times pairs of brokers, up to which it finds a better `failover` than flows do."""
EFFORT_S = 4.0
"""Deterministic seconds for all levels together; what is still open then keeps the bound it has."""
MAX_COLUMNS = 12_000
"""Of a program that HiGHS is asked: pairs of leader and heir are more on all but the smallest clusters."""
MAX_FACTOR = 2**31
"""Of a column in a row: HiGHS reckons in floating point, and bytes can be more than it tells apart."""
MIN_EFFORT_S = 0.25
"""Of each level: one that takes all there is does not leave those after it as they fall."""
TRIES = {"elections": ((1, 0.6), (2, 1.0))}
"""How much the solver takes as a linear program, and for which part of the effort left; `USUALLY` otherwise.

Bounds come from the linear program, but elections are mostly found sooner with less of it.
"""
USUALLY = ((2, 1.0),)
COSTS = ("moves", "elections", "reorders")
"""They break ties by changing as little as possible, so that a second run changes nothing."""


@dataclass(frozen=True, eq=False)
class Decided:
    """Lists, and the bound that the solvers claim for each goal they came to."""

    lists: IntArray
    bounds: dict[str, int]


def is_small(problem: Problem) -> bool:
    """True where the program has a fair chance to decide the cluster."""
    return int(problem.movable.sum()) * int(problem.eligible.sum()) <= MAX_CELLS


def has_many_pairs(problem: Problem) -> bool:
    """True where leaders and first followers together are more than the program decides in seconds."""
    brokers = int(problem.eligible.sum())
    return int((problem.movable & (problem.rf > 1)).sum()) * brokers * (brokers - 1) > MAX_PAIRS


def decide(
    problem: Problem,
    goals: tuple[str, ...],
    proved: Mapping[str, int],
    found: IntArray | None,
    *,
    model_type: type[Model] = Model,
    effort_s: float = EFFORT_S,
) -> Decided | None:
    """The lexicographic optimum; None where no assignment satisfies the rules.

    ``proved`` holds values known to be optimal, of goals that come before all others; ``found`` are lists
    that keep the rules and reach them; ``model_type`` is a `Model` that knows further goals.
    """
    search = Search(model := model_type(problem, goals))
    levels = (*goals, *(cost for cost in COSTS if cost not in goals))
    known = [lists for lists in (found, as_it_is(problem)) if lists is not None]
    best = min(known, key=lambda lists: [model.measured(lists, goal) for goal in levels], default=None)
    if best is None and (best := search.any_lists()) is None:
        return None
    for goal, value in proved.items():
        model.hold(goal, value)
    bounds = dict(proved)
    for goal in (goal for goal in levels if goal not in proved):
        LOG.info("every placement and order: %s", goal)
        best, bounds[goal], spent = search.least(goal, best, max(effort_s, MIN_EFFORT_S))
        effort_s -= spent
    return Decided(best, bounds)


def as_it_is(problem: Problem) -> IntArray | None:
    """The lists as they are, if they keep every rule."""
    lists, held = problem.current, problem.current >= 0
    keeps = (held.sum(axis=1) == problem.rf) & problem.leads[np.maximum(lists[:, 0], 0)]
    if not problem.request.leaders_only:
        keeps &= (problem.eligible[np.maximum(lists, 0)] | ~held).all(axis=1)
    if problem.request.rack_rule == "strict":
        keeps &= ~rack_excess(problem, lists).any(axis=1)
    unchanged = np.array_equal(lists, problem.cluster.replicas)
    return lists if unchanged and keeps[problem.movable].all() else None


class Search:
    """The solver at work on a model."""

    def __init__(self, model: Model) -> None:
        from ortools.sat.python import cp_model

        from equipoise.planning.sheet import Writer

        self.model = model
        self.writer = Writer(model)
        self.solver: Any = cp_model.CpSolver()
        self.solver.parameters.num_workers = 1
        self.solver.parameters.random_seed = 1
        # else it would take Ctrl-C for the end of its search alone
        self.solver.parameters.catch_sigint_signal = False
        self.solved = (cp_model.OPTIMAL, cp_model.FEASIBLE)

    def any_lists(self) -> IntArray | None:
        """Some lists that keep the rules, None where there are none."""
        found = self.solver.solve(self.model.cp) in self.solved
        return self.model.lists(self.solver.boolean_value) if found else None

    def least(self, goal: str, best: IntArray, effort_s: float) -> tuple[IntArray, int, float]:
        """Lists with the least value of a goal, the bound that solvers claim, and the effort it took.

        ``best`` is kept where nothing better is found; all that comes after is as good at this goal.
        """
        reached = self.model.measured(best, goal)
        value = self.model.hold(goal, reached)
        if reached == 0:  # nothing counts below 0
            return best, 0, 0.0
        best, bound = self.near_relaxed(goal, best, value)
        spent = 0.0
        if bound < self.model.measured(best, goal):
            self.model.add(value <= self.model.measured(best, goal))
            best, searched, spent = self.by_search(goal, best, value, effort_s)
            bound = max(bound, searched)
        self.model.add(value <= self.model.measured(best, goal))
        return best, bound, spent

    def near_relaxed(self, goal: str, best: IntArray, value: Any) -> tuple[IntArray, int]:
        """What HiGHS finds at the linear relaxation, and its bound."""
        from equipoise.planning.highs import WHOLE, relaxed, whole  # SciPy, where it is needed

        sheet = self.writer.sheet(value)
        fits = len(sheet.cost) <= MAX_COLUMNS and np.abs(sheet.table.data).max(initial=0) <= MAX_FACTOR
        if not fits or (least := relaxed(sheet)) is None:
            return best, 0
        bound, reached = ceil(least.least - WHOLE) + sheet.offset, self.model.measured(best, goal)
        if bound >= reached:
            return best, bound
        found = whole(sheet, least)
        if found is None:
            return best, bound
        lists = self.model.lists(lambda variable: found.x[variable.index] > 0)
        if self.model.measured(lists, goal) < reached:
            best = lists
        return best, max(bound, ceil(found.least - WHOLE) + sheet.offset)

    def by_search(
        self, goal: str, best: IntArray, value: Any, effort_s: float
    ) -> tuple[IntArray, int, float]:
        """What CP-SAT finds, its bound, and the effort it took."""
        cp, reached = self.model.cp, self.model.measured(best, goal)
        cp.minimize(value)
        bound, left = 0, effort_s
        for linear, share in TRIES.get(goal, USUALLY):
            self.start_from(best)
            status = self.solve(linear, share * left)
            left -= self.solver.response_proto.deterministic_time
            if status not in self.solved:
                continue
            bound = max(bound, ceil(self.solver.best_objective_bound - 1e-6))
            if (found := round(self.solver.objective_value)) < reached:
                best, reached = self.model.lists(self.solver.boolean_value), found
            if bound == reached:
                break
        cp.clear_objective()
        return best, bound, effort_s - left

    def solve(self, linear: int, effort_s: float) -> Any:
        """The solver's status after so much effort."""
        self.solver.parameters.linearization_level = linear
        self.solver.parameters.max_deterministic_time = effort_s
        return self.solver.solve(self.model.cp)

    def start_from(self, lists: IntArray) -> None:
        """Hint at lists and at all that follows from them: the solver starts only from what is whole."""
        cp, parameters = self.model.cp, self.solver.parameters
        self.model.suggest(lists)
        parameters.fix_variables_to_their_hinted_value = True
        self.solver.solve(cp)
        parameters.fix_variables_to_their_hinted_value = False
        if whole := list(self.solver.response_proto.solution):
            cp.clear_hints()
            for index, value in enumerate(whole):
                cp.add_hint(cp.get_int_var_from_proto_index(index), value)


def trees(
    problem: Problem, goals: tuple[str, ...], lists: IntArray, wanted: Mapping[str, int]
) -> dict[str, Tree]:
    """Proofs of the ``wanted`` bounds, or of less, in plans as good as ``lists`` at the goals before.

    A goal may be missing.
    """
    from equipoise.planning.branching import proof_of
    from equipoise.planning.sheet import sheets

    model = Model(problem, goals)
    last = max((k for k, goal in enumerate(goals) if wanted.get(goal)), default=-1)
    written = sheets(model, {goal: model.measured(lists, goal) for goal in goals[: last + 1]})
    tried = {goal: proof_of(written[goal], bound) for goal, bound in wanted.items() if bound}
    return {goal: tree for goal, tree in tried.items() if tree is not None}
