"""Leaders of topics by prices and flows over brokers: as good as exact levels at all goals but the last."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.seeds import seeds
from tests.unit.planning.clusters import uneven

from equipoise import judge
from equipoise.cluster import Plan
from equipoise.judge.certificate import verify
from equipoise.planning import Params, Request, make_plan

EXACT = Params(small_cells=0, face_arcs=0, topics_of_partitions=-1, order_options=0)
"""Nodes alone first, and one placement, as on large clusters."""
ROUNDED = replace(EXACT, exact_leaders=0, open_leaders=0)


def asked(seed: int) -> Request:
    """With drains, and with brokers that lead nothing, partitions lose the leaders they have."""
    requests = (Request(), Request(drain=(0,)), Request(no_leaders_on=(1,)))
    return requests[seed % len(requests)]


def values(plan: Plan) -> dict[str, float]:
    return {level.goal: level.value for level in plan.certificate}


@pytest.mark.parametrize("seed", seeds(7))
@pytest.mark.slow
def test_only_the_last_goal_is_less_than_best(seed: int) -> None:
    """Every goal before has the value it has with exact levels, the last is near, and says how near."""
    cluster, request = uneven(seed), asked(seed)
    exact, rounded = make_plan(cluster, request, EXACT), make_plan(cluster, request, ROUNDED)
    best, reached = values(exact), values(rounded)
    last = reached.pop("topic-leaders")
    assert reached == {goal: value for goal, value in best.items() if goal != "topic-leaders"}
    assert best["topic-leaders"] <= last <= 1.25 * best["topic-leaders"] + 8
    assert rounded.certificate[-1].lower_bound <= best["topic-leaders"]


@pytest.mark.parametrize("seed", seeds(7))
@pytest.mark.slow
def test_the_judge_agrees_and_a_second_run_is_empty(seed: int) -> None:
    """The rules are kept, what is claimed is proved, and planning again finds nothing to do."""
    plan = make_plan(uneven(seed), asked(seed), ROUNDED)
    case = judge.Case(plan.cluster, plan.target, judge.rules_of(plan.cluster, plan.request), plan.eligible)
    assert judge.check_assignment(case.cluster, case.target, case.rules) == ()
    assert not [finding for finding in verify(case, plan.certificate, plan.proofs) if finding.problem]
    done = replace(plan.cluster, replicas=plan.target)
    assert make_plan(done, asked(seed), ROUNDED).is_empty


@pytest.mark.parametrize("seed", range(2, 40, 4))
@pytest.mark.slow
def test_one_placement_stays_proved(seed: int) -> None:
    """Where no replica moves the best order is the best of all plans, and no bound is given away."""
    asked = Request(leaders_only=True)
    exact, rounded = (make_plan(uneven(seed), asked, params) for params in (EXACT, ROUNDED))
    assert rounded.certificate == exact.certificate
