"""Each hard rule on one small cluster: nothing at rest, and exactly one violation after one wrong move."""

from __future__ import annotations

import numpy as np
import pytest

from equipoise.cluster import Brokers, Cluster, build_cluster
from equipoise.cluster.cluster import pad_lists
from equipoise.judge import Violation, check_assignment, rules_of
from equipoise.judge.rules import rack_limits

RACKS = {1: "a", 2: "a", 3: "b", 4: "b", 5: "c"}


def at_rest(lists: list[list[int]] | None = None, racks: dict[int, str | None] | None = RACKS) -> Cluster:
    """Topic "pay" with two partitions and "log" with one, on five brokers in three racks."""
    return build_cluster(
        "orders", Brokers.of([1, 2, 3, 4, 5], racks), ["log", "pay", "pay"], [0, 0, 1],
        lists or [[1, 3], [2, 4], [3, 5]], size_bytes=[10.0, 20.0, 30.0],
    )  # fmt: skip


def broken(
    target: list[list[int]], request: dict[str, object] | None = None, cluster: Cluster | None = None
) -> list[str]:
    """The rules broken by a target, given as broker ids, and what is said about each."""
    cluster = cluster or at_rest()
    positions = cluster.brokers.index_of(pad_lists(target))
    return [f"{v.rule} | {v}" for v in check_assignment(cluster, positions, rules_of(cluster, request))]


def test_nothing_is_wrong_at_rest() -> None:
    """A cluster that keeps its lists breaks no rule."""
    assert broken([[1, 3], [2, 4], [3, 5]]) == []


@pytest.mark.parametrize(
    ("target", "request_", "said"),
    [
        (
            [[1, 1], [2, 4], [3, 5]],
            {"rack_rule": "spread"},
            [
                "broker-twice | log-0: broker 1 is in the replica list twice",
                "racks | log-0: rack a has 2 replicas (brokers 1, 1), at most 1 allowed",
            ],
        ),
        (
            [[1, 2], [2, 4], [3, 5]],
            {},
            ["racks | log-0: rack a has 2 replicas (brokers 1, 2), at most 1 allowed"],
        ),
        ([[1, 3, 5], [2, 4], [3, 5]], {}, ["replication-factor | log-0: 3 replicas where 2 are wanted"]),
        (
            [[1, 3], [2, 4], [3, 5]],
            {"drain": [5]},
            ["not-eligible | pay-1: broker 5 keeps a replica but may hold none"],
        ),
        (
            [[1, 5], [2, 4], [3, 1]],
            {"drain": [5]},
            ["not-eligible | log-0: broker 5 gets a replica but may hold none"],
        ),
        (
            [[1, 4], [2, 4], [3, 5]],
            {"cordon": [4]},
            ["cordon | log-0: broker 4 gets a replica but is cordoned"],
        ),
        (
            [[3, 1], [2, 4], [3, 5]],
            {"no_leaders_on": [3]},
            [
                "leaders | log-0: broker 3 is preferred leader but may lead nothing",
                "leaders | pay-1: broker 3 is preferred leader but may lead nothing",
            ],
        ),
        (
            [[1, 3], [2, 4], [3, 5]],
            {"no_leaders_on": [2, 4], "leaders_only": True},
            ["leaders | pay-0: broker 2 is preferred leader but may lead nothing"],
        ),
        (
            [[1, 4], [2, 4], [3, 5]],
            {"topics": "pay"},
            ["topic-not-chosen | log-0: the partition changes but its topic may not"],
        ),
        (
            [[3, 1], [2, 4], [3, 5]],
            {"exclude_topics": "l.*"},
            ["topic-not-chosen | log-0: the partition changes but its topic may not"],
        ),
        (
            [[1, 5], [2, 4], [3, 5]],
            {"stay_in_rack": True},
            ["stay-in-rack | log-0: a replica moves into rack c from another rack"],
        ),
        (
            [[4, 1], [2, 4], [3, 5]],
            {"leaders_only": True},
            ["leaders-only | log-0: broker 4 gets a replica though only leaders may change"],
        ),
        (
            [[2, 4], [2, 4], [3, 5]],
            {"max_changes_per_partition": 1},
            ["max-changes-per-partition | log-0: 2 replicas move, at most 1 may"],
        ),
        ([[2, 4], [2, 4], [3, 5]], {"max_moves": 1}, ["max-moves | 2 replicas move, at most 1 may"]),
        ([[2, 4], [2, 4], [3, 5]], {"max_bytes": 19}, ["max-bytes | 20 bytes move, at most 19 may"]),
        (
            [[1, 2], [2, 4], [4, 5]],
            {"replace": [[3, 4]]},
            [
                "racks | log-0: rack a has 2 replicas (brokers 1, 2), at most 1 allowed",
                "replace | log-0: broker 4 does not take over the replica it replaces",
            ],
        ),
        (
            [[1, 4], [2, 5], [5, 4]],
            {"replace": [[3, 4]]},
            ["replace | pay-0: broker 4 replaces another and gives a replica away"],
        ),
    ],
)
def test_one_wrong_move(target: list[list[int]], request_: dict[str, object], said: list[str]) -> None:
    """One move that a rule forbids gives the violation of that rule, naming partition and broker."""
    assert broken(target, request_) == said


def test_right_moves_are_let_pass() -> None:
    """What the rules ask for is no violation: a drained broker emptied, a factor raised, leaders moved."""
    assert broken([[1, 3], [2, 4], [3, 1]], {"drain": [5]}) == []
    assert broken([[1, 3, 5], [2, 4, 5], [3, 5, 1]], {"replication_factor": 3}) == []
    assert broken([[1, 3], [4, 2], [5, 3]], {"no_leaders_on": [2, 3]}) == []
    assert broken([[2, 4], [2, 4], [3, 5]], {"stay_in_rack": True, "max_moves": 2, "max_bytes": 20}) == []
    assert broken([[1, 4], [2, 4], [5, 4]], {"replace": [[3, 4]]}) == []


def test_a_rack_rule_broken_before_may_stay_broken_but_not_get_worse() -> None:
    """Where a rack held too many, mending is welcome, leaving is allowed, adding is not."""
    cluster = at_rest([[1, 2], [2, 4], [3, 5]])
    assert broken([[1, 2], [2, 4], [3, 5]], cluster=cluster) == []
    assert broken([[1, 3], [2, 4], [3, 5]], cluster=cluster) == []
    assert broken([[3, 4], [2, 4], [3, 5]], cluster=cluster) == []
    tripled = [[1, 2, 3], [2, 4, 5], [3, 5, 1]]
    assert broken(tripled, {"replication_factor": 3}, cluster) == []
    assert broken([[1, 3], [2, 1], [3, 5]], cluster=cluster) == [
        "racks | pay-0: rack a has 2 replicas (brokers 2, 1), at most 1 allowed"
    ]


def test_dropping_the_wrong_replica_breaks_the_rack_rule() -> None:
    """Lowering a factor must not leave both replicas in one rack."""
    cluster = at_rest([[1, 2, 3], [2, 4, 5], [3, 5, 1]], {1: "a", 2: "a", 3: "b", 4: "b", 5: "b"})
    request = {"replication_factor": 2}
    assert broken([[1, 3], [2, 4], [3, 1]], request, cluster) == []
    assert broken([[1, 2], [2, 4], [3, 1]], request, cluster) == [
        "racks | log-0: rack a has 2 replicas (brokers 1, 2), at most 1 allowed"
    ]


def test_strict_racks_allow_one_replica_each() -> None:
    """With the strict rule four replicas in three racks cannot be had."""
    cluster = at_rest([[1, 3], [2, 4], [3, 5]])
    wide = [[1, 3, 5, 2], [2, 4, 5, 1], [3, 5, 1, 2]]
    assert broken(wide, {"replication_factor": 4}, cluster) == []
    strict = broken(wide, {"replication_factor": 4, "rack_rule": "strict"}, cluster)
    assert [line.split(" | ")[0] for line in strict] == ["racks"] * 3


def test_without_racks_there_is_no_rack_rule() -> None:
    """A cluster whose racks nobody knows cannot break their rule, strict or not."""
    cluster = at_rest(racks=None)
    assert broken([[1, 2], [2, 1], [1, 2]], {"rack_rule": "strict"}, cluster) == []


def test_limits_follow_the_size_of_the_racks() -> None:
    """ceil(rf / racks), and more where a rack is too small to keep its part."""
    brokers = Brokers.of(range(7), {0: "a", 1: "b", 2: "b", 3: "b", 4: "c", 5: "c", 6: "c"})
    everyone = np.ones(7, dtype=bool)
    limits = rack_limits(brokers, everyone, np.arange(1, 8, dtype=np.int32), strict=False)
    assert limits.tolist() == [1, 1, 1, 2, 2, 3, 3]


def test_created_partitions_are_placed_by_the_rules() -> None:
    """A partition that is to be created is no data move, but must stand where replicas may stand."""
    cluster = build_cluster(
        "orders", Brokers.of([1, 2, 3], {1: "a", 2: "b", 3: "c"}), ["new", "pay"], [0, 0], [[], [1, 2]],
        allow_empty_lists=True,
    )  # fmt: skip
    request = {"create": [["new", 1, 2]], "cordon": [3], "max_moves": 0}
    assert broken([[1, 2], [1, 2]], request, cluster) == []
    said = "cordon | new-0: broker 3 gets a replica but is cordoned"
    assert broken([[1, 3], [1, 2]], request, cluster) == [said]


def test_of_a_crowded_rack_the_last_broker_is_named() -> None:
    """The one that stands behind the others there, wherever else replicas stand."""
    cluster = at_rest()
    target = cluster.brokers.index_of(pad_lists([[4, 1, 2, 5], [2, 4], [3, 5]]))
    found = check_assignment(cluster, target, rules_of(cluster, {"rack_rule": "strict"}))
    assert [(v.rule, v.broker) for v in found if v.rule == "racks"] == [("racks", 2)]


def test_a_violation_is_plain_data() -> None:
    """What a terminal prints and what a program reads are the same thing."""
    found = Violation("cordon", "pay", 3, 7, "broker 7 gets a replica but is cordoned")
    assert str(found) == "pay-3: broker 7 gets a replica but is cordoned"
    assert found.to_json()["broker"] == 7
