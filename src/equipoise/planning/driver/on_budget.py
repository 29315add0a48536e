"""Plans within budgets, for clusters too large for the 0-1 program: broker counts first, then the rest."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from equipoise.cluster import measures
from equipoise.cluster.proofs import NetworkName
from equipoise.planning.certificate import Proof, ProvedLevel
from equipoise.planning.driver.budget import Balanced, best_counts, needed_moves
from equipoise.planning.driver.first import by_networks, ordered
from equipoise.planning.driver.solution import Solution, proved_by
from equipoise.planning.driver.state import State
from equipoise.planning.flow.network import Infeasible
from equipoise.planning.networks.place import arcs_of_partitions
from equipoise.planning.problem.problem import Problem
from equipoise.planning.rules import within_budgets
from equipoise.planning.rules.answer import Answer
from equipoise.planning.rules.max_bytes import MaxBytes, bytes_moved


def on_a_budget(problem: Problem, free: State) -> State:
    """Broker counts within the budget first, then everything else for those counts.

    Raises `Infeasible` where even what has to move breaks a budget.
    """
    state = within_moves(problem, free) if problem.request.max_bytes is None else within_bytes(problem, free)
    if not within_budgets(problem, state.solution.lists):
        raise Infeasible
    return replace(state, within_budgets=True)


def within_bytes(problem: Problem, free: State) -> State:
    """As many moves as ``--max-bytes`` was found to carry, by halving; nothing is claimed of other choices.

    Raises `ImpossibleRequest` where the moves that the rules need carry more.
    """
    request = problem.request

    def with_moves(allowed: int) -> Solution:
        fewer = replace(problem, request=replace(request, max_bytes=None, max_moves=allowed))
        return for_counts(fewer, best_counts(fewer))

    low = needed_moves(problem)
    best = with_moves(low)
    MaxBytes().refuse(bytes_moved(Answer(problem, best.lists)), request)
    wanted = measures.data_moves(problem.cluster.replicas, free.solution.lists)
    high = wanted if request.max_moves is None else min(wanted, request.max_moves)
    precision = max(1, (high - low) // problem.params.bytes_steps)
    while high - low > precision:
        middle = (low + high) // 2
        tried = with_moves(middle)
        if within_budgets(problem, tried.lists):
            best, low = min(best, tried, key=lambda solution: solution.values), middle
        else:
            high = middle
    note = "of other choices within --max-bytes nothing is claimed"
    proofs = [Proof.certain(proof.goal, proof.value, note) for proof in best.proofs]
    return replace(free, solution=replace(best, proofs=proofs), decided=frozenset(problem.goals))


def within_moves(problem: Problem, free: State) -> State:
    """The best within ``--max-moves``, where that binds."""
    if problem.request.max_moves is None:  # what has to move of one partition is more than it may
        raise Infeasible
    best = best_counts(problem)
    solution = with_units(for_counts(problem, best), best)
    if arcs_of_partitions(problem) <= problem.params.face_columns:
        # A program of placements and leaders looks on from bounds of all plans, not those of these counts.
        lists, orders = ordered(problem, solution.lists)
        levels = (*free.placement.levels, *orders)
        anew = with_units(proved_by(problem, lists, levels, free.placement.groups), best)
        if anew.values <= solution.values:
            return replace(free, solution=anew).with_level(best.level)
    return replace(free, solution=solution, decided=frozenset(problem.goals))


def with_units(solution: Solution, best: Balanced) -> Solution:
    """The solution with the partitions told that the price of a move takes together."""
    groups = solution.groups or {"units": np.arange(len(best.kind)), "merged_units": best.kind}
    return replace(solution, groups=groups)


def for_counts(problem: Problem, best: Balanced) -> Solution:
    """The plan with the broker counts ``best``; nothing is claimed of other counts but that they are best."""
    solution = by_networks(problem, best.held).solution
    if not within_budgets(problem, solution.lists):
        # the counts could not be disaggregated with so few moves: what has to move, and no more
        others = tuple(goal for goal in problem.goals if goal != "moves")
        least = by_networks(replace(problem, goals=("moves", *others))).solution
        solution = replace(least, proofs=[least.proof(goal) for goal in problem.goals])
    proofs: list[Proof] = []
    for proof in solution.proofs:
        if proof.goal == "replicas" and best.level.value > 0:
            proofs.append(within(proof, best.level))
        elif proof.goal == "moves" and any(earlier.level is best.level for earlier in proofs):
            allowed = int(problem.request.max_moves or 0)
            proofs.append(within(proof, best.of_moves(allowed, solution.reached["replicas"])))
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
