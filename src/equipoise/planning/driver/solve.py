"""From a cluster and a request to a plan: the whole of planning in a few lines.

The goals are taken in their order. For each, the methods of `methods.METHODS` run in theirs, the cheapest
first, until value and bound meet.
"""

from __future__ import annotations

import logging
from dataclasses import replace

from equipoise.cluster import Cluster, Level, Plan, measures
from equipoise.cluster.brokers import IntArray
from equipoise.cluster.proofs import ProofKind
from equipoise.planning.basis.certificate import Proof, proof_arrays
from equipoise.planning.dirs.plan import with_log_dirs
from equipoise.planning.driver.again import at_rest
from equipoise.planning.driver.first import by_networks
from equipoise.planning.driver.methods import BEGINNING, FLOWS, METHODS, Method
from equipoise.planning.driver.starts import start
from equipoise.planning.driver.state import State
from equipoise.planning.flow.network import Infeasible
from equipoise.planning.goals import is_known, levels, weighs
from equipoise.planning.networks.free_followers import with_free_followers
from equipoise.planning.problem.params import Effort, Params
from equipoise.planning.problem.problem import Problem
from equipoise.planning.problem.request import Request
from equipoise.planning.published.settings import settings_for
from equipoise.planning.request.conflicts import refuse_impossible, refuse_together
from equipoise.planning.request.laying import build_problem
from equipoise.planning.rules import within_budgets
from equipoise.planning.rules.max_changes_per_partition import MAX_CHANGES
from equipoise.planning.rules.max_fill import MAX_FILL, fills_too_much
from equipoise.planning.rules.rack_capacity import RACK_CAPACITY
from equipoise.planning.solution.size import Size
from equipoise.planning.solution.solution import Solution
from equipoise.planning.solution.watch import Unwatched, Watch
from equipoise.planning.telling.explain import reasons
from equipoise.planning.telling.load_reasons import load_reasons
from equipoise.planning.telling.offers import offers

OF_A_PART = "of this part of a cluster alone"
"""What a level is of that is counted over brokers, where the sources tell of a part."""
LOG = logging.getLogger(__name__)


def make_plan(
    cluster: Cluster, request: Request | None = None, params: Params | None = None, watch: Watch | None = None
) -> Plan:
    """The best plan for ``request``, by its strategy, within the limits of ``params``.

    Raises `UnusableInput` for a request that makes no sense on this cluster and
    `ImpossibleRequest` where no assignment satisfies it.
    """
    problem = build_problem(cluster, request or Request())
    problem = replace(problem, params=params or Params.of(Effort(problem.request.effort)))
    plan = plan_lists(problem, watch or Unwatched())
    return with_log_dirs(problem, replace(plan, offers=offers(problem, plan)))


def plan_lists(problem: Problem, watch: Watch) -> Plan:
    """The plan of a problem's lists; who holds what does not depend on log dirs."""
    if problem.request.strategy != "flow":
        from equipoise.planning.published.interface import plan_with

        return plan_with(problem.request.strategy, problem)
    settings_for("flow", problem.request.strategy_settings)
    refuse_impossible(problem)
    try:
        return solve(problem, watch)
    except Infeasible:
        refuse_together(problem)


def solve(problem: Problem, watch: Watch) -> Plan:
    """The plan of the exact planner. Raises `Infeasible` where flows find no way to keep the rules."""
    found = plan_within_fill(problem, watch)
    # Flows know no room in bytes, and most plans keep it all
    # the same: only one that does not is made anew by a search.
    if not RACK_CAPACITY.is_kept(problem, found.target):
        found = plan_by_loads(replace(problem, within_racks=True), watch)
        RACK_CAPACITY.refuse(problem, found.target)
    return found


def plan_within_fill(problem: Problem, watch: Watch) -> Plan:
    """The plan in which no broker is filled above ``--max-fill``."""
    if weighs(problem):
        return plan_by_loads(problem, watch)
    found = plan_by_counts(problem, watch)
    return plan_by_loads(problem, watch) if fills_too_much(problem, found.target) else found


def plan_by_loads(problem: Problem, watch: Watch) -> Plan:
    """The plan where loads decide. Raises `ImpossibleRequest` where it would fill brokers too much."""
    from equipoise.planning import loads

    solution = loads.level_loads(problem, watch)
    solution = replace(solution, lists=with_free_followers(problem, solution.lists))
    MAX_FILL.refuse(problem, solution.lists)
    return as_plan(problem, solution, load_reasons(problem, solution.lists))


def plan_by_counts(problem: Problem, watch: Watch) -> Plan:
    """The plan where counts decide."""
    watch.began(FLOWS.name, "", None, None)
    free = by_networks(problem)
    watch.ended(free.solution)
    watch.began(BEGINNING.name, "", None, free.solution)
    state = start(problem, free)
    watch.ended(state.solution)
    best = with_followers(improve(state, watch))
    # A second run has to find nothing to do. What planning on the result makes better goes through the
    # methods again, for its bounds.
    rests = at_rest(best, second_lists)
    solution = (best if rests is best else with_followers(improve(rests, watch))).solution
    unlimited = without_change_limit(problem, free)
    if not within_budgets(problem, unlimited.lists) and unlimited.values < solution.values:
        problem = replace(problem, warnings=(*problem.warnings, binding(problem, solution, unlimited)))
    return as_plan(problem, solution, reasons(problem, solution.lists))


def with_followers(state: State) -> State:
    """The state with the order of followers that no goal decides; no value is another for it."""
    lists = with_free_followers(state.problem, state.solution.lists)
    return replace(state, solution=replace(state.solution, lists=lists))


def second_lists(problem: Problem) -> IntArray:
    """The lists of a problem's plan, without planning on those once more."""
    return improve(start(problem, by_networks(problem)), Unwatched()).solution.lists


def improve(state: State, watch: Watch) -> State:
    """The state with every goal made as good, and its bound as near, as the methods can."""
    goals, at = state.problem.goals, 0
    while at < len(goals):
        before = state.solution.values
        state = pursue(state, goals[at], watch)
        # What is found for a goal may serve one before that is open: then what follows is asked anew.
        # Values only become better in the order of goals, so this cannot go round in a circle.
        changed = next((k for k in range(at) if state.solution.values[k] != before[k]), at + 1)
        at = changed
    return state


def pursue(state: State, goal: str, watch: Watch) -> State:
    """The state with one goal pursued until its proof closes, or no method is left."""
    for method in METHODS:
        if state.proof(goal).closes:
            break
        if goal not in method.goals or not state.problem.params.effort.reaches(method.effort):
            continue
        if method.needs(state, goal) and (size := method.size(state, goal)).fits:
            state = run(method, state, goal, size, watch)
    return state


def run(method: Method, state: State, goal: str, size: Size, watch: Watch) -> State:
    """One method for one goal, watched."""
    LOG.info("%s: %s", goal, method.name)
    watch.began(method.name, goal, size, state.solution)
    state = method.run(state, goal)
    watch.ended(state.solution)
    return state


def as_plan(problem: Problem, solution: Solution, why: dict[int, str]) -> Plan:
    """The plan of a solution."""
    return Plan(
        cluster=problem.cluster,
        target=solution.lists,
        eligible=problem.eligible,
        certificate=tuple(level_of(problem, proof) for proof in solution.proofs),
        why=why,
        proofs=proof_arrays([known_of(problem, proof) for proof in solution.proofs], solution.groups),
        request=problem.request.to_json(),
        warnings=problem.warnings,
    )


def level_of(problem: Problem, proof: Proof) -> Level:
    """The line of the certificate; what the sources do not tell has neither value nor bound."""
    if not is_known(problem.cluster, proof.goal):
        return Level.unknown(proof.goal)
    elsewhere = proof.global_bound.value if proof.global_bound else None
    of_part = OF_A_PART if problem.request.partial and levels(proof.goal) else ""
    note = "; ".join(filter(None, [of_part, proof.note]))
    return Level(proof.goal, proof.value, proof.bound, proof.kind, note, elsewhere)


def known_of(problem: Problem, proof: Proof) -> Proof:
    """The proof, without prices where its goal is not known: there is nothing to prove."""
    return proof if is_known(problem.cluster, proof.goal) else Proof(proof.goal, 0, 0, ProofKind.UNKNOWN)


def without_change_limit(problem: Problem, free: State) -> Solution:
    """What flows find without ``--max-changes-per-partition``; the other budgets they do not know anyway."""
    if not MAX_CHANGES.is_given(problem.request):
        return free.solution
    return by_networks(MAX_CHANGES.given(problem, None)).solution


def binding(problem: Problem, solution: Solution, free: Solution) -> str:
    """What the budget costs, in a sentence."""
    before = problem.cluster.replicas
    wanted, moves = measures.data_moves(before, free.lists), measures.data_moves(before, solution.lists)
    return f"the budget binds: without it the plan has {wanted:,} data moves, this one {moves:,}"
