"""Where a rule or a count begins: exactly at its limit, and rack by rack."""

from __future__ import annotations

import numpy as np
import pytest
from tests.unit.judge.small import crowded

from equipoise.cluster import Brokers, build_cluster
from equipoise.judge import Case, check_assignment, rules_of
from equipoise.judge.heavy_partitions import least_of_places


@pytest.mark.parametrize(("size", "broken"), [(50, 0), (51, 1)])
def test_a_broker_may_be_as_full_as_it_may_be(size: int, broken: int) -> None:
    """Broker 1 gets the replica: half of its 100 bytes are allowed, and a byte more is not."""
    brokers = Brokers.of([0, 1], disk_bytes={0: 100.0, 1: 100.0})
    cluster = build_cluster("c", brokers, ["t"], [0], [[0]], size_bytes=[size])
    rules = rules_of(cluster, {"max_fill": ["disk:50"]})
    case = Case(cluster, np.array([[1]], dtype=np.int32), rules, np.ones(2, dtype=bool))
    assert [each.rule for each in check_assignment(cluster, case.target, rules)] == ["max-fill"] * broken


def test_the_cheapest_places_lie_in_as_many_racks() -> None:
    """Brokers 1 and 2 are in rack a, 3 and 4 in b, 5 in c: of two replicas one is in a, the other in b.

    The leader has the cheapest place of all; without broker 2 it is on broker 1.
    """
    cluster, costs = crowded(), np.array([5, 1, 7, 8, 9])
    everyone = np.ones(5, dtype=bool)
    case = Case(cluster, cluster.replicas, rules_of(cluster), everyone)
    assert least_of_places(case, 1, costs, 2, led=False) == 1 + 7
    assert least_of_places(case, 1, costs, 1, led=True) == 1
    left = everyone & (np.arange(5) != 1)
    without = Case(cluster, cluster.replicas, rules_of(cluster, {"drain": [2]}), left)
    assert least_of_places(without, 1, costs, 2, led=False) == 5 + 7
