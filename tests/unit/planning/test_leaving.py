"""Elections by flows alone: a bound where racks are crowded, and leaders that leave with their replica."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from tests.unit.planning.clusters import grown

from equipoise.cluster import Brokers, build_cluster
from equipoise.planning import Effort, Params, build_problem, make_plan
from equipoise.planning.bounds.leaders import leader_bounds
from equipoise.planning.bounds.leaving import fewest_given_up
from equipoise.planning.driver.first import by_networks
from equipoise.planning.networks.leaders_leaving import leaders_to_leave
from equipoise.planning.networks.place import place
from equipoise.planning.problem.request import Request
from equipoise.planning.programs.joint.solve import Start, best_of_face


def test_crowded_racks_cost_elections() -> None:
    """Lists drawn without a look at racks: some partitions have to lose a replica for it, often their leader.

    The bound of leaders forgets that; this one comes near what the program over both proves.
    """
    draw = np.random.default_rng(7)
    lists = np.array([draw.choice(12, 2, replace=False) for _ in range(400)])
    brokers = Brokers.of(range(12), {b: "abc"[b % 3] for b in range(12)})
    names = np.array([f"t{k // 40}" for k in range(400)], dtype=object)
    problem = build_problem(build_cluster("crowded", brokers, names, np.arange(400) % 40, lists), Request())
    before = ("racks", "replicas", "moves", "topics", "leaders")
    placement = place(problem, before)
    assert placement.face is not None and placement.by_row
    reached = {level.goal: level.value for level in placement.levels} | {"leaders": 0}
    (_, alone), _ = leader_bounds(problem, reached | {"elections": 0})
    best = best_of_face(placement.face, "elections", reached, frozenset(before), Start(placement.lists, 0))
    bound = fewest_given_up(placement.face, reached)
    assert best is not None
    assert alone.value < 0.7 * best.level.value
    assert 0.95 * best.level.value < bound.value <= best.level.value


def test_leaders_of_the_same_rack_move_with_their_replica() -> None:
    """Broker 4 is new, in the rack of 1. Leaders of 2 and 3 need an election each to get there.

    So does one of broker 1 if the replica moves that leads: else 2 or 3 takes over, and gives another.
    """
    brokers = Brokers.of([1, 2, 3, 4], {1: "a", 2: "b", 3: "c", 4: "a"})
    lists = np.array([[1, 2, 3], [2, 3, 1], [3, 1, 2]] * 4)
    cluster = build_cluster("grows", brokers, np.array(["t"] * 12, dtype=object), np.arange(12), lists)
    plan = make_plan(cluster, Request(), Params.of(Effort.QUICK))
    elections = next(level for level in plan.certificate if level.goal == "elections")
    assert (elections.value, elections.lower_bound) == (3, 3)
    led = np.flatnonzero(cluster.replicas[:, 0] != plan.target[:, 0])
    new = cluster.brokers.ids[plan.target[led, 0]]
    assert new.tolist() == [4, 4, 4]


@pytest.mark.parametrize("per_topic", [2_400, 40, 4])
@pytest.mark.slow
def test_flows_come_near_the_fewest_elections(per_topic: int) -> None:
    """A rack of four brokers where one is new: the first plan has a third more elections than need be."""
    large = replace(Params.of(Effort.QUICK), partition_arcs=0, row_arcs=0)
    problem = replace(build_problem(grown(2_400, per_topic), Request()), params=large)
    first = by_networks(problem).proof("elections")
    plan = make_plan(problem.cluster, problem.request, large)
    last = next(level for level in plan.certificate if level.goal == "elections")
    assert first.value > 1.3 * first.bound
    assert last.lower_bound <= last.value < 1.1 * last.lower_bound


def test_no_more_leaders_leave_than_replicas() -> None:
    """What each broker gives is spread over topics of which replicas leave it, most where it leads most."""
    problem = build_problem(grown(2_400, 40), Request())
    placement = place(problem, ("racks", "replicas", "moves", "topics"))
    assert placement.face is not None
    net, flow = placement.face.net, placement.face.flow
    gives = np.full(len(net.data.brokers), 20)
    wish = leaders_to_leave(net, flow, gives)
    arc = wish.convex - net.leave.start
    assert net.leave_leaders[arc].all()
    assert (np.bincount(net.leave.broker[arc], wish.band_low, len(gives)) <= gives).all()
    cell = net.family_of[net.leave.unit] * len(gives) + net.leave.broker
    left = np.bincount(cell, flow[net.leave.index])
    wanted = np.bincount(cell[arc], wish.band_low, len(left))
    assert (wanted <= left).all() and wanted.sum() > 100
