"""Lists that change anyway have their followers in the order that is best after a failure; others stay."""

from __future__ import annotations

import random
from dataclasses import replace

import numpy as np
import pytest

from equipoise.cluster import Brokers, Cluster, Plan, build_cluster, measures
from equipoise.planning import Request, make_plan
from equipoise.planning.driver import solve
from equipoise.planning.goals import value_of
from equipoise.planning.networks.free_followers import with_free_followers
from equipoise.planning.problem.params import Params
from equipoise.planning.request.laying import build_problem


def uneven() -> Cluster:
    """41 partitions of two replicas on six brokers, some of which hold three times as many as others."""
    draw, lists = random.Random(3), []
    while len(lists) < 41:
        pair = draw.choices([1, 2, 3, 4, 5, 6], [3, 2, 1, 2, 1, 2], k=2)
        if pair[0] != pair[1]:
            lists.append(pair)
    return build_cluster("uneven", Brokers.of(range(1, 7)), ["t"] * 41, range(41), lists)


def worst(plan: Plan) -> int:
    return measures.worst_leaders_after_one_failure(plan.target, plan.cluster.n_brokers)


def test_a_third_replica_makes_the_worst_survivor_lead_9_not_12() -> None:
    """Every list gets a third broker, so which follower is first is free, and changes no other figure."""
    request = Request(replication_factor=3)
    plan = make_plan(uneven(), request)
    kept = make_plan(uneven(), request, Params(free_followers=0))
    assert (worst(kept), worst(plan)) == (12, 9)
    assert [level.value for level in plan.certificate] == [level.value for level in kept.certificate]
    assert (np.sort(plan.target) == np.sort(kept.target)).all()
    assert (plan.target[:, 0] == kept.target[:, 0]).all()


def test_lists_that_would_stay_do_stay() -> None:
    """With half of the partitions excluded those have nothing to change, and a second run nothing at all."""
    cluster = uneven()
    names = ["kept"] * 20 + ["t"] * 21
    mixed = build_cluster("mixed", cluster.brokers, names, [*range(20), *range(21)],
                          cluster.ids_of(cluster.replicas).tolist())  # fmt: skip
    plan = make_plan(mixed, Request(replication_factor=3, topics="t"))
    assert set(plan.changed.tolist()) == set(range(20, 41))
    after = replace(plan.cluster, replicas=plan.target, leader=plan.target[:, 0])
    again = make_plan(after, Request(replication_factor=3, topics="t"))
    assert again.is_empty


@pytest.mark.parametrize(
    "request_",
    [
        Request(replication_factor=3, required_only=True),
        Request(replication_factor=3, goals=("racks", "replicas", "moves", "leaders", "positions")),
    ],
)
def test_who_asks_for_another_order_of_followers_gets_it(
    request_: Request, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With ``--required-only`` followers keep their order; goals of followers decide it themselves."""
    plan = make_plan(uneven(), request_)
    monkeypatch.setattr(solve, "with_free_followers", lambda problem, lists: lists)
    assert (plan.target == make_plan(uneven(), request_).target).all()


def test_of_equal_orders_the_first_stays() -> None:
    """Where the first followers are as good as can be nothing is exchanged."""
    problem = build_problem(uneven(), Request(replication_factor=3))
    lists = make_plan(uneven(), Request(replication_factor=3)).target
    assert (with_free_followers(problem, lists) == lists).all()
    turned = lists.copy()
    turned[:, 1], turned[:, 2] = lists[:, 2], lists[:, 1]
    best = value_of(problem, lists, "failover")
    assert value_of(problem, turned, "failover") > best
    assert value_of(problem, with_free_followers(problem, turned), "failover") == best
