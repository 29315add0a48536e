"""Networks: every plan is a flow of those of leaders, and none is below the least flow of the placements."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.optimize import Bounds, LinearConstraint, milp
from tests.unit.judge.small import RACKS, REQUESTS, legal

from equipoise.cluster import Brokers, build_cluster
from equipoise.judge import Case, check_assignment, rules_of
from equipoise.judge.duality import FlowProblem
from equipoise.judge.goals.registry import goal_of
from equipoise.judge.leader_network import leader_relaxation
from equipoise.judge.order_choices import choices_of
from equipoise.judge.order_network import order_relaxation
from equipoise.judge.placement_layout import Layout, layout_of, like
from equipoise.judge.placement_network import placement_relaxation


def leading(case: Case) -> tuple[np.ndarray, np.ndarray]:
    """Leaders before, -1 where they may not lead on, and after, of partitions that may change."""
    before, after = (lists[case.rules.movable, 0] for lists in (case.before, case.target))
    return np.where((before >= 0) & case.rules.leads[before], before, -1), after


def sums(case: Case, after: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Leaders of each rack and of each broker."""
    brokers = case.cluster.brokers
    racks = np.bincount(brokers.rack_idx[after], minlength=len(brokers.rack_names))
    return racks, np.bincount(after, minlength=len(brokers))


def on_brokers(case: Case) -> np.ndarray:
    """The flow of a plan on racks, brokers, what they give and what they take."""
    before, after = leading(case)
    moved, n = before != after, case.cluster.n_brokers
    gives = np.bincount(before[moved & (before >= 0)], minlength=n)
    return np.concatenate([*sums(case, after), gives, np.bincount(after[moved], minlength=n)])


@pytest.mark.parametrize("name", REQUESTS)
@pytest.mark.slow
def test_a_plan_is_a_flow_of_the_leaders(name: str) -> None:
    """A broker leads what it led, less what it gives, and what it takes."""
    for case in legal(name, 3):
        relaxation = leader_relaxation(case)
        assert relaxation.network.value(on_brokers(case)) == 0  # no goal has put its costs there yet
        for goal in ("leaders", "rack-leaders", "elections"):
            problem = relaxation.problem(goal, relaxation.start)
            assert problem.admits(on_brokers(case))
            assert problem.value(on_brokers(case)) == goal_of(goal).value(case), goal


def on_cells(case: Case) -> np.ndarray:
    """The flow of an order of lists: racks, brokers, cells, who gives way, and for whom."""
    choices, (before, after) = choices_of(case), leading(case)
    cells, items, _ = choices.nodes(np.ones(len(choices.item), dtype=bool))
    topic = case.cluster.topic_idx[choices.rows]
    led = topic * case.cluster.n_brokers + after
    return np.concatenate(
        [
            *sums(case, after),
            (led[:, None] == cells).sum(axis=0),
            (before != after)[items],
            (choices.cell == led[choices.item]) & (before != after)[choices.item],
        ]
    ).astype(np.int64)


@pytest.mark.parametrize(
    "request_", [{}, {"no_leaders_on": [1]}, {"topics": "pay"}, {"drain": [5]}, {"no_leaders_on": [3, 2]}]
)
def test_an_order_is_a_flow_of_the_cells(request_: dict[str, object]) -> None:
    """Each order of every list in turn."""
    cluster = build_cluster(
        "orders", Brokers.of([1, 2, 3, 4, 5], RACKS), ["log", "log", "log", "pay", "pay"], [0, 1, 2, 0, 1],
        [[3, 1], [4, 2], [4, 3], [1, 3], [2, 5]],
    )  # fmt: skip
    rules = rules_of(cluster, {**request_, "leaders_only": True})
    tried = 0
    for turned in np.ndindex(2, 2, 2, 2, 2):
        target = np.where(np.array(turned)[:, None], cluster.replicas[:, ::-1], cluster.replicas)
        case = Case(cluster, target, rules, np.ones(5, dtype=bool))
        if check_assignment(cluster, target, rules):
            continue
        relaxation, tried = order_relaxation(case), tried + 1
        for goal in ("leaders", "rack-leaders", "elections", "topic-leaders", "reorders"):
            problem = relaxation.problem(goal, relaxation.start)
            assert problem.admits(on_cells(case))
            assert problem.value(on_cells(case)) == goal_of(goal).value(case), goal
    assert tried


def least(problem: FlowProblem) -> int:
    """The least cost of a flow: every unit on an arc is a column, and the next one costs no less."""
    arc = np.repeat(np.arange(len(problem.cost)), problem.upper - problem.lower)
    first = np.searchsorted(arc, arc)
    unit = problem.lower[arc] + np.arange(len(arc)) - first
    cost = problem.cost[arc].astype(np.float64)
    for at, low, high in zip(problem.convex, problem.band_low, problem.band_high, strict=True):
        far, further = (np.maximum(np.maximum(low - x, x - high), 0) ** 2 for x in (unit, unit + 1))
        cost += np.where(arc == at, further - far, 0)
    table = np.zeros((len(problem.supply), len(arc)))
    np.add.at(table, (problem.tail[arc], np.arange(len(arc))), 1)
    np.add.at(table, (problem.head[arc], np.arange(len(arc))), -1)
    left = problem.supply.copy()
    np.subtract.at(left, problem.tail, problem.lower)
    np.add.at(left, problem.head, problem.lower)
    kept = LinearConstraint(table, left, left)
    found = milp(cost, integrality=np.ones(len(arc)), bounds=Bounds(0, 1), constraints=kept)
    return round(found.fun) + problem.value(problem.lower)


@pytest.mark.parametrize(
    ("name", "goals"),
    [
        ("strict racks", {"racks": 0, "moves": 1, "bytes": 10}),
        ("in its rack", {"racks": 1, "replicas": 0, "moves": 0, "rack-replicas": 0}),
        ("one replica more", {"moves": 3, "bytes": 60, "topics": 0}),
        ("replaced", {"moves": 1, "bytes": 20, "topics": 2}),
    ],
)
@pytest.mark.slow
def test_no_plan_is_below_the_least_flow(name: str, goals: dict[str, int]) -> None:
    """And of those drawn at random the best is as good as it, goal by goal."""
    cases = [*legal(name, 5), *legal(name, 6)]
    asked = replace(cases[0], counts_racks=True, counts_sizes=True)
    for names in ({"partitions"}, {"topics"}):
        relaxation = placement_relaxation(asked, names, {})
        for goal, value in goals.items():
            assert least(relaxation.problem(goal, relaxation.start)) == value, goal
            assert min(goal_of(goal).value(case) for case in cases) == value, goal


def test_replicas_that_may_not_move_fill_the_bands_of_their_topic() -> None:
    """Of five partitions four stay on broker 1; wherever the fifth is, 4 and 1 are each 1 outside 2 to 3."""
    cluster = build_cluster("stuck", Brokers.of([1, 2], {1: "a", 2: "b"}), ["log"] * 5, range(5), [[1]] * 5)
    rules = replace(rules_of(cluster, {}), movable=np.array([False] * 4 + [True]))
    target = np.array([[0]] * 4 + [[1]], dtype=np.int32)
    case = Case(cluster, target, rules, np.ones(2, dtype=bool))
    for names in ({"partitions"}, {"topics"}):
        relaxation = placement_relaxation(case, names, {})
        assert least(relaxation.problem("topics", relaxation.start)) == goal_of("topics").value(case) == 2


@pytest.mark.parametrize("name", ["nothing asked", "one change each"])
def test_each_node_of_the_merged_network_stands_for_some(name: str) -> None:
    """Partitions that arrive and those that leave have nodes of their own where changes are limited."""
    case = legal(name, 1)[0]
    rows = np.flatnonzero(case.rules.movable)
    fine = layout_of(case, np.arange(len(rows)))
    together = np.zeros_like(rows)
    merged = Layout(case, rows, together, np.zeros(1, dtype=np.int64), fine.brokers)
    stands = like(fine, merged, np.zeros(len(rows), dtype=np.int64))
    assert fine.limited == (name == "one change each")
    assert len(stands) == fine.n_nodes and set(stands.tolist()) == set(range(merged.n_nodes))
