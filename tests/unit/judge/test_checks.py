"""The seven checks of Wix's step IV, each on a state that passes and one that does not."""

from __future__ import annotations

import numpy as np

from equipoise.cluster import Brokers, Cluster, build_cluster
from equipoise.cluster.cluster import pad_lists
from equipoise.judge import Check, seven_checks

NAMES = [
    "changes_in_assignment",
    "topics_are_balanced",
    "brokers_to_reduce",
    "brokers_in_assign_files",
    "topic_list_not_empty",
    "brokers_list_not_empty",
    "leadership_balance",
]


def results(before: list[list[int]], after: list[list[int]], eligible: list[int]) -> dict[str, Check]:
    """The checks by name, for one topic on brokers 0 to 3."""
    cluster = build_cluster("c", Brokers.of(range(4)), ["t"] * len(before), range(len(before)), before)
    target = cluster.brokers.index_of(pad_lists(after))
    found = seven_checks(cluster, target, np.isin(cluster.brokers.ids, eligible))
    assert [check.name for check in found] == NAMES
    return {check.name: check for check in found}


def test_a_level_cluster_passes_all_seven() -> None:
    """Replicas and leaders even, nothing changed: every check passes."""
    ring = [[0, 1], [1, 2], [2, 3], [3, 0]]
    assert all(check.passed for check in results(ring, ring, [0, 1, 2, 3]).values())


def test_more_than_one_change_in_a_partition() -> None:
    """A partition may exchange one replica, not two; its order does not count."""
    checks = results([[0, 1], [0, 1]], [[1, 0], [2, 3]], [0, 1, 2, 3])
    assert not checks["changes_in_assignment"].passed
    assert checks["changes_in_assignment"].value == 2
    assert results([[0, 1]], [[2, 0]], [0, 1, 2, 3])["changes_in_assignment"].passed


def test_deviation_from_the_median() -> None:
    """Beyond 15 % fails, but for one replica that cannot be divided."""
    uneven = [[0]] * 4 + [[1]] * 8 + [[2]] * 8 + [[3]] * 8
    checks = results(uneven, uneven, [0, 1, 2, 3])
    assert not checks["topics_are_balanced"].passed
    assert checks["topics_are_balanced"].value == 50.0
    assert checks["topics_are_balanced"].detail == "broker 0 has 4 replicas, the median is 8"
    assert not checks["leadership_balance"].passed
    by_one = [[0], [0], [1], [2], [3]]
    checks = results(by_one, by_one, [0, 1, 2, 3])
    assert checks["topics_are_balanced"].passed and checks["topics_are_balanced"].value == 100.0


def test_replicas_outside_the_broker_list() -> None:
    """A broker that is to be emptied and is not fails the check, and is named."""
    checks = results([[0, 1], [2, 3]], [[0, 1], [2, 3]], [0, 1, 2])
    assert not checks["brokers_in_assign_files"].passed
    assert checks["brokers_in_assign_files"].detail == "1 replica on brokers outside the list (3)"
    assert checks["brokers_to_reduce"].passed


def test_empty_lists_are_found() -> None:
    """No topics and no brokers are told, not divided by."""
    nothing = np.zeros(0, dtype=np.int32)
    blank = np.zeros(0)
    cluster = Cluster("c", Brokers.of([]), (), nothing, nothing, np.zeros((0, 1), dtype=np.int32), nothing,
                      blank, blank, blank, nothing, blank)  # fmt: skip
    failed = [check.name for check in seven_checks(cluster, cluster.replicas) if not check.passed]
    assert failed == ["topic_list_not_empty", "brokers_list_not_empty"]
