"""Plans within budgets, for clusters too large for the 0-1 program: broker counts first, then the rest."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from equipoise.planning.budget import Balanced, best_counts, bytes_moved, needed_moves, within_budgets
from equipoise.planning.certificate import Proof
from equipoise.planning.conflicts import refuse_bytes
from equipoise.planning.flows import Faces, by_flows, jointly, with_levels
from equipoise.planning.joint.solve import MAX_COLUMNS
from equipoise.planning.networks.material import gather
from equipoise.planning.networks.network import Infeasible
from equipoise.planning.networks.place import ProvedLevel, arcs_of_partitions, place
from equipoise.planning.problem import Problem
from equipoise.planning.solution import Solution, ordered

STEPS_OF_BYTES = 32
"""How finely ``--max-bytes`` is used up: one in so many of the moves that a plan without it has."""
MAX_MOVES = 2**31


def on_a_budget(problem: Problem) -> Solution:
    """Broker counts within the budget first, then everything else for those counts.

    Raises `Infeasible` where even what has to move breaks a budget.
    """
    solution = within_moves(problem) if problem.request.max_bytes is None else within_bytes(problem)
    if not within_budgets(problem, solution.lists):
        raise Infeasible
    return solution


def within_bytes(problem: Problem) -> Solution:
    """As many moves as ``--max-bytes`` was found to carry, by halving; nothing is claimed of other choices.

    Raises `ImpossibleRequest` where the moves that the rules need carry more.
    """
    request = problem.request

    def with_moves(allowed: int) -> Solution:
        fewer = replace(problem, request=replace(request, max_bytes=None, max_moves=allowed))
        return for_counts(fewer, best_counts(fewer))

    low = needed_moves(problem)
    best = with_moves(low)
    refuse_bytes(bytes_moved(problem, best.lists), int(request.max_bytes or 0))
    high = min(by_flows(problem).moves(problem), request.max_moves or MAX_MOVES)
    precision = max(1, (high - low) // STEPS_OF_BYTES)
    while high - low > precision:
        middle = (low + high) // 2
        tried = with_moves(middle)
        if within_budgets(problem, tried.lists):
            best, low = min(best, tried, key=lambda solution: solution.values), middle
        else:
            high = middle
    return replace(best, proofs=[unproved(proof.goal, proof.value) for proof in best.proofs])


def unproved(goal: str, value: int) -> Proof:
    """What is known of a goal without the budget's price: that nothing counts below 0."""
    if not value:
        return Proof(goal, 0, 0, "closed-form")
    return Proof(goal, value, 0, "none", "of other choices within --max-bytes nothing is claimed")


def within_moves(problem: Problem) -> Solution:
    """The best within ``--max-moves``, where that binds."""
    if problem.request.max_moves is None:  # what has to move of one partition is more than it may
        raise Infeasible
    best = best_counts(problem)
    solution = for_counts(problem, best)
    if is_small_enough(problem):
        faces = Faces(problem, place(problem, problem.goals))
        anew = ordered(problem, replace(faces.placement, lists=solution.lists))[0]
        if anew.values <= solution.values:
            solution = jointly(problem, faces, with_levels(problem, anew, [(best.level, anew.reached)]))
    if any(proof.level is best.level for proof in solution.proofs) and not solution.groups:
        groups = {"units": np.arange(len(best.kind)), "merged_units": best.kind}
        solution = replace(solution, groups=groups)
    return solution


def is_small_enough(problem: Problem) -> bool:
    """True where a program of all placements may be small enough for `jointly`."""
    return arcs_of_partitions(gather(problem)) <= MAX_COLUMNS


def for_counts(problem: Problem, best: Balanced) -> Solution:
    """The plan with the broker counts ``best``; nothing is claimed of other counts but that they are best."""
    solution = by_flows(problem, best.held)
    if not within_budgets(problem, solution.lists):
        # the counts could not be handed out with so few moves: what has to move, and no more
        others = tuple(goal for goal in problem.goals if goal != "moves")
        least = by_flows(replace(problem, goals=("moves", *others)))
        solution = replace(
            least, proofs=[proof for goal in problem.goals for proof in least.proofs if proof.goal == goal]
        )
    proofs: list[Proof] = []
    for proof in solution.proofs:
        if proof.goal == "replicas" and best.level.value > 0:
            proofs.append(within(proof, best.level))
        elif proof.goal == "moves" and any(earlier.level is best.level for earlier in proofs):
            allowed = int(problem.request.max_moves or 0)
            proofs.append(within(proof, best.of_moves(allowed, solution.reached["replicas"])))
        elif proof.level and proof.level.network != "leaders" and (proof.claims or proof.value == 0):
            kind = "none" if proof.value else "closed-form"
            proofs.append(Proof(proof.goal, proof.value, 0, kind, "for these broker counts"))
        else:
            proofs.append(proof)
    return replace(solution, proofs=proofs)


def within(proof: Proof, level: ProvedLevel) -> Proof:
    """The proof with a bound of plans within the budget."""
    return Proof(proof.goal, proof.value, min(proof.value, level.value), "flow-dual", level=level)
