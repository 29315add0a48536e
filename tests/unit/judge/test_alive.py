"""The judge and brokers that are down: they receive nothing and lead nothing; the stuck stay."""

from __future__ import annotations

import pytest

from equipoise.cluster import Brokers, Cluster, build_cluster
from equipoise.cluster.cluster import pad_lists
from equipoise.judge import check_assignment, rules_of

LISTS = [[1, 4], [4, 2], [4], [3, 4]]
ISR = [[1], [2], [4], [4]]
"""Broker 4 is down: partition 2 is on it alone, and of partition 3 it alone has all data."""


def sick() -> Cluster:
    brokers = Brokers.of(range(1, 6), down={4: "fenced"})
    return build_cluster("c", brokers, ["t"] * 4, range(4), LISTS, isr_ids=ISR, leader_id=[1, 2, -1, -1])


def said(target: list[list[int]], **request: object) -> list[str]:
    """The rules that a target, given as broker ids, breaks, and what is said about each."""
    cluster = sick()
    positions = cluster.brokers.index_of(pad_lists(target))
    return [f"{v.rule} | {v}" for v in check_assignment(cluster, positions, rules_of(cluster, request))]


STAYS = (
    "not-alive | t-1: broker 4 stays preferred leader but is not alive "
    "(--assume-alive 4, or leave the topic out with --topics)"
)


def test_what_it_has_may_stay_and_what_it_leads_where_it_cannot_be_moved() -> None:
    """Nobody has to move its replicas away; whoever else has the data takes the lead."""
    assert said([[1, 4], [2, 4], [4], [3, 4]]) == []
    assert said([[1, 5], [2, 5], [4], [3, 4]]) == []
    assert said(LISTS) == [STAYS]
    assert said(LISTS, topics="u") == []


@pytest.mark.parametrize(
    ("row", "held", "sentence"),
    [
        (0, [4, 1], "not-alive | t-0: broker 4 comes to lead but is not alive"),
        (2, [5], "not-alive | t-2: the partition changes, but nobody who is alive has all of its data"),
        (3, [3, 5], "not-alive | t-3: the partition changes, but nobody who is alive has all of its data"),
    ],
)
def test_nothing_comes_to_it_and_the_stuck_stay(row: int, held: list[int], sentence: str) -> None:
    target = [held if at == row else before for at, before in enumerate([[1, 4], [2, 4], [4], [3, 4]])]
    assert said(target) == [sentence]


def test_a_replica_that_comes_to_it() -> None:
    cluster = build_cluster("c", sick().brokers, ["t"], [0], [[1, 2]])
    for target, replicas in (([[1, 4]], 1), ([[4, 1]], 1)):
        found = check_assignment(cluster, cluster.brokers.index_of(pad_lists(target)), rules_of(cluster))
        assert [str(v) for v in found] == ["t-0: broker 4 gets a replica but is not alive"] * replicas


def test_what_is_asked_of_it_beside_holds_as_of_any_other() -> None:
    """Drained, it keeps only the stuck; told to lead nothing as well, it is still named as what is down."""
    drained = [[1, 5], [2, 5], [4], [3, 4]]
    assert said(drained, drain=[4]) == []
    assert said(LISTS, drain=[4])[0] == "not-eligible | t-0: broker 4 keeps a replica but may hold none"
    assert said(LISTS, no_leaders_on=[4]) == [STAYS]


def test_assumed_to_be_alive_it_is_a_broker_like_any_other() -> None:
    assert said([[4, 1], [4, 2], [5], [4, 3]], assume_alive=[4]) == []


def test_a_new_partition_is_not_placed_on_it() -> None:
    lists = [[1, 2], []]
    cluster = build_cluster("c", sick().brokers, ["t", "t"], [0, 1], lists, allow_empty_lists=True)
    target = cluster.brokers.index_of(pad_lists([[1, 2], [4, 5]]))
    rules = rules_of(cluster, {"create": [["t", 2, 2]]})
    assert [str(v) for v in check_assignment(cluster, target, rules)] == [
        "t-1: broker 4 gets a replica but is not alive"
    ]
