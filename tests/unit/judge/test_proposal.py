"""Anyone's lists laid over a cluster: what cannot be laid over is said, the rest is judged."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from equipoise.cluster import Brokers, build_cluster
from equipoise.cluster.cluster import pad_lists
from equipoise.judge import Overlay, Proposal, judge, lay_over, rules_of


def overlay(
    entries: list[tuple[str, int, list[int]]], lists: Sequence[Sequence[int]] = ((1, 2), (2, 3))
) -> Overlay:
    """The entries over topic "t" with these lists."""
    cluster = build_cluster("c", Brokers.of([1, 2, 3]), ["t"] * len(lists), range(len(lists)), lists)
    topics = tuple(dict.fromkeys(topic for topic, _, _ in entries))
    return lay_over(
        cluster,
        Proposal(
            topics,
            np.array([topics.index(topic) for topic, _, _ in entries], dtype=np.int32),
            np.array([partition for _, partition, _ in entries], dtype=np.int32),
            pad_lists([ids for _, _, ids in entries]).reshape(len(entries), -1),
        ),
    )


def test_partitions_that_are_not_named_stay() -> None:
    """Only what the file names changes, whatever the order of its entries."""
    over = overlay([("t", 1, [3, 1])])
    assert over.cluster.ids_of(over.target).tolist() == [[1, 2], [3, 1]]
    assert over.refused == ()
    assert judge(over.cluster, over.target, rules_of(over.cluster)).passed


def test_entries_that_name_nothing() -> None:
    """An unknown topic, an unknown partition, an entry given twice and an empty list are each refused."""
    over = overlay([("t", 0, [2, 1]), ("t", 0, [3, 1]), ("x", 0, [1]), ("t", 7, [1]), ("t", 1, [])])
    assert sorted(str(violation) for violation in over.refused) == [
        "t-0: the partition is listed more than once",
        "t-1: the replica list is empty",
        "t-7: the cluster has no such partition",
        "x-0: the cluster has no such partition",
    ]
    assert over.cluster.ids_of(over.target).tolist() == [[2, 1], [2, 3]]


def test_a_broker_that_only_the_file_knows() -> None:
    """An unknown broker is carried along and named, and is eligible for nothing."""
    over = overlay([("t", 0, [1, 77])])
    assert over.known.tolist() == [True, True, True, False]
    rules = rules_of(over.cluster, known=over.known)
    verdict = judge(over.cluster, over.target, rules, known=over.known, also=over.refused)
    assert [str(violation) for violation in verdict.violations] == ["t-0: broker 77 is not in the cluster"]
    assert verdict.brokers == (1, 2, 3)
    assert verdict.to_json()["verdict"] == "fail"


def test_lists_longer_than_any_before() -> None:
    """A raised replication factor fits, and is a violation unless it was asked for."""
    over = overlay([("t", 0, [1, 2, 3])])
    verdict = judge(over.cluster, over.target, rules_of(over.cluster))
    assert [v.rule for v in verdict.violations] == ["replication-factor"]
    assert verdict.costs["data_moves"] == 1


@pytest.mark.parametrize(
    ("lists", "given", "after"),
    [
        ([[1, 2, 3]], [2], [[2, -1, -1]]),
        ([[1], [2], [3]], [2], [[2], [2], [3]]),
        ([[1], [2], [3]], [2, 1], [[2, 1], [2, -1], [3, -1]]),
    ],
)
def test_lists_are_as_wide_as_the_longest(
    lists: list[list[int]], given: list[int], after: list[list[int]]
) -> None:
    """However many partitions there are, and whether the file or the cluster has the longest list."""
    over = overlay([("t", 0, given)], lists)
    assert over.cluster.ids_of(over.target).tolist() == after


def test_a_verdict_tells_before_and_after_and_what_the_way_costs() -> None:
    """Broker 3 takes a replica of 10 bytes over from broker 1, and leads it."""
    cluster = build_cluster(
        "c", Brokers.of([1, 2, 3], {1: "a", 2: "a", 3: "b"}), ["t", "t"], [0, 1], [[1, 2], [2, 3]],
        size_bytes=[10, 5],
    )  # fmt: skip
    target = cluster.brokers.index_of(np.array([[3, 2], [2, 3]]))
    verdict = judge(cluster, target, rules_of(cluster))
    assert verdict.before == {
        "replicas_per_broker": {"1": 1, "2": 2, "3": 1},
        "leaders_per_broker": {"1": 1, "2": 1, "3": 0},
        "bytes_per_broker": {"1": 10, "2": 15, "3": 5},
        "worst_leaders_after_one_failure": 2,
        "rack_violations": 1,
    }
    assert verdict.after["bytes_per_broker"] == {"1": 0, "2": 15, "3": 15}
    assert verdict.after["rack_violations"] == 0
    assert verdict.costs == {
        "data_moves": 1, "bytes_moved": 10, "leadership_changes": 1, "partitions_changed": 1,
    }  # fmt: skip


def test_brokers_that_the_cluster_does_not_know() -> None:
    """They come with nothing told of them and the usual weight; lists keep their ends and their brokers."""
    over = overlay([("t", 0, [0, 2]), ("t", 1, [3])], [[1, 2], [3]])
    brokers = over.cluster.brokers
    assert brokers.ids.tolist() == [0, 1, 2, 3] and brokers.weight.tolist() == [1.0] * 4
    assert over.cluster.replicas.tolist() == [[1, 2], [3, -1]]
    assert over.target.tolist() == [[0, 2], [3, -1]]
