"""What every plan must be, held against the exact reference: the body of the property tests."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from tests.reference import values
from tests.reference.exact import least, optimum
from tests.reference.rules import broken_rules
from tests.scenarios.strategies import Case
from tests.scenarios.strategies import case as case_of

from equipoise import judge
from equipoise.cluster import Cluster, Plan
from equipoise.errors import EquipoiseError, ImpossibleRequest, UnusableInput
from equipoise.judge.certificate import verify
from equipoise.planning import Params, Problem, Request, build_problem, make_plan
from equipoise.planning.goals import is_known, value_of


def planned(theme: str, seed: int, params: Params | None = None) -> Plan | None:
    """The plan of a random case, None where there is none."""
    drawn = case_of(theme, seed)
    try:
        return make_plan(drawn.cluster(), drawn.request, params)
    except EquipoiseError:
        return None


def check(case: Case, params: Params | None = None) -> None:
    """A plan is optimal, keeps the rules, knows its values, is empty when made again, ignores row order."""
    try:
        problem = build_problem(case.cluster(), case.request)
    except UnusableInput:
        return
    best = optimum(problem)
    if best is None:
        with pytest.raises(ImpossibleRequest) as refusal:
            make_plan(case.cluster(), case.request, params)
        assert all(refusal.value.reasons) and all(refusal.value.relaxations)
        assert refusal.value.reasons and refusal.value.relaxations
        return
    plan = make_plan(case.cluster(), case.request, params)
    lists = values.as_lists(plan.target)
    broken = broken_rules(problem, lists)
    assert not broken, broken
    reached = {goal: values.value(problem, lists, goal) for goal in problem.goals}
    assert reached == best.values, f"reached {reached}, possible {best.values}"
    check_certificate(plan, problem, reached)
    check_judged(plan)
    assert sorted(plan.why) == plan.changed.tolist() and all(plan.why.values()), "a change without a reason"
    check_same_for_any_row_order(case, plan, params)
    check_empty_again(plan, problem, params)


def check_certificate(plan: Plan, problem: Problem, reached: dict[str, int]) -> None:
    """Each level states the value that the plan has and a bound that nothing can beat."""
    levels = {level.goal: level for level in plan.certificate}
    assert tuple(levels) == problem.goals, f"levels {tuple(levels)} for goals {problem.goals}"
    for goal, level in levels.items():
        if not is_known(problem.cluster, goal):
            assert (level.value, level.lower_bound, level.proof) == (None, None, "unknown"), goal
            continue
        assert level.value == reached[goal] == value_of(problem, plan.target, goal), goal
        assert level.lower_bound <= level.value, goal
        assert level.gap == 0 or level.proof == "none", goal


def check_judged(plan: Plan) -> None:
    """The judge, which shares no code with the planner, finds no rule broken and accepts the certificate."""
    case = judge.Case(plan.cluster, plan.target, judge.rules_of(plan.cluster, plan.request), plan.eligible)
    assert judge.check_assignment(case.cluster, case.target, case.rules) == ()
    refused = [finding for finding in verify(case, plan.certificate, plan.proofs) if finding.problem]
    assert not refused, refused


def check_bounds(case: Case, params: Params | None = None) -> None:
    """No level claims a bound above what is possible with the levels before it as they are, or unproved."""
    try:
        problem = build_problem(case.cluster(), case.request)
        plan = make_plan(case.cluster(), case.request, params)
    except (UnusableInput, ImpossibleRequest):
        return
    broken = broken_rules(problem, values.as_lists(plan.target))
    assert not broken, broken
    check_judged(plan)
    levels = [level for level in plan.certificate if level.value is not None]
    reached = {goal: value_of(problem, plan.target, goal) for goal in problem.goals}
    possible = least(problem, reached)
    wrong = {
        level.goal: (level.lower_bound, possible[level.goal], level.proof)
        for level in levels
        if level.lower_bound > possible[level.goal] and level.proof != "given-placement"
    }
    wrong |= {
        level.goal: (level.global_bound, possible[level.goal], level.proof)
        for level in levels
        if level.global_bound is not None and level.global_bound > possible[level.goal]
    }
    assert not wrong, f"claimed and possible: {wrong}, reached {reached}"


def check_same_for_any_row_order(case: Case, plan: Plan, params: Params | None = None) -> None:
    """The rows of a source may come in any order."""
    again = make_plan(case.cluster(shuffled=1), case.request, params)
    assert np.array_equal(plan.target, again.target), "the row order matters"


def check_empty_again(plan: Plan, problem: Problem, params: Params | None = None) -> None:
    """Planning on the result, with what is left of the budgets, changes nothing."""
    if not is_fixed_point(problem):
        return
    second = make_plan(applied(plan), again(problem), params)
    changes = {plan.cluster.label(row): (plan.target[row], second.target[row]) for row in second.changed}
    assert second.is_empty, f"planning again changes {changes}"


def is_fixed_point(problem: Problem) -> bool:
    """False for what can be said only once, so that a second run is asked something else.

    Partitions are created with a replication factor of their own, also of topics that may not change, and of
    a size that is not known yet.
    With ``reorders`` before ``moves``, a partition that moved could be put back to the brokers it had:
    only from there would its new order count as a reorder.
    """
    request, goals = problem.request, list(problem.goals)
    elsewhere = request.replication_factor or request.topics or request.exclude_topics
    if request.create and (elsewhere or request.max_bytes is not None):
        return False
    return not ("reorders" in goals and "moves" in goals and goals.index("reorders") < goals.index("moves"))


def applied(plan: Plan) -> Cluster:
    """The cluster once a plan is carried out."""
    return replace(plan.cluster, replicas=plan.target, allow_empty_lists=False)


def again(problem: Problem) -> Request:
    """The request of a second run: nothing is left to create, and the budgets are spent."""
    request = problem.request
    spent = {
        budget: 0
        for budget in ("max_moves", "max_bytes", "max_changes_per_partition")
        if getattr(request, budget) is not None
    }
    return replace(request, create=(), goals=problem.goals, **spent)
