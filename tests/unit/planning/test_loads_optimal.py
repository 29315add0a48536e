"""Weighed plans of small random clusters against exact 0-1 programs that share no code with the planner."""

from __future__ import annotations

import random
from dataclasses import replace

import numpy as np
import pytest
from tests.reference import exact, values
from tests.reference.rules import broken_rules
from tests.reference.weighed import least
from tests.scenarios.strategies import case
from tests.seeds import of_seeds, of_themes, seeds

from equipoise import judge
from equipoise.cluster import Brokers, Cluster, Plan
from equipoise.errors import ImpossibleRequest, UnusableInput
from equipoise.judge.certificate import level_bound, verify
from equipoise.judge.goals.registry import GOALS
from equipoise.planning import Params, Problem, Request, build_problem, make_plan
from equipoise.planning.goals import is_known, weighs
from equipoise.planning.loads import weighed_goals, weighed_value

CASES = of_themes(("one", "several", "rules", "budget"), seeds(3), fast=1)
Mixes = tuple[tuple[str, ...], ...]
BALANCES: Mixes = (
    ("disk",),
    ("disk",),
    ("network-in",),
    ("disk", "network-in"),
    ("disk", "network-out"),
    ("network-out",),
    ("count", "disk:10:10"),
    ("leaders:20:20", "disk", "count:0:50"),
    ("count:10:10", "leaders:10:10", "disk:20:20", "network-in:20:20", "network-out:20:20"),
)
PARTS = (
    ("leaders-in:10:10", "disk:20:20"),
    ("count:20:20", "replication-out:10:10"),
    ("replication-out", "leaders-in"),
)
"""Of what goes with the lead."""
WEIGHED = (
    "racks", "replicas", "leaders", "disk", "network-in", "leaders-in", "replication-out", "network-out",
    "bytes", "moves",
)  # fmt: skip


def weighed(theme: str, seed: int, mixes: Mixes = BALANCES) -> tuple[Cluster, Request]:
    """A case with sizes, rates, some with capacities, and loads to balance."""
    drawn, rng = case(theme, seed), random.Random(f"loads {theme} {seed}")
    cluster = drawn.cluster()
    n, brokers = cluster.n_partitions, cluster.brokers
    if rng.random() < 0.3:
        disk = {int(b): float(rng.choice((1, 2, 4))) for b in brokers.ids}
        brokers = Brokers.of(
            brokers.ids, dict(zip(brokers.ids.tolist(), brokers.racks, strict=True)), disk_bytes=disk
        )
    columns = {
        name: np.array([rng.randint(0, most) for _ in range(n)], dtype=np.float64)
        for name, most in (("size_bytes", 60), ("bytes_in_per_s", 20), ("bytes_out_per_s", 30))
    }
    budgets = {}
    if drawn.request.max_bytes is not None or (theme == "budget" and rng.random() < 0.5):
        budgets = {"max_bytes": rng.randint(0, 300)}
    request = replace(
        drawn.request,
        **budgets,
        goals=None,
        balance=rng.choice(mixes),
        tolerance=rng.choice((None, (0.0, 0.0), (10.0, 20.0))),
    )
    return replace(cluster, brokers=brokers, **columns), request


def planned(
    theme: str, seed: int, params: Params | None = None, mixes: Mixes = BALANCES
) -> tuple[Plan, Problem, tuple[str, ...]] | None:
    """The plan of a case; None where it asks for nothing weighed, or for what cannot be."""
    cluster, request = weighed(theme, seed, mixes)
    try:
        problem = build_problem(cluster, request)
    except UnusableInput:
        return None
    if not weighs(problem):
        return None
    goals = weighed_goals(problem)
    try:
        return make_plan(cluster, request, params), problem, goals
    except ImpossibleRequest:
        assert least(problem, goals) is None
        return None


@pytest.fixture(autouse=True)
def sizes_in_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exact, "SCALE", 1)


@CASES
def test_small_clusters_reach_the_true_optimum(theme: str, seed: int) -> None:
    """Loads, bytes and moves are the lexicographic optimum, by a program apart from the planner."""
    check_optimum(planned(theme, seed))


@of_seeds(seeds(3), fast=1)
def test_parts_of_the_traffic_reach_it_too(seed: int) -> None:
    """What producers send to leaders, and leaders to followers."""
    check_optimum(planned("several", seed, mixes=PARTS))


def check_optimum(found: tuple[Plan, Problem, tuple[str, ...]] | None) -> None:
    """What is proved is what the reference finds, and so is what is decided."""
    if found is None:
        return
    plan, problem, goals = found
    decides = tuple(goal for goal in goals if goal in WEIGHED)
    reached = {level.goal: int(level.value or 0) for level in plan.certificate}
    check_plan(plan, problem, goals)
    closed = all(not level.gap for level in plan.certificate if level.goal in decides)
    if closed or plan.cluster.n_partitions * plan.cluster.n_brokers <= 40:  # a packing this small is decided
        assert least(problem, decides) == {goal: reached[goal] for goal in decides}


@pytest.mark.slow
@CASES
def test_what_the_search_finds_keeps_rules_and_bounds(theme: str, seed: int) -> None:
    """Without the program: rules kept, no bound above what is possible, a second run is empty."""
    found = planned(theme, seed, Params(load_cells=0))
    if found is None:
        return
    plan, problem, goals = found
    check_plan(plan, problem, goals, Params(load_cells=0))
    reached = {level.goal: int(level.value or 0) for level in plan.certificate}
    possible = least(problem, goals, reached)
    assert possible is not None
    case = judged_case(plan)
    for goal, name in (("replicas", "count"), *((name, name) for name in problem.request.mix)):
        if name in problem.request.mix and goal in possible:
            counted = level_bound(case, goal, ()) or 0
            assert counted <= possible[goal], f"the judge counts too much of {goal}"
    order = [level.goal for level in plan.certificate]
    for goal in (goal for goal in ("bytes", "moves", "elections") if goal in possible):
        counted = GOALS[goal].beside_loads(case, order[: order.index(goal)])
        assert (counted or 0) <= possible[goal], f"the judge counts too much of {goal}"
    wrong = {
        level.goal: (level.lower_bound, possible[level.goal], level.proof)
        for level in plan.certificate
        if (level.lower_bound or 0) > possible[level.goal] and level.proof != "given-placement"
    }
    assert not wrong, f"claimed and possible: {wrong}, reached {reached}"


def check_plan(
    plan: Plan, problem: Problem, goals: tuple[str, ...], params: Params | None = None
) -> None:
    """Rules kept as two referees see them, values as stated, and a second run that finds nothing."""
    broken = broken_rules(problem, values.as_lists(plan.target))
    assert not broken, broken
    assert tuple(level.goal for level in plan.certificate) == goals
    for level in plan.certificate:
        known = is_known(problem.cluster, level.goal)
        value = weighed_value(problem, plan.target, level.goal) if known else None
        assert level.value == value, level.goal
    case = judged_case(plan)
    assert judge.check_assignment(plan.cluster, plan.target, case.rules) == ()
    wrong = verify(case, plan.certificate, plan.proofs)
    assert not [finding for finding in wrong if finding.problem]
    again = second_request(problem)
    if again is not None:
        after = replace(plan.cluster, replicas=plan.target, allow_empty_lists=False)
        unproved = replace(params or Params(), load_tree_work=0)  # what moves is asked here, not why no less
        second = make_plan(after, again, unproved)
        assert second.is_empty, {plan.cluster.label(int(row)): second.target[row] for row in second.changed}


def judged_case(plan: Plan) -> judge.Case:
    """The plan as the judge sees it."""
    rules = judge.rules_of(plan.cluster, plan.request)
    return judge.Case(plan.cluster, plan.target, rules, plan.eligible)


def second_request(problem: Problem) -> Request | None:
    """What is asked again once the plan has run; None for what can be said only once."""
    request = problem.request
    if problem.pinned.any() or request.create:
        return None
    spent = {
        name: 0
        for name in ("max_moves", "max_bytes", "max_changes_per_partition")
        if getattr(request, name) is not None
    }
    return replace(request, **spent)
