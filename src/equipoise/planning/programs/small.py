"""Placements and orders together, for small clusters: a lexicographic 0-1 program.

Where a leader level is held back by where replicas stand, flows alone cannot tell which of the equally good
placements frees it. This program can. Goals that are proved already are held to their values, and the others
are made least one after the other by HiGHS, whose linear relaxation is nearly always whole; packings by
CP-SAT. It takes only what is better than the best plan known: where it finds nothing, nothing changes. What
is proved in the end, by a tree of prices, is `branching.proof_of` each level.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from equipoise.cluster.brokers import IntArray
from equipoise.planning.goals import value_of
from equipoise.planning.problem.problem import Problem
from equipoise.planning.programs.model import Model

if TYPE_CHECKING:
    from equipoise.planning.linear.highs import Answer
    from equipoise.planning.programs.branching import Tree
    from equipoise.planning.programs.rows import Sheet

def cells(problem: Problem) -> int:
    """How large the program is: partitions that may change, times brokers that may hold them."""
    return int(problem.movable.sum()) * int(problem.eligible.sum())


def is_small(problem: Problem) -> bool:
    """True where the program has a fair chance to decide the cluster."""
    return cells(problem) <= problem.params.small_cells


def pair_cells(problem: Problem) -> int:
    """How many pairs of a leader and a first follower the partitions can have together."""
    brokers = int(problem.eligible.sum())
    return int((problem.movable & (problem.rf > 1)).sum()) * brokers * (brokers - 1)


Measure = Callable[[Problem, IntArray, str], int]


class SmallProgram:
    """The program of a small cluster at work, goal after goal."""

    def __init__(self, model: Model, measure: Measure = value_of) -> None:
        self.model, self.measure = model, measure
        self.params = model.problem.params
        self.held: dict[str, int] = {}

    @classmethod
    def of(cls, problem: Problem) -> SmallProgram:
        """The program of a problem, with nothing held."""
        return cls(Model(problem, problem.goals))

    def value(self, lists: IntArray, goal: str) -> int:
        return self.measure(self.model.problem, lists, goal)

    def any_lists(self) -> IntArray | None:
        """Some lists that keep the rules, None where there are none."""
        from equipoise.planning.programs.relaxation import least_integral  # SciPy, where it is needed

        found = None if self.model.contradicts else least_integral(self.model.sheet())
        return None if found is None else self.lists(found.x)

    def hold(self, goal: str, value: int) -> None:
        """Keep a goal at a value that is decided."""
        self.model.hold(goal, value)
        self.held[goal] = value

    def keeps(self, lists: IntArray) -> bool:
        """True where the goals that are decided keep their values."""
        return all(self.value(lists, goal) <= value for goal, value in self.held.items())

    def least(self, goal: str, best: IntArray) -> tuple[IntArray, int]:
        """Lists with the least value of a goal that was found, and the bound that the solver claims.

        ``best`` is kept where nothing better is found; all that comes after is as good at this goal.
        """
        reached = self.value(best, goal)
        counted = self.model.hold(goal, reached)
        self.held[goal] = reached
        if reached == 0:  # nothing counts below 0
            return best, 0
        sheet = self.model.sheet(counted)
        best, bound = self.near_relaxed(goal, best, sheet)
        self.held[goal] = self.value(best, goal)
        self.model.at_most(counted, self.held[goal])
        return best, bound

    def near_relaxed(self, goal: str, best: IntArray, sheet: Sheet) -> tuple[IntArray, int]:
        """What is found beyond the linear relaxation, and the bound that goes with it."""
        from equipoise.planning.programs.relaxation import bound_of, relaxed

        reached = self.value(best, goal)
        if len(sheet.cost) > self.params.small_columns or (least := relaxed(sheet, self.params)) is None:
            return best, 0
        bound = bound_of(sheet, least)
        # Where the relaxation leaves nothing better, a search among whole columns would be in vain.
        if bound >= reached:
            return best, bound
        x, claimed = self.search_whole(sheet, least, best)
        lists = best if x is None else self.lists(x)
        # HiGHS keeps rows within a tolerance, which may be many bytes: lists count by what they are worth.
        if self.value(lists, goal) < reached and self.keeps(lists):
            best = lists
        return best, max(bound, claimed)

    def search_whole(self, sheet: Sheet, least: Answer, best: IntArray) -> tuple[np.ndarray | None, int]:
        """Whole columns, None where none are found, and the bound that their search claims.

        ``least``: those of the relaxation; ``best``: the best lists that are known.
        """
        from equipoise.planning.programs.relaxation import bound_of, integral_near

        found = integral_near(sheet, least, self.params.small_nodes)
        return (None, 0) if found is None else (found.x, bound_of(sheet, found))

    def lists(self, x: np.ndarray) -> IntArray:
        """The lists of whole columns."""
        return self.model.lists(lambda column: x[column.column] > 0)


def trees(model: Model, values: dict[str, int], wanted: dict[str, int]) -> dict[str, Tree]:
    """Proofs of the ``wanted`` bounds, or of less, in plans as good as ``values`` at the goals before.

    ``model`` is that of all goals, with none held yet. A goal may be missing.
    """
    from equipoise.planning.programs.branching import proof_of

    found = {}
    last = max((k for k, goal in enumerate(model.goals) if wanted.get(goal)), default=-1)
    # A bound is of plans as good at all goals before, so those are held, wanted or not, in the order in which
    # the judge numbers their rows. Goals behind the last one wanted would add rows that no proof needs.
    for goal in model.goals[: last + 1]:
        sheet = model.sheet(model.hold(goal, values[goal])) if wanted.get(goal) else None
        if sheet is None:
            model.hold(goal, values[goal])
        elif (tree := proof_of(sheet, wanted[goal], model.problem.params)) is not None:
            found[goal] = tree
    return found
