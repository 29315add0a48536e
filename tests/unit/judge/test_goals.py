"""Values of goals, counted by hand on four brokers and beside a count without NumPy on random ones."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from math import ceil, floor

import numpy as np
import pytest

from equipoise.cluster import Brokers, Cluster, build_cluster
from equipoise.judge import Case, rules_of
from equipoise.judge.values import recount


def case_of(cluster: Cluster, target: np.ndarray, request: dict[str, object] | None = None) -> Case:
    return Case(cluster, target, rules_of(cluster, request), np.ones(cluster.n_brokers, dtype=bool))


def random_cluster(rng: np.random.Generator) -> Cluster:
    """Five brokers in three racks, three topics, two replicas each."""
    n = int(rng.integers(3, 12))
    lists = [rng.permutation(5)[:2].tolist() for _ in range(n)]
    topics = [f"t{k}" for k in rng.integers(0, 3, n)]
    racks = {0: "a", 1: "a", 2: "b", 3: "b", 4: "c"}
    return build_cluster("c", Brokers.of(range(5), racks), topics, range(n), lists)


def spread(counts: Counter[object], keys: list[object], total: int) -> int:
    """Sum of squared distances of counts from floor and ceiling of equal shares, in fractions."""
    share = Fraction(total, len(keys))
    return sum(max(floor(share) - counts[key], counts[key] - ceil(share), 0) ** 2 for key in keys)


def first_followers(lists: list[list[int]], lost: int) -> Counter[object]:
    """Who takes the lead of what a lost broker led."""
    return Counter(row[1] for row in lists if row[0] == lost)


def test_values_agree_with_counting_one_by_one() -> None:
    """Each goal equals a count over plain lists, on random states before and after."""
    rng = np.random.default_rng(7)
    for _ in range(100):
        cluster = random_cluster(rng)
        target = np.array([rng.permutation(5)[:2] for _ in range(cluster.n_partitions)], dtype=np.int32)
        case = case_of(cluster, target)
        before, after = cluster.replicas.tolist(), target.tolist()
        topic, brokers = cluster.topic_idx.tolist(), list(range(5))
        held = Counter(b for row in after for b in row)
        led = Counter(row[0] for row in after)
        by_topic = Counter((t, b) for t, row in zip(topic, after, strict=True) for b in row)
        led_by_topic = Counter((t, row[0]) for t, row in zip(topic, after, strict=True))
        sizes = Counter(topic)
        rack = cluster.brokers.rack_idx.tolist()
        expected = {
            "racks": sum(rack[a] == rack[b] for a, b in after),
            "replicas": spread(held, brokers, 2 * len(after)),
            "moves": sum(b not in old for old, new in zip(before, after, strict=True) for b in new),
            "topics": sum(spread(by_topic, [(t, b) for b in brokers], 2 * sizes[t]) for t in sizes),
            "leaders": spread(led, brokers, len(after)),
            "elections": sum(old[0] != new[0] for old, new in zip(before, after, strict=True)),
            "topic-leaders": sum(spread(led_by_topic, [(t, b) for b in brokers], sizes[t]) for t in sizes),
            "positions": spread(Counter(row[1] for row in after), brokers, len(after)),
            "reorders": sum(old == new[::-1] for old, new in zip(before, after, strict=True)),
            "failover": sum(
                spread(led + first_followers(after, lost), [b for b in brokers if b != lost], len(after))
                for lost in brokers
            ),
        }
        assert {goal: recount(goal, case) for goal in expected} == expected


def test_weights_and_drained_brokers_change_the_shares() -> None:
    """A broker of double weight should hold twice as much; a drained one counts for nothing."""
    brokers = Brokers.of([1, 2, 3, 4], weight={1: 2.0})
    cluster = build_cluster("c", brokers, ["t"] * 4, range(4), [[1], [1], [2], [3]])
    request = {"drain": [4]}
    assert recount("replicas", case_of(cluster, cluster.replicas, request)) == 0
    assert recount("leaders", case_of(cluster, cluster.replicas, request)) == 0
    worse = cluster.brokers.index_of(np.array([[1], [2], [2], [3]]))
    assert recount("replicas", case_of(cluster, worse, request)) == 2


def test_tolerance_widens_the_band() -> None:
    """Within the tolerance a count is level; beyond it only what is beyond counts."""
    cluster = build_cluster("c", Brokers.of([1, 2]), ["t"] * 10, range(10), [[1]] * 7 + [[2]] * 3)
    assert recount("replicas", case_of(cluster, cluster.replicas)) == 2 * 2**2
    assert recount("replicas", case_of(cluster, cluster.replicas, {"tolerance": [20, 20]})) == 2 * 1**2
    assert recount("replicas", case_of(cluster, cluster.replicas, {"tolerance": [40, 40]})) == 0


def test_rack_leaders() -> None:
    """Leaders per rack, in proportion to the racks' brokers."""
    brokers = Brokers.of([1, 2, 3], {1: "a", 2: "a", 3: "b"})
    cluster = build_cluster("c", brokers, ["t"] * 3, range(3), [[1, 3], [3, 1], [3, 2]])
    assert recount("rack-leaders", case_of(cluster, cluster.replicas)) == 2
    better = cluster.brokers.index_of(np.array([[1, 3], [1, 3], [3, 2]]))
    assert recount("rack-leaders", case_of(cluster, better)) == 0


@pytest.mark.parametrize("goal", ["disk", "no such goal"])
def test_goals_that_are_not_measured(goal: str) -> None:
    """A goal that lists alone do not tell has no value here."""
    cluster = build_cluster("c", Brokers.of([1]), ["t"], [0], [[1]])
    assert recount(goal, case_of(cluster, cluster.replicas)) is None
