"""Plans within a budget of moves, for clusters too large for the 0-1 program: counts first, then the rest."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace

import numpy as np

from equipoise.cluster import measures
from equipoise.cluster.proofs import NetworkName
from equipoise.planning.basis.certificate import Proof, ProvedLevel
from equipoise.planning.driver.first import by_networks, ordered
from equipoise.planning.driver.state import State
from equipoise.planning.flow.network import Infeasible
from equipoise.planning.goals import goals_before
from equipoise.planning.goals.moves import Moves
from equipoise.planning.goals.racks import Racks
from equipoise.planning.goals.replicas import Replicas
from equipoise.planning.networks.mending import mended_in_part
from equipoise.planning.networks.move_budget import (
    Balanced,
    best_counts,
    fewest_moves,
    needed_moves,
    racks_come_first,
)
from equipoise.planning.networks.place import arcs_of_partitions
from equipoise.planning.problem.problem import Problem
from equipoise.planning.rules import within_budgets
from equipoise.planning.rules.max_moves import MAX_MOVES
from equipoise.planning.solution.solution import Solution, proved_by


def within_moves(problem: Problem, free: State) -> State:
    """The best within ``--max-moves``, where that binds."""
    if not MAX_MOVES.is_given(problem.request):  # what has to move of one partition is more than it may
        raise Infeasible
    MAX_MOVES.refuse(needed_moves(problem), problem.request)
    solution, best = levelled(problem)
    solution = with_units(solution, best)
    if is_one_program(problem):
        # A program of placements and leaders looks on from bounds of all plans, not those of these counts.
        lists, orders = ordered(problem, solution.lists)
        levels = (*free.placement.levels, *orders)
        anew = with_units(proved_by(problem, lists, levels, free.placement.groups), best)
        if anew.values <= solution.values:
            # on the face of levels of partitions, where prices of the merged network's face prove less
            level = best.level if best.racks is None else best_counts(problem).level
            return replace(free, solution=anew).with_level(level)
    return replace(free, solution=solution, decided=frozenset(problem.goals))


def is_one_program(problem: Problem) -> bool:
    """True where placements and leaders of all partitions are not too large for one program."""
    return arcs_of_partitions(problem) <= problem.params.face_columns


def levelled(problem: Problem) -> tuple[Solution, Balanced]:
    """The best plan within ``--max-moves``, and the counts that it was made for, in the order of the goals.

    Where the rack rule comes first, what is left of the budget once it is mended levels replicas.
    """
    if not racks_come_first(problem):
        best = best_counts(problem)
        return for_counts(problem, best), best
    with suppress(Infeasible):
        best = best_counts(problem, racks=True)
        solution = for_counts(problem, best)
        # What all partitions together could do may take more moves partition by partition.
        if best.racks is not None and solution.reached[Racks.name] <= best.racks.value:
            return solution, best
    return mended_as_far(problem)


def mended_as_far(problem: Problem) -> tuple[Solution, Balanced]:
    """The best plan within a budget that does not pay for all that breaks the rack rule."""
    # Bounds are of the problem as it is asked: pins serve to
    # find a plan, and prove nothing of plans without them.
    best, mended = best_counts(problem), mended_in_part(problem)
    try:
        counts = best_counts(mended.problem, racks=True, apart=mended.pinned)
        found = by_networks(mended.problem, counts.held).solution
    except Infeasible:
        return for_counts(problem, best), best
    if not within_budgets(problem, found.lists):
        return for_counts(problem, best), best
    solution = proved_by(problem, found.lists, (), found.groups)
    return proved_within(problem, solution, {Racks.name: mended.level, Replicas.name: best.level}), best


def with_units(solution: Solution, best: Balanced) -> Solution:
    """The solution with the partitions told that the price of a move takes together."""
    groups = solution.groups or {"units": np.arange(len(best.kind)), "merged_units": best.kind}
    return replace(solution, groups=groups)


def for_counts(problem: Problem, best: Balanced) -> Solution:
    """The plan with the broker counts ``best``; nothing is claimed of other counts but that they are best."""
    solution = fitting(problem, best)
    if best.racks is not None and solution.reached[Racks.name] > best.racks.value:
        best = best_counts(problem)  # prices on the face of what was not reached prove nothing
    levels = {Replicas.name: best.level} | ({Racks.name: best.racks} if best.racks else {})
    return proved_within(problem, solution, levels)


def fitting(problem: Problem, best: Balanced) -> Solution:
    """The first that keeps the budgets: the counts as the goals want them, with the fewest moves, those of a
    smaller budget, or what has to move and no more."""
    # Counts that the price of moves led to can be had within the budget on the merged network; partitions may
    # need more moves than it promised, hence the tries that spare moves first.
    others = tuple(goal for goal in problem.goals if goal != Moves.name)
    first = (Racks.name,) if best.racks else ()
    sparing = (*first, Moves.name, *(goal for goal in others if goal not in first))
    solution = by_networks(problem, best.held).solution
    if not within_budgets(problem, solution.lists):
        solution = by_networks(replace(problem, goals=sparing), best.held).solution
    if not within_budgets(problem, solution.lists):
        solution = asking_for_less(problem, sparing, solution)
    if not within_budgets(problem, solution.lists):
        solution = by_networks(replace(problem, goals=(Moves.name, *others))).solution
    return replace(solution, proofs=[solution.proof(goal) for goal in problem.goals])


def asking_for_less(problem: Problem, sparing: tuple[str, ...], solution: Solution) -> Solution:
    """The plan for the counts of a smaller budget, which takes what is allowed.

    Partition by partition counts may take more moves than kinds of partitions together say, and about as many
    more with a somewhat smaller budget: so it is asked for that many less.
    """
    allowed = asked = MAX_MOVES.allowed(problem.request) or 0
    for _ in range(problem.params.budget_rounds):
        asked -= measures.data_moves(problem.cluster.replicas, solution.lists) - allowed
        smaller = MAX_MOVES.given(problem, max(0, asked))
        try:
            held = best_counts(smaller, racks=Racks.name in goals_before(sparing, Moves.name)).held
        except Infeasible:  # so few do not pay for what has to move
            break
        solution = by_networks(replace(problem, goals=sparing), held).solution
        if within_budgets(problem, solution.lists):
            break
    return solution


def proved_within(problem: Problem, solution: Solution, levels: Mapping[str, ProvedLevel]) -> Solution:
    """The solution with bounds of all plans within the budget; ``levels`` by goal."""
    proofs: list[Proof] = []
    prices: list[ProvedLevel] = []
    for proof in solution.proofs:
        level = levels.get(proof.goal)
        if level is not None and (level.value > 0 or level.network != NetworkName.MERGED_BUDGET):
            proofs.append(within(proof, level))
            prices += [level] * (level.network == NetworkName.MERGED_BUDGET)
        elif proof.goal == Moves.name and prices:
            # Each price bounds the moves of plans that are as good at its goal, so the highest of the bounds
            # holds of plans that are as good at all.
            allowed, reached = MAX_MOVES.allowed(problem.request) or 0, solution.reached
            bounds = [fewest_moves(level, allowed, reached[level.goal]) for level in prices]
            most = max(bounds, key=lambda bound: bound.value)
            proofs.append(within(proof, most) if most.value else Proof.certain(Moves.name, proof.value))
        elif holds_for_counts_alone(proof):
            proofs.append(Proof.certain(proof.goal, proof.value, "for these broker counts"))
        else:
            proofs.append(proof)
    return replace(solution, proofs=proofs)


def holds_for_counts_alone(proof: Proof) -> bool:
    """True where the proof is one of plans with the same broker counts."""
    if proof.level is None or proof.level.network == NetworkName.LEADERS:
        return False
    return proof.claims or not proof.value


def within(proof: Proof, level: ProvedLevel) -> Proof:
    """The proof with a bound of plans within the budget."""
    return Proof(proof.goal, proof.value, min(proof.value, level.value), level.kind, level=level)
