"""From a cluster and a request to a plan: the whole of planning in a few lines."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from equipoise.cluster import Cluster, Level, Plan, measures
from equipoise.cluster.brokers import IntArray
from equipoise.errors import ImpossibleRequest, UnusableInput
from equipoise.planning import integer
from equipoise.planning.bounds import leader_bounds
from equipoise.planning.budget import best_counts, needed_moves, pinned_to, within_budgets
from equipoise.planning.certificate import Proof, proof_arrays
from equipoise.planning.conflicts import refuse_budget, refuse_impossible
from equipoise.planning.explain import reasons
from equipoise.planning.goals import evaluate
from equipoise.planning.networks.orders import LEADER_GOALS, order
from equipoise.planning.networks.place import PLACEMENT_GOALS, place
from equipoise.planning.problem import Problem, build_problem
from equipoise.planning.request import Request


def make_plan(cluster: Cluster, request: Request | None = None) -> Plan:
    """The best plan for ``request``, by its strategy.

    Raises `UnusableInput` for a request that makes no sense on this cluster and
    `ImpossibleRequest` where no assignment satisfies it.
    """
    problem = build_problem(cluster, request or Request())
    if problem.request.strategy != "flow":
        from equipoise.planning.published.interface import plan_with

        return plan_with(problem.request.strategy, problem)
    refuse_impossible(problem)
    lists, proofs = by_flows(problem)
    warnings = list(problem.warnings)
    kept = within_budgets(problem, lists)
    if integer.is_small(problem) and not (kept and all(proof.closes for proof in proofs)):
        lists, proofs = by_integers(problem, lists if kept else None, proofs if kept else unproved(proofs))
    elif not kept:
        lists, proofs = on_a_budget(problem)
    if not kept:
        warnings.append(binding(problem, lists))
    return Plan(
        cluster=problem.cluster,
        target=lists,
        eligible=problem.eligible,
        certificate=tuple(level(proof) for proof in proofs),
        why=reasons(problem, lists),
        proofs=proof_arrays(problem, proofs),
        request=problem.request.to_json(),
        warnings=tuple(warnings),
    )


def level(proof: Proof) -> Level:
    return Level(proof.goal, proof.value, proof.bound, proof.kind, proof.note)


def unproved(proofs: list[Proof]) -> list[Proof]:
    """Proofs that say nothing: within a budget that they did not know, their values cannot be had."""
    return [Proof(proof.goal, 1, 0, "none") for proof in proofs]


def on_a_budget(problem: Problem) -> tuple[IntArray, list[Proof]]:
    """Broker counts within ``--max-moves`` first, then everything else for those counts."""
    if problem.request.max_bytes is not None:
        raise UnusableInput("is held on small clusters and with --balance disk only", source="--max-bytes",
                            advice="Give --max-moves, or balance bytes")
    if problem.request.max_moves is None:
        return by_flows(problem)
    best = best_counts(problem)
    lists, proofs = by_flows(problem, best.held)
    budgeted = []
    for proof in proofs:
        if proof.goal == "replicas":
            budgeted.append(Proof("replicas", proof.value, best.bound, "closed-form", "within --max-moves"))
        elif proof.goal in PLACEMENT_GOALS:
            budgeted.append(Proof(proof.goal, proof.value, 0, "none", "for these broker counts"))
        else:
            budgeted.append(proof)
    return lists, budgeted


def binding(problem: Problem, lists: IntArray) -> str:
    """What the budget costs, in a sentence."""
    moves = measures.data_moves(problem.cluster.replicas, lists)
    free = by_flows(replace(problem, request=replace(problem.request, max_moves=None, max_bytes=None, max_changes_per_partition=None)))[0]
    wanted = measures.data_moves(problem.cluster.replicas, free)
    return f"the budget binds: without it the best plan has {wanted:,} data moves, this one {moves:,}"


def by_flows(problem: Problem, held: IntArray | None = None) -> tuple[IntArray, list[Proof]]:
    """Placement first, orders on it; with the bound of each goal over placements and orders."""
    placement = place(problem, problem.goals, held)
    pinned = pinned_to(problem, placement.lists)
    while pinned is not None:
        again = place(pinned, problem.goals, held)
        placement = replace(placement, lists=again.lists)
        pinned = pinned_to(pinned, again.lists)
    lists, orders = order(problem, placement.lists, problem.goals)
    found = {level.goal: level for level in (*placement.levels, *orders)}
    only_choice = has_one_placement(problem, lists)
    reached = {goal: evaluate(problem, lists, goal) for goal in problem.goals}
    free = {} if only_choice else {level.goal: level for level in leader_bounds(problem, reached)}
    proofs = []
    for goal, value in reached.items():
        if goal in PLACEMENT_GOALS and goal in found:
            proofs.append(Proof(goal, value, min(value, found[goal].value), "flow-dual", level=found[goal]))
        elif only_choice and goal in found and goal in LEADER_GOALS:
            proofs.append(Proof(goal, value, found[goal].value, "flow-dual", level=found[goal]))
        elif goal in free:
            proofs.append(Proof(goal, value, min(value, free[goal].value), "flow-dual", level=free[goal]))
        elif value == 0:
            proofs.append(Proof(goal, 0, 0, "closed-form"))  # no goal can be below 0
        elif goal in found and found[goal].value == value:
            proofs.append(Proof(goal, value, value, "given-placement", level=found[goal]))
        else:
            proofs.append(Proof(goal, value, 0, "none"))
    return lists, proofs


def by_integers(problem: Problem, lists: IntArray | None, proofs: list[Proof]) -> tuple[IntArray, list[Proof]]:
    """What flows left open, decided by the 0-1 program."""
    known: dict[str, int] = {}
    for proof in proofs:
        if not proof.closes:
            break
        known[proof.goal] = proof.bound
    if problem.request.max_moves is not None and lists is None:
        refuse_budget(needed_moves(problem), problem.request.max_moves)
    decided = integer.decide(problem, problem.goals, known, lists)
    if decided is None:
        raise ImpossibleRequest(["no assignment satisfies the rules and budgets together"], ["allow more", "ask for less"])
    again = []
    for proof in proofs:
        value, bound = evaluate(problem, decided.lists, proof.goal), decided.bounds[proof.goal]
        if proof.goal in known:
            again.append(proof)
        else:
            again.append(Proof(proof.goal, value, bound, "integer-program"))
    return decided.lists, again


def has_one_placement(problem: Problem, lists: IntArray) -> bool:
    """True where the goals before the leaders leave nothing to choose about where replicas stand."""
    if problem.request.leaders_only:
        return True
    first_order = next((k for k, goal in enumerate(problem.goals) if goal not in PLACEMENT_GOALS), len(problem.goals))
    if "moves" not in problem.goals[:first_order]:
        return False
    return measures.data_moves(problem.cluster.replicas, lists) == 0 and bool(
        np.array_equal(problem.rf, problem.cluster.rf)
    )
