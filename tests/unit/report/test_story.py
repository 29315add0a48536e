"""The sentences at the top of a plan's page."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from equipoise.cluster import Brokers, Plan, build_cluster
from equipoise.planning import make_plan
from equipoise.report.plan_data import plan_data
from equipoise.scheduling import schedule


def skewed(size: float = float("nan")) -> Plan:
    """Broker 1 holds all four partitions, two of which move to broker 2."""
    lists = [[1], [1], [1], [1]]
    cluster = build_cluster("s", Brokers.of([1, 2]), ["t"] * 4, range(4), lists, size_bytes=[size] * 4)
    return make_plan(cluster)


def test_what_it_brings_and_costs_and_how_good_it_is() -> None:
    """Without sizes nothing is said of bytes and time."""
    told = plan_data(skewed())["story"]
    assert told[:2] == [
        "Replicas on a broker: 0 to 4 before, 2 after.",
        "2 replicas are copied to another broker; 2 partitions get another leader.",
    ]
    assert len(told) == 3 and "goals are proved best" in told[2]


def test_the_verdict_is_one_line() -> None:
    """How level, what is copied in which time, how good, how many warnings; sizes in the throttle's units."""
    plan = skewed(30e6)
    assert plan_data(plan, schedule(plan, throttle=10e6))["clause"] == (
        "Replicas level; 60 MB in about 8.0 s at 10 MB/s; proved best, racks not known."
    )
    known = tuple(level for level in plan.certificate if level.goal != "racks")
    odd = replace(plan, target=np.array([[1], [1], [1], [0]]), certificate=known, warnings=("x", "y"))
    assert plan_data(odd)["clause"] == (
        "Replicas level to within 2; 90 MB to copy; proved best, no plan as level moves less; 2 warnings."
    )
    assert plan_data(skewed())["clause"] == "Replicas level; 2 data moves; proved best, racks not known."


def test_brokers_that_weigh_differently_have_no_one_level() -> None:
    """What one holds more than another is then as it should be."""
    brokers = Brokers.of([1, 2], weight={1: 1.0, 2: 3.0})
    plan = make_plan(build_cluster("s", brokers, ["t"] * 4, range(4), [[1]] * 4))
    assert plan_data(plan)["clause"].startswith("3 data moves; ")


def test_nothing_to_do_has_no_story() -> None:
    plan = skewed()
    assert plan_data(replace(plan, target=plan.cluster.replicas))["story"] == []


def test_no_data_and_what_is_held_back() -> None:
    """A plan of leaders alone, one partition of which may not move now."""
    cluster = build_cluster("s", Brokers.of([1, 2]), ["t"] * 2, range(2), [[1, 2], [1, 2]])
    plan = make_plan(cluster)
    waves = replace(schedule(plan), blocked={0: "min ISR"})
    told = plan_data(plan, waves)["story"]
    assert told[1] == "No data is copied; 1 partition gets another leader."
    assert told[-1] == "1 partition has no legal moment to move."
