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
from equipoise.planning.driver.on_budget import is_one_program, levelled
from equipoise.planning.driver.state import State
from equipoise.planning.flow.network import Infeasible
from equipoise.planning.goals.moves import Moves
from equipoise.planning.goals.racks import Racks
from equipoise.planning.networks.mending import may_stay
from equipoise.planning.networks.move_budget import needed_moves, racks_come_first
from equipoise.planning.networks.placement_data import PlacementData, gather
from equipoise.planning.problem.params import Effort
from equipoise.planning.problem.problem import BoolArray, Problem
from equipoise.planning.rules import refuse_over_budget, within_budgets
from equipoise.planning.rules.max_bytes import MAX_BYTES
from equipoise.planning.rules.max_moves import MAX_MOVES
from equipoise.planning.solution.solution import Solution, proved_by

ANY = 2**62
"""Bytes, more than there are anywhere."""


def within_bytes(problem: Problem, free: State) -> State:
    """The best plan found in which partitions up to some size move; bounds are those without the budget.

    What breaks the rack rule is mended first, where the goals have it so, with as few moves as that takes.
    If there are bytes left then, they level the rest. Where a program of placements and leaders follows,
    which knows the budget, what has to move is enough to begin with. Raises `ImpossibleRequest` where that
    carries more.
    """
    # Given, so that of what may as well move the smallest does; whole plans are asked whether they keep it.
    asked = MAX_BYTES.given(problem, ANY)
    best = least = told(levelled(MAX_MOVES.given(asked, needed_moves(problem)))[0], problem)
    refuse_over_budget(problem, least.lists)
    looks_on = problem.params.effort.reaches(Effort.NORMAL) and is_one_program(problem)
    for choice in () if looks_on else choices(asked, problem, free.solution):
        for found in carried(problem, choice, least):
            best = min(best, found, key=lambda solution: solution.values)
    lists, orders = ordered(problem, best.lists)
    levels = (*free.placement.levels, *orders)  # of all plans, so of those within the budget as well
    solution = proved_by(problem, lists, levels, free.placement.groups)
    return replace(free, solution=solution, decided=frozenset(() if looks_on else problem.goals))


@dataclass(frozen=True, eq=False)
class Choice:
    """Some of the partitions, of which the light ones are to move."""

    problem: Problem
    """With ``--max-bytes`` that never bind, its goals in the order in which they are to have the bytes."""
    data: PlacementData
    some: BoolArray
    """``(n_rows,)``: those that stay if they are heavy; whatever else may move does."""
    wanted: Solution | None
    """What its flows want of all partitions; None where they find nothing."""
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


def choices(asked: Problem, problem: Problem, free: Solution) -> Iterator[Choice]:
    """What is to have the bytes first: the rack rule, or all goals in their order, which want ``free``."""
    data = gather(asked)
    stays, crowded = may_stay(data), data.excess.any(axis=1)
    if not (racks_come_first(asked) and (stays & crowded).any()):
        yield Choice(asked, data, stays, free)
        return
    first = (Racks.name, Moves.name)
    sparing = replace(asked, goals=(*first, *(goal for goal in asked.goals if goal not in first)))
    whole = None
    with suppress(Infeasible):
        whole = told(by_networks(sparing).solution, problem)
    if whole is None or not within_budgets(problem, whole.lists):
        yield Choice(sparing, data, stays, whole)
    else:
        yield Choice(asked, data, stays & ~crowded, free, (whole,))


def carried(problem: Problem, choice: Choice, least: Solution) -> Iterator[Solution]:
    """Plans that keep the budgets: those of all partitions up to ever more fitting sizes, found by halving,
    then those of partitions of any size, of which as many move as are carried. ``least``: what has to."""
    yield from choice.found
    sizes = np.concatenate([[-np.inf], choice.sizes])
    yield from halved(
        problem, 0, len(sizes) - 1, 1, lambda k: by_networks(choice.of_light(sizes[k])).solution
    )
    if choice.wanted is None:
        return
    low, high = (moves_of(problem, solution) for solution in (least, choice.wanted))
    most = MAX_MOVES.allowed(problem.request)
    high = high if most is None else min(high, most + 1)
    precision = max(1, (high - low) // problem.params.bytes_steps)
    yield from halved(
        problem, low, high, precision, lambda moves: levelled(MAX_MOVES.given(choice.problem, moves))[0]
    )


def halved(
    problem: Problem, low: int, high: int, precision: int, tried: Callable[[int], Solution]
) -> Iterator[Solution]:
    """Plans that keep the budgets, of ever higher numbers between two, until those are near each other.

    ``tried``: the plan of a number; `Infeasible` where there is none.
    """
    while high - low > precision:
        middle, found = (low + high) // 2, None
        with suppress(Infeasible):
            found = told(tried(middle), problem)
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
