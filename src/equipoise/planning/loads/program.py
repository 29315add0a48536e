"""Small clusters decided: the lexicographic 0-1 program, with loads in place of counts."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from equipoise.cluster.brokers import IntArray
from equipoise.planning.basis.certificate import Proof
from equipoise.planning.goals import ORDER
from equipoise.planning.goals.elections import Elections
from equipoise.planning.goals.moves import Moves
from equipoise.planning.goals.reorders import Reorders
from equipoise.planning.loads.weights import COUNTED, Load, borne, fills, load_of, stays, weighed_value
from equipoise.planning.problem.problem import Problem
from equipoise.planning.programs.model import Model
from equipoise.planning.programs.rows import Sheet, Sum
from equipoise.planning.programs.small import SmallProgram, cells

if TYPE_CHECKING:
    from equipoise.planning.linear.highs import Answer


class LoadModel(Model):
    """The program of counts, and what weighed goals measure."""

    def goal_rows(self, goal: str) -> Sum:
        if goal in (*fills(self.problem), *self.problem.request.mix) and goal not in COUNTED:
            return self.load_rows(goal)
        return super().goal_rows(goal)

    def load_rows(self, goal: str) -> Sum:
        """Bytes outside the bands, as `Load.value` counts them."""
        load = load_of(self.problem, goal)
        lists = stays(self.problem)[:, : 1 if load.of_leaders else None]
        base = borne(lists, load.weight, len(load.low))
        banded = np.flatnonzero(load.high < 2**61)
        return self.total(self.distance(load, int(b), int(base[b])) for b in banded)

    def distance(self, load: Load, broker: int, base: int) -> Sum:
        chosen = [(row, column) for (row, at), column in self.held.items() if at == broker]
        if load.of_leaders:
            chosen = [(row, c) for (row, at, place), c in self.at.items() if at == broker and place == 0]
        # It is asked for from below alone, since the goal is least: as large as both sides ask, never larger.
        distance = self.column(0, base + int(load.weight[self.rows].sum()) + int(load.high[broker]))
        held = base + self.total(int(load.weight[row]) * column for row, column in chosen)
        self.at_least(distance - held, -int(load.high[broker]))
        self.at_least(distance + held, int(load.low[broker]))
        return distance


class LoadProgram(SmallProgram):
    """The program at work, with loads among its goals."""

    def __init__(self, problem: Problem, goals: tuple[str, ...]) -> None:
        super().__init__(LoadModel(problem, goals), weighed_value)
        self.left = self.params.load_work / max(1, cells(problem))
        """Units of CP-SAT's deterministic time for the goals that are still to be decided."""

    def search_whole(self, sheet: Sheet, least: Answer, best: IntArray) -> tuple[np.ndarray | None, int]:
        """By a search from the best lists, since a linear relaxation says little of packings."""
        from equipoise.planning.programs.packing import packed  # OR-Tools' CP-SAT takes a while to load

        # Goals come in the order of their importance: each may take half of what those before it have left.
        found = packed(sheet, self.model.columns_of(best), self.left / 2)
        self.left -= found.effort
        return found.x, found.least


COSTS = (Moves.name, Elections.name, Reorders.name)
"""They break ties by changing as little as possible, so that a second run changes nothing."""


@dataclass(frozen=True, eq=False)
class Decided:
    """Lists, and the bound that the solvers claim for each goal they came to."""

    lists: IntArray
    bounds: dict[str, int]


def is_small(problem: Problem) -> bool:
    """True where the program has a fair chance to prove a packing best."""
    return 0 < cells(problem) <= problem.params.load_cells


def decided(
    problem: Problem, goals: tuple[str, ...], proofs: list[Proof], lists: IntArray, as_is: IntArray | None
) -> Decided:
    """The lexicographic optimum, as far as the program comes; then orders where replicas stand.

    Goals proved already, up to the first that is open, are held to their values; ``as_is``: the lists of
    today, if they may stay.
    """
    program = LoadProgram(problem, goals)
    levels = (*goals, *(cost for cost in COSTS if cost not in goals))
    known: dict[str, int] = {}
    for proof in proofs:
        # A value that is not proved may be bettered, and those after it with it.
        if not proof.closes:
            break
        known[proof.goal] = proof.bound
    starts = [lists] if as_is is None else [lists, as_is]
    best = min(starts, key=lambda some: [program.value(some, goal) for goal in levels])
    for goal, value in known.items():
        program.hold(goal, value)
    bounds = dict(known)
    # Behind the last goal of places only orders are decided.
    places = max(k for k, goal in enumerate(levels) if goal not in ORDER)
    for k, goal in enumerate(levels):
        if goal in known:
            continue
        if k >= len(goals) and k > places:
            return Decided(with_orders(problem, goals, levels[k:], best), bounds)
        best, bounds[goal] = program.least(goal, best)
        # From the first order that is not proved replicas stay, or
        # a second run, which moves none, might find other orders.
        if k > places and bounds[goal] < program.value(best, goal):
            return Decided(with_orders(problem, goals, levels[k:], best), bounds)
    return Decided(best, bounds)


def with_orders(problem: Problem, goals: tuple[str, ...], open_: tuple[str, ...], best: IntArray) -> IntArray:
    """The lists with the best order where replicas stand: what a second run, which moves none, would find."""
    still = replace(problem, current=best, pinned=np.zeros(best.shape, dtype=bool), stays=True)
    program = LoadProgram(still, goals)
    for goal in (goal for goal in goals if goal not in open_):
        program.hold(goal, program.value(best, goal))
    for goal in open_:
        best, _ = program.least(goal, best)
    return best
