"""`--rack-capacity`: what the disks of a rack hold together stays within it, in plan and waves."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from tests.unit.planning.test_loads import check, cluster_of

from equipoise import judge
from equipoise.cluster import Brokers, Cluster
from equipoise.errors import ImpossibleRequest, UnusableInput
from equipoise.planning import Request, make_plan
from equipoise.scheduling import schedule

RACKS = {0: "a", 1: "a", 2: "b", 3: "b"}


def caged(lists: list[list[int]], sizes: list[float]) -> Cluster:
    """Brokers 0 and 1 stand in rack a, 2 and 3 in rack b."""
    return cluster_of(lists, sizes, Brokers.of(list(RACKS), RACKS))


def held(cluster: Cluster, lists: np.ndarray) -> dict[str, float]:
    """Bytes in each rack."""
    size = {"a": 0.0, "b": 0.0}
    for row, brokers in enumerate(lists.tolist()):
        for broker in brokers:
            size[RACKS[broker]] += float(cluster.size_bytes[row])
    return size


@pytest.mark.slow
def test_a_rack_takes_no_more_than_it_may_hold() -> None:
    """Level counts would bring half of 80 to rack b, which may hold 30: it gets what fits."""
    cluster = caged([[0], [0], [0], [0], [1], [1], [1], [1]], [10] * 8)
    assert held(cluster, make_plan(cluster).target) == {"a": 40, "b": 40}
    request = Request(rack_capacity=(("b", 30),))
    plan = make_plan(cluster, request)
    assert 0 < held(cluster, plan.target)["b"] <= 30
    check(plan, request)


def test_where_the_plan_keeps_to_it_anyway_nothing_is_asked_of_brokers() -> None:
    """One broker of rack b may have more than half of what the rack may hold."""
    cluster = caged([[0], [0], [2], [2]], [10, 10, 30, 10])
    request = Request(rack_capacity=(("b", 50),))
    plan = make_plan(cluster, request)
    assert "fill-rack" not in {level.goal for level in plan.certificate}
    assert np.array_equal(plan.target, make_plan(cluster).target)
    check(plan, request)


def test_a_rack_that_holds_more_today_may_go_on_so() -> None:
    """It gives, and what moves within it is no more than was there."""
    cluster = caged([[2], [2], [2], [0]], [10] * 4)
    plan = make_plan(cluster, Request(rack_capacity=(("b", 5),)))
    assert held(cluster, plan.target)["b"] <= 30
    assert sum(map(len, schedule(plan).waves)) == len(plan.changed)


def test_a_drain_that_does_not_fit_is_impossible() -> None:
    """Rack a is to be emptied into rack b, which may hold half of it."""
    cluster = caged([[0], [1]], [10, 10])
    with pytest.raises(ImpossibleRequest, match="stays within --rack-capacity: allow more"):
        make_plan(cluster, Request(rack_capacity=(("b", 10),), drain=(0, 1)))


def test_the_judge_finds_a_rack_that_is_filled_too_much() -> None:
    """In bytes; the same lists pass without the rule."""
    cluster = caged([[0], [2]], [10, 10])
    target = np.array([[3], [2]], dtype=np.int32)
    broken = judge.check_assignment(cluster, target, judge.rules_of(cluster, {"rack_capacity": [["b", 15]]}))
    assert [each.detail for each in broken] == ["rack b is to hold 20 bytes, at most 15 may"]
    assert not judge.check_assignment(cluster, target, judge.rules_of(cluster, {}))


def test_no_wave_fills_a_rack_more() -> None:
    """Rack b may hold 25, gives 20 away and takes 20: that comes a wave later."""
    cluster = caged([[0], [2]], [20, 20])
    moving = replace(make_plan(cluster), target=np.array([[2], [1]], dtype=np.int32))
    assert [len(wave) for wave in schedule(moving, max_inflight=9).waves] == [2]
    bound = replace(moving, request={"rack_capacity": [["b", 25]]})
    assert [wave.tolist() for wave in schedule(bound, max_inflight=9).waves] == [[1], [0]]


def test_what_is_not_known_is_asked_for() -> None:
    """A rack that nobody names, and sizes."""
    with pytest.raises(UnusableInput, match=r"--rack-capacity: no broker is in c\. Racks are a, b"):
        make_plan(caged([[0]], [1]), Request(rack_capacity=(("c", 5),)))
    with pytest.raises(UnusableInput, match="the sizes of 1 partition are not known"):
        make_plan(caged([[0]], [np.nan]), Request(rack_capacity=(("a", 5),)))
