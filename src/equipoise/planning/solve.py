"""From a cluster and a request to a plan: the whole of planning in a few lines."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from equipoise.cluster import Cluster, Level, Plan, measures
from equipoise.cluster.brokers import IntArray
from equipoise.cluster.measures import lengths
from equipoise.errors import ImpossibleRequest, UnusableInput
from equipoise.planning import integer
from equipoise.planning.budget import needed_moves, within_budgets
from equipoise.planning.certificate import Proof, proof_arrays
from equipoise.planning.conflicts import refuse_budget, refuse_impossible, refuse_together
from equipoise.planning.explain import reasons
from equipoise.planning.flows import by_flows, proved_anew
from equipoise.planning.goals import evaluate
from equipoise.planning.networks.network import Infeasible
from equipoise.planning.networks.place import ProvedLevel
from equipoise.planning.on_budget import on_a_budget
from equipoise.planning.problem import Problem, build_problem
from equipoise.planning.published.settings import settings_for
from equipoise.planning.request import Request
from equipoise.planning.solution import Solution, goals_before
from equipoise.planning.topic_leaders import with_topic_leaders

if TYPE_CHECKING:
    from equipoise.planning.branching import Tree

LATE = frozenset({"failover", "positions", "reorders"})
"""Goals that flows choose one position of the lists after the other."""


def make_plan(cluster: Cluster, request: Request | None = None) -> Plan:
    """The best plan for ``request``, by its strategy.

    Raises `UnusableInput` for a request that makes no sense on this cluster and
    `ImpossibleRequest` where no assignment satisfies it.
    """
    problem = build_problem(cluster, request or Request())
    if problem.request.strategy != "flow":
        from equipoise.planning.published.interface import plan_with

        return plan_with(problem.request.strategy, problem)
    settings_for("flow", problem.request.strategy_settings)
    refuse_impossible(problem)
    try:
        return solved(problem)
    except Infeasible:
        refuse_together(problem)


def solved(problem: Problem) -> Plan:
    """The plan of the exact planner. Raises `Infeasible` where flows find no way to keep the rules."""
    if problem.weighs:
        from equipoise.planning import loads

        solution = loads.level(problem)
        return planned(problem, solution, loads.reasons(problem, solution.lists))
    free = by_flows(problem)
    solution = with_topic_leaders(problem, proved_by_cases(problem, settled(problem, best_of(problem, free))))
    unlimited = without_change_limit(problem, free)
    if not within_budgets(problem, unlimited.lists) and unlimited.values < solution.values:
        problem = replace(problem, warnings=(*problem.warnings, binding(problem, solution, unlimited)))
    return planned(problem, solution, reasons(problem, solution.lists))


def planned(problem: Problem, solution: Solution, why: dict[int, str]) -> Plan:
    """The plan of a solution."""
    return Plan(
        cluster=problem.cluster,
        target=solution.lists,
        eligible=problem.eligible,
        certificate=tuple(
            Level(
                proof.goal, proof.value, proof.bound, proof.kind, proof.note,
                proof.anywhere.value if proof.anywhere else None,
            )
            for proof in solution.proofs
        ),
        why=why,
        proofs=proof_arrays(solution.proofs, solution.groups),
        request=problem.request.to_json(),
        warnings=problem.warnings,
    )


def settled(problem: Problem, solution: Solution) -> Solution:
    """The solution, or where there is no worse plan than to leave all as it is, or planning on its result
    finds better still, that: so a second run is empty.

    Only where something is open that a second run may see otherwise: all that a small cluster's program has
    left, elsewhere what the goals of followers have.
    """
    late = integer.is_small(problem) or not LATE.isdisjoint(problem.goals)
    if late and not solution.is_proved and (as_is := integer.as_it_is(problem)) is not None:
        solution = not_worse(problem, solution, as_is, ties=True)
    while late and not solution.is_proved:
        try:
            done = build_problem(replace(problem.cluster, replicas=solution.lists), asked_again(problem))
            lists = best_of(done, by_flows(done)).lists
        except (UnusableInput, ImpossibleRequest, Infeasible):  # what can be asked only once
            break
        if not np.array_equal(lengths(lists), lengths(solution.lists)) or not within_budgets(problem, lists):
            break
        tried = not_worse(problem, solution, lists)
        if tried is solution:
            break
        solution = tried
    return solution


def not_worse(problem: Problem, solution: Solution, lists: IntArray, *, ties: bool = False) -> Solution:
    """The solution with other lists, if they are better, or with ``ties`` as good."""
    values = []
    for goal, reached in zip(problem.goals, solution.values, strict=True):
        values.append(evaluate(problem, lists, goal))
        if values[-1] > reached and values[:-1] == solution.values[: len(values) - 1]:
            return solution
    if values == solution.values and not ties:
        return solution
    if not integer.is_small(problem):
        return proved_anew(problem, solution, lists)
    proofs = [known_of(proof, value) for proof, value in zip(solution.proofs, values, strict=True)]
    return replace(solution, lists=lists, proofs=proofs)


def asked_again(problem: Problem) -> Request:
    """The request of a second run: nothing is left to create, the budgets are spent."""
    budgets = ("max_moves", "max_bytes", "max_changes_per_partition")
    spent: dict[str, Any] = {budget: 0 for budget in budgets if getattr(problem.request, budget) is not None}
    return replace(problem.request, create=(), goals=problem.goals, **spent)


def known_of(proof: Proof, value: int) -> Proof:
    """What was known of a goal, for lists of a small cluster with this value: to be proved by cases."""
    if not proof.claims or not proof.bound:
        return Proof(proof.goal, value, 0, "none" if value else "closed-form")
    return Proof(proof.goal, value, min(value, proof.bound), "integer-program")


def best_of(problem: Problem, free: Solution) -> Solution:
    """What flows found if it fits and is proved; else the exact program, or a price on moves."""
    fits = within_budgets(problem, free.lists)
    if integer.is_small(problem) and not (fits and (free.is_proved or is_left_to_flows(problem, free))):
        return by_integers(problem, free if fits else None)
    return free if fits else on_a_budget(problem)


def is_left_to_flows(problem: Problem, free: Solution) -> bool:
    """True where nothing is open up to `failover`, and that has too many pairs for the program."""
    opened = next(proof.goal for proof in free.proofs if not proof.closes)
    earlier = goals_before(problem.goals, "failover")
    return "failover" in problem.goals and opened not in earlier and integer.has_many_pairs(problem)


def by_integers(problem: Problem, start: Solution | None) -> Solution:
    """What flows left open (all, without a start), decided by the 0-1 program."""
    if start is None and problem.request.max_moves is not None:
        refuse_budget(needed_moves(problem), problem.request.max_moves)
    known: dict[str, Proof] = {}
    for proof in start.proofs if start else ():
        if not proof.closes:
            break
        known[proof.goal] = proof
    values = {goal: proof.value for goal, proof in known.items()}
    decided = integer.decide(problem, problem.goals, values, start.lists if start else None)
    if decided is None:
        refuse_together(problem)
    proofs = proofs_after(problem, decided, start, known)
    return replace(start or Solution(decided.lists, []), lists=decided.lists, proofs=proofs)


def proofs_after(
    problem: Problem, decided: integer.Decided, start: Solution | None, known: dict[str, Proof]
) -> list[Proof]:
    """The better of what the program and the flows prove of each goal.

    A bound of the flows supposes that the flows' bounds before it were reached: from the first that
    was not, the program alone counts.
    """
    before = {proof.goal: proof for proof in start.proofs} if start else {}
    proofs, intact = [], start is not None
    for goal in problem.goals:
        value, bound = evaluate(problem, decided.lists, goal), decided.bounds.get(goal, 0)
        flows = before.get(goal)
        if goal in known:
            proofs.append(known[goal])
        elif intact and flows and flows.level and flows.claims and flows.bound >= bound:
            proofs.append(replace(flows, value=value))
            intact = value == flows.bound
        elif goal in decided.bounds:
            proofs.append(Proof(goal, value, min(value, bound), "integer-program"))
            intact = False
        else:
            proofs.append(Proof(goal, value, 0, "closed-form" if value == 0 else "none"))
            intact = False
    return proofs


def proved_by_cases(problem: Problem, solution: Solution) -> Solution:
    """The solution with what the solvers claim of the program proved, so that it need not be believed."""
    claimed = {proof.goal: proof.bound for proof in solution.proofs if proof.kind == "integer-program"}
    if not claimed:
        return solution
    trees = integer.trees(problem, problem.goals, solution.lists, claimed)
    proofs = solution.proofs
    return replace(
        solution, proofs=[by_cases(p, trees.get(p.goal)) if p.goal in claimed else p for p in proofs]
    )


def by_cases(proof: Proof, tree: Tree | None) -> Proof:
    """The proof with the bound that a tree of cases has."""
    note = "" if tree and tree.bound == proof.bound else f"a search that cannot be checked says {proof.bound}"
    if tree is None:
        kind = "none" if proof.value else "closed-form"  # nothing counts below 0
        return replace(proof, bound=0, kind=kind, note=note if proof.bound else "")
    level = ProvedLevel(proof.goal, tree.bound, "program", tree.prices, tree.branches)
    return Proof(proof.goal, proof.value, tree.bound, "branch-and-bound", note, level)


def without_change_limit(problem: Problem, free: Solution) -> Solution:
    """What flows find without ``--max-changes-per-partition``; the other budgets they do not know anyway."""
    if problem.request.max_changes_per_partition is None:
        return free
    return by_flows(replace(problem, request=replace(problem.request, max_changes_per_partition=None)))


def binding(problem: Problem, solution: Solution, free: Solution) -> str:
    """What the budget costs, in a sentence."""
    before = problem.cluster.replicas
    wanted, moves = measures.data_moves(before, free.lists), measures.data_moves(before, solution.lists)
    return f"the budget binds: without it the plan has {wanted:,} data moves, this one {moves:,}"
