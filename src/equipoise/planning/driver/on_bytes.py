"""Plans within ``--max-bytes``, for clusters too large for the 0-1 program: the lighter partitions move.

Whatever a move is good for, that of a light partition costs less. So there is a size up to which partitions
go where the goals want them, and heavier ones stay: of things that are worth the same, a knapsack takes the
lightest (G. B. Dantzig, "Discrete-variable extremum problems", Operations Research 5, 1957).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from equipoise.cluster import measures
from equipoise.planning.driver.first import by_networks, ordered
from equipoise.planning.driver.state import State
from equipoise.planning.flow.network import Infeasible
from equipoise.planning.goals.moves import Moves
from equipoise.planning.goals.racks import Racks
from equipoise.planning.networks.move_budget import needed_moves, racks_come_first
from equipoise.planning.networks.placement_data import PlacementData, gather
from equipoise.planning.problem.problem import Problem
from equipoise.planning.rules import refuse_over_budget, within_budgets
from equipoise.planning.rules.max_bytes import MAX_BYTES
from equipoise.planning.rules.max_moves import MAX_MOVES
from equipoise.planning.solution.solution import Solution, proved_by

BoolArray = npt.NDArray[np.bool_]
ANY = 2**62
"""Bytes, more than there are anywhere."""
Levelled = Callable[[Problem], Solution]
"""The best plan within ``--max-moves``."""


def within_bytes(problem: Problem, free: State, levelled: Levelled) -> State:
    """The best plan found in which partitions up to some size move; bounds are those without the budget.

    What breaks the rack rule is mended first, where the goals have it so, with as few moves as that takes.
    If there are bytes left then, they level the rest. Raises `ImpossibleRequest` where the moves that the
    rules need carry more.
    """
    # Given, so that of what may as well move the smallest does; whole plans are asked whether they keep it.
    asked = MAX_BYTES.given(problem, ANY)
    best = least = told(levelled(MAX_MOVES.given(asked, needed_moves(problem))), problem)
    refuse_over_budget(problem, least.lists)
    for choice in choices(asked, problem):
        for found in carried(problem, choice, least, levelled):
            best = min(best, found, key=lambda solution: solution.values)
    lists, orders = ordered(problem, best.lists)
    levels = (*free.placement.levels, *orders)  # of all plans, so of those within the budget as well
    solution = proved_by(problem, lists, levels, free.placement.groups)
    return replace(free, solution=solution, decided=frozenset(problem.goals))


@dataclass(frozen=True, eq=False)
class Choice:
    """Some of the partitions, of which the light ones are to move."""

    problem: Problem
    """With ``--max-bytes`` that never bind, its goals in the order in which they are to have the bytes."""
    data: PlacementData
    some: BoolArray
    """``(n_rows,)``: those that stay if they are heavy; whatever else may move does."""
    found: tuple[Solution, ...] = ()
    """Plans that are known to keep the budgets."""

    @property
    def size_bytes(self) -> npt.NDArray[np.float64]:
        """``(n_rows,)``; of what is to be created nothing moves."""
        return MAX_BYTES.cost(self.problem)[self.data.rows]

    @property
    def sizes(self) -> npt.NDArray[np.float64]:
        """Of these partitions, each once, ascending; not more than `Params.bytes_sizes`, evenly taken."""
        every = np.unique(self.size_bytes[self.some])
        most = self.problem.params.bytes_sizes
        taken = np.unique(np.linspace(0, len(every) - 1, min(most, len(every))).astype(np.int64))
        return every[taken]

    def of_light(self, largest: float) -> Problem:
        """The problem with all of ``some`` pinned that are larger."""
        data, pinned = self.data, self.problem.pinned.copy()
        heavy = self.some & (self.size_bytes > largest)
        slot = np.flatnonzero(heavy[data.slot_row] & (data.slot_broker >= 0))
        pinned[data.rows[data.slot_row[slot]], data.slot_position[slot]] = True
        return replace(self.problem, pinned=pinned)

    def solved(self, of: Problem, problem: Problem) -> Solution | None:
        """The plan of flows, told in the order of the goals of ``problem``; None where there is none."""
        try:
            return told(by_networks(of).solution, problem)
        except Infeasible:
            return None


def choices(asked: Problem, problem: Problem) -> Iterator[Choice]:
    """What is to have the bytes first: the rack rule, or all goals in their order."""
    data = gather(asked)
    # who has fewer replicas afterwards loses those anyway, and what strictness forces is no choice
    stays = asked.rf[data.rows] >= data.in_rack.sum(axis=1)
    stays &= data.excess.sum(axis=1) <= data.allowed
    crowded = data.excess.any(axis=1)
    if racks_come_first(asked) and (stays & crowded).any():
        first = (Racks.name, Moves.name)
        sparing = (*first, *(goal for goal in asked.goals if goal not in first))
        mending = Choice(replace(asked, goals=sparing), data, stays)
        whole = mending.solved(mending.problem, problem)
        if whole is None or not within_budgets(problem, whole.lists):
            yield mending
            return
        yield Choice(asked, data, stays & ~crowded, (whole,))
    else:
        yield Choice(asked, data, stays)


def carried(problem: Problem, choice: Choice, least: Solution, levelled: Levelled) -> Iterator[Solution]:
    """Plans that keep the budgets: those of all partitions up to ever more fitting sizes, found by halving,
    then those of partitions of any size, of which as many move as are carried. ``least``: what has to."""
    yield from choice.found
    sizes = np.concatenate([[-np.inf], choice.sizes])
    low, high = 0, len(sizes) - 1
    while high - low > 1:
        middle = (low + high) // 2
        tried = choice.solved(choice.of_light(sizes[middle]), problem)
        if tried is not None and within_budgets(problem, tried.lists):
            yield tried
            low = middle
        else:
            high = middle
    wanted, most = choice.solved(choice.problem, problem), MAX_MOVES.allowed(problem.request)
    if wanted is None:
        return
    low, high = (moves_of(problem, solution) for solution in (least, wanted))
    high = high if most is None else min(high, most + 1)
    precision = max(1, (high - low) // problem.params.bytes_steps)
    while high - low > precision:
        middle, found = (low + high) // 2, None
        with suppress(Infeasible):
            found = told(levelled(MAX_MOVES.given(choice.problem, middle)), problem)
        if found is not None and within_budgets(problem, found.lists):
            yield found
            low = middle
        else:
            high = middle


def told(found: Solution, problem: Problem) -> Solution:
    """What was found, by the goals of a problem that knows of no pins."""
    return proved_by(problem, found.lists, (), {})


def moves_of(problem: Problem, solution: Solution) -> int:
    """The data moves of a plan."""
    return measures.data_moves(problem.cluster.replicas, solution.lists)
