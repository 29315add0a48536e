"""The rack rule means one thing to planner, judge, reference and every figure that is shown."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import pytest
from tests.reference import racks
from tests.reference.rules import broken_rules
from tests.reference.values import as_lists, value
from tests.scenarios.named import cluster_of, lists_of, values_of
from tests.scenarios.strategies import THEMES, case
from tests.seeds import of_seeds, seeds

from equipoise.cluster import Cluster, Plan, measures
from equipoise.cluster.brokers import IntArray
from equipoise.comparing.measured import measure as compared
from equipoise.errors import EquipoiseError, ImpossibleRequest
from equipoise.judge.levels import levels
from equipoise.judge.rules import rules_of
from equipoise.judge.violations import check_assignment
from equipoise.planning import Problem, Request, build_problem, make_plan
from equipoise.planning.rules import broken
from equipoise.planning.rules.answer import Answer
from equipoise.report.figures import measure as reported
from equipoise.scheduling.rules import leaves_rack_rule

TWO_AND_ONE = {1: "a", 2: "a", 3: "b", 4: "b", 5: "c"}
"""Two racks that work, and a third whose only broker is cordoned in these stories."""


def judged(cluster: Cluster, topics: Mapping[str, Sequence[Sequence[int]]], request: Request) -> list[str]:
    """What the judge has against lists of broker ids."""
    problem = build_problem(cluster, request)
    lists = [held for topic in problem.cluster.topics for held in topics[topic]]
    target = problem.cluster.brokers.index_of(np.array(lists, dtype=np.int32))
    rules = rules_of(problem.cluster, request.to_json())
    return [violation.rule for violation in check_assignment(problem.cluster, target, rules)]


def test_what_crowds_one_rack_may_crowd_another() -> None:
    """Two of three stand in rack a; nothing may come to c. Two in b are as bad, and level brokers."""
    cluster, request = cluster_of({"t": [[1, 2, 3]] * 4}, TWO_AND_ONE), Request(cordon=(5,))
    plan = make_plan(cluster, request)
    assert values_of(plan)["racks"] == 4 and values_of(plan)["replicas"] == 4
    better = {"t": [[1, 2, 3], [1, 2, 4], [1, 3, 4], [3, 2, 4]]}
    assert judged(cluster, better, request) == []
    assert values_of(make_plan(cluster_of(better, TWO_AND_ONE), request))["moves"] == 0


def test_a_drain_may_crowd_another_rack() -> None:
    """The drained broker's rack has one left: the partition then has two in the other, no more than today."""
    cluster = cluster_of({"t": [[1, 2, 3]]}, TWO_AND_ONE)
    plan = make_plan(cluster, Request(drain=(2,), cordon=(5,)))
    assert [set(held) for held in lists_of(plan, "t")] == [{1, 3, 4}]
    assert judged(cluster, {"t": [[1, 3, 4]]}, Request(drain=(2,), cordon=(5,))) == []


def test_nothing_crowds_a_rack_that_was_not() -> None:
    """A partition that keeps the rule has no excess to bring along, whatever others have."""
    cluster = cluster_of({"t": [[1, 3, 5], [1, 2, 3]]}, TWO_AND_ONE)
    assert judged(cluster, {"t": [[1, 3, 4], [1, 2, 3]]}, Request()) == ["racks"]
    assert judged(cluster, {"t": [[1, 3, 5], [2, 3, 4]]}, Request()) == []


def test_strict_binds_the_judge_as_it_binds_the_planner() -> None:
    """Two of three in rack a, today and afterwards: strict allows that to nobody."""
    cluster = cluster_of({"t": [[12, 11, 3]]}, {3: "a", 12: "a", 11: "b", 1: "a", 45: "c"})
    request = Request(drain=(45,), cordon=(45,), rack_rule="strict", tolerance=(50.0, 0.0))
    with pytest.raises(ImpossibleRequest, match="3 racks are needed"):
        make_plan(cluster, request)
    assert judged(cluster, {"t": [[11, 12, 3]]}, request) == ["racks"]


def test_a_rack_with_too_few_brokers_breaks_no_rule() -> None:
    """Broker 5 of rack a is drained: one is left there, and rack b holds three of four, as it may."""
    cluster = cluster_of(
        {"t": [[1, 5, 2, 3], [2, 5, 4, 1], [3, 4, 1, 5]]}, {1: "a", 5: "a", 2: "b", 3: "b", 4: "b"}
    )
    plan = make_plan(cluster, Request(drain=(5,)))
    racks = plan.cluster.brokers.rack_idx
    assert values_of(plan)["racks"] == 0
    assert measures.rack_violations(plan.target, racks, plan.eligible) == 0
    assert not len(leaves_rack_rule(plan))


def test_where_every_plan_must_crowd_a_rack_no_figure_counts_it() -> None:
    """One broker in rack a, three in b, four replicas: report, comparison and verdict count nothing."""
    cluster = cluster_of({"t": [[1, 2, 3, 4], [2, 3, 4, 1]]}, {1: "a", 2: "b", 3: "b", 4: "b"})
    plan, problem = make_plan(cluster), build_problem(cluster, Request())
    assert values_of(plan)["racks"] == 0
    check_figures(plan, problem)
    assert compared(problem, cluster.replicas)["rack_violations"] == 0
    assert reported(plan).before.rack_violations == reported(plan).after.rack_violations == 0
    assert levels(cluster, cluster.replicas, problem.eligible)["rack_violations"] == 0


@of_seeds(seeds(7), fast=2)
@pytest.mark.parametrize("theme", THEMES)
def test_all_mean_the_same(theme: str, seed: int) -> None:
    """Planner, judge and reference refuse the same lists; and none that they accept is better than a plan."""
    drawn = case(theme, seed)
    try:
        problem = build_problem(drawn.cluster(), drawn.request)
        plan = make_plan(drawn.cluster(), drawn.request)
    except EquipoiseError:
        return
    rules = rules_of(problem.cluster, drawn.request.to_json())
    best = [value(problem, as_lists(plan.target), goal) for goal in problem.goals]
    for lists in others(plan, problem.eligible, random.Random(seed)):
        refused = bool(broken(Answer(problem, lists)).any())
        assert refused == bool(check_assignment(problem.cluster, lists, rules))
        assert refused == bool(broken_rules(problem, as_lists(lists)))
        if not refused:
            values = [value(problem, as_lists(lists), goal) for goal in problem.goals]
            assert values >= proved(plan, best), "better than what is proved"
        check_figures(replace(plan, target=lists), problem)


def check_figures(plan: Plan, problem: Problem) -> None:
    """Report, comparison, verdict and waves count what the reference counts, of lists good or bad."""
    cluster, strict = problem.cluster, plan.strict_racks
    before, after = (
        [racks.excess(problem, held, len(held)) for held in as_lists(lists)]
        for lists in (cluster.replicas, plan.target)
    )
    crowded = sum(n > 0 for n in after) if cluster.brokers.has_racks else None
    assert reported(plan).after.rack_violations == crowded
    assert compared(problem, plan.target)["rack_violations"] == crowded
    told = levels(cluster, plan.target, problem.eligible, strict_racks=strict)
    assert told["rack_violations"] == crowded
    worse = [row for row in plan.changed.tolist() if after[row] > before[row]]
    assert leaves_rack_rule(plan).tolist() == worse


def proved(plan: Plan, best: list[int]) -> list[int]:
    """The values up to the first that is not proved."""
    open_ = next((k for k, level in enumerate(plan.certificate) if level.gap), len(best))
    return best[:open_]


def others(plan: Plan, eligible: np.ndarray, rng: random.Random) -> list[IntArray]:
    """The plan's lists, and today's, each with a few replicas elsewhere or in another order."""
    found = []
    brokers = np.flatnonzero(eligible).tolist()
    for start in (plan.target, plan.cluster.replicas):
        width = plan.target.shape[1]
        for _ in range(12):
            lists = np.full((len(start), width), -1, dtype=np.int32)
            lists[:, : min(width, start.shape[1])] = start[:, :width]
            if (lists[:, 0] < 0).any():
                break  # of one to be created there is nothing to be changed
            for _ in range(rng.randint(0, 3)):
                row = rng.randrange(len(lists))
                held = [b for b in lists[row].tolist() if b >= 0]
                free = [b for b in brokers if b not in held]
                if held and free and rng.random() < 0.7:
                    held[rng.randrange(len(held))] = rng.choice(free)
                rng.shuffle(held)
                lists[row, : len(held)] = held
            found.append(lists)
    return found
