"""Why brokers do not end level, and what squared distances come to."""

from __future__ import annotations

import numpy as np
import pytest

from equipoise.cluster import Brokers, Plan, build_cluster
from equipoise.planning import make_plan
from equipoise.planning.problem.request import Request
from equipoise.report.brokers import median_chart
from equipoise.report.figures import measure
from equipoise.report.plan_data import plan_data
from equipoise.report.unlevel import why_unlevel


def told(plan: Plan) -> str:
    return why_unlevel(plan, measure(plan))


def planned(racks: dict[int, str], lists: list[list[int]], request: Request | None = None) -> Plan:
    """A cluster of these brokers and replica lists, planned."""
    brokers = Brokers.of(sorted(racks), racks)
    partitions = range(len(lists))
    return make_plan(build_cluster("s", brokers, ["t"] * len(lists), partitions, lists), request or Request())


def test_a_rack_with_fewer_brokers_must_hold_as_much() -> None:
    """One replica of every partition stands in each of three racks, of which b has one broker alone."""
    racks = {1: "a", 2: "a", 3: "b", 4: "c", 5: "c"}
    plan = planned(racks, [[1, 3, 4], [2, 3, 5]] * 6)
    sentence = "Rack b has 1 broker, a and c have 2, and the rack rule puts 12 replicas into b."
    assert told(plan) == sentence
    assert plan_data(plan)["story"][1] == sentence


def test_a_rack_with_more_brokers_may_hold_no_more() -> None:
    """Two racks, two replicas: five brokers of a share as many as the two of b."""
    racks = {**dict.fromkeys(range(1, 6), "a"), 6: "b", 7: "b"}
    plan = planned(racks, [[1 + k % 5, 6 + k % 2] for k in range(20)])
    assert told(plan) == "Rack b has 2 brokers, a has 5, and the rack rule puts 20 replicas into b."


def test_racks_are_no_reason_where_the_rule_forces_nothing() -> None:
    """Two replicas in three racks: the small one holds fewer, and brokers are level."""
    racks = {1: "a", 2: "a", 3: "b", 4: "c", 5: "c"}
    assert told(planned(racks, [[1, 4], [2, 5], [1, 5], [2, 4], [3, 4]] * 4)) == ""


def test_a_budget_that_is_used_up() -> None:
    """Of the two moves that level one is allowed."""
    plan = planned({1: "a", 2: "a"}, [[1]] * 4, Request(max_moves=1))
    assert told(plan) == "All 1 data move that --max-moves allows are made."


def test_squared_distances_as_apart() -> None:
    """Ten and twelve replicas where 6 or 7 would be level: the square is no number for people."""
    racks = {1: "a", 2: "a", 3: "b", 4: "c", 5: "c"}
    rows = {row["goal"]: row for row in plan_data(planned(racks, [[1, 3, 4], [2, 3, 5]] * 6))["certificate"]}
    assert rows["replicas"]["apart"] == "at most 6 apart" and rows["replicas"]["value"] > 6
    assert rows["topics"]["apart"] == "at most 6 apart"
    assert rows["moves"]["apart"] == ""


def test_topics_are_counted_some_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two topics, of which the second is furthest apart; broker 3 may hold nothing and is not counted."""
    brokers, names = Brokers.of([1, 2, 3]), np.array(["a"] * 3 + ["b"] * 5, dtype=object)
    lists = np.array([[1], [2], [1], [1], [1], [1], [1], [2]])
    cluster = build_cluster("two", brokers, names, np.array([0, 1, 2, 0, 1, 2, 3, 4]), lists)
    plan = make_plan(cluster, Request(drain=(3,), goals=("moves", "topics", "topic-leaders")))
    for cells in (1, 2**18):
        monkeypatch.setattr("equipoise.cluster.apart.CELLS", cells)
        rows = {row["goal"]: row["apart"] for row in plan_data(plan)["certificate"]}
        assert (rows["topics"], rows["topic-leaders"]) == ("at most 3 apart", "at most 3 apart")


def test_deviation_from_the_median() -> None:
    """Before of those that held replicas, after of those that may: broker 4 is new, broker 1 is drained."""
    lists = [[1], [1], [2], [3]]
    brokers = Brokers.of([1, 2, 3, 4])
    plan = make_plan(build_cluster("s", brokers, ["t"] * 4, range(4), lists), Request(drain=(1,)))
    chart = median_chart(plan, measure(plan))
    assert chart is not None
    assert chart["before"] == [100.0, 0.0, 0.0, None]
    assert chart["after"][0] is None and np.median(chart["after"][1:]) == 0.0
    caption = plan_data(plan)["charts"]["median"]["caption"]
    assert caption.startswith("0 % to +100 % before, 0 % to +100 % after.")
