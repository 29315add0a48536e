"""What a little more would buy, and what is free: true sentences beside a plan, or none."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from equipoise.cluster import Brokers, Cluster, build_cluster, measures
from equipoise.planning import make_plan
from equipoise.planning.request.options import request_of
from equipoise.planning.telling.offers import spread


def cluster(lists: list[list[int]], sizes: list[float] | None = None, topics: str = "") -> Cluster:
    """A partition for each list, of topic "t" or of those named by letters; sizes where they are known."""
    names = list(topics or "t" * len(lists))
    return build_cluster("c", Brokers.of([1, 2, 3]), names, range(len(lists)), lists, size_bytes=sizes)


def test_level_counts_may_leave_disks_uneven() -> None:
    """One partition on each of three brokers is level; its bytes are not, and what weighs both is named.

    No more is said of it: 45 bytes are above the band of any broker, so that not all can be within 10 %.
    """
    uneven = make_plan(cluster([[1], [2], [3]], [30.0, 15.0, 45.0]))
    assert uneven.is_empty
    told = "replicas are level, disks stay up to 50 % off their share: --balance all weighs them, too"
    assert uneven.offers == (told,)
    assert make_plan(cluster([[1], [2], [3]], [30.0, 29.0, 31.0])).offers == ()
    assert make_plan(cluster([[1], [2], [3]], [30.0, np.nan, 45.0])).offers == ()


def test_replicas_that_are_not_level_are_not_called_so() -> None:
    """The budget keeps all three on broker 1: best that is possible, but not level."""
    (told,) = make_plan(cluster([[1], [1], [1]], [9.0, 9.0, 9.0]), request_of({"max-moves": "0"})).offers
    assert told.startswith("disks stay up to 200 % off their share: --balance all")


def test_what_it_takes_at_least_to_level_all_is_told() -> None:
    """Broker 1 holds 60 MiB, and 33 at most if all is to be within 10 %; loads of the mix are not named."""
    mib = 2.0**20
    sizes = [size * mib for size in (30, 30, 10, 10, 5, 5)]
    lists = [[1], [1], [2], [2], [3], [3]]
    rates = {"bytes_in_per_s": [1.0, 1.0] * 3, "bytes_out_per_s": [6.0, 6.0, 1.0, 1.0, 1.0, 1.0]}
    state = build_cluster("c", Brokers.of([1, 2, 3]), ["t"] * 6, range(6), lists, size_bytes=sizes, **rates)
    (told,) = make_plan(state).offers
    assert told == (
        "replicas are level, disks stay up to 100 % off their share, outbound networks 125 %: "
        "--balance all, which is all within 10 %, copies at least 27.0 MiB"
    )
    (told,) = make_plan(state, request_of({"balance": "count,disk:60"})).offers
    assert "disks" not in told and "outbound networks 62 %" in told


def test_what_topics_cost_in_bytes_is_told() -> None:
    """With topics first the large replica of "a" moves; without, nothing does."""
    state = cluster([[1], [1], [2], [2], [3], [3]], [5.0 * 2**20, 6.0 * 2**20] * 3, "aabbcc")
    first = make_plan(state, request_of({"goals": "replicas,topics,moves,bytes"}))
    told = "without topics in --goals, or with it behind bytes, 15.0 MiB less are copied"
    assert told in first.offers
    assert not any("without topics" in offer for offer in make_plan(state).offers)


def test_topics_that_moves_came_before_are_counted() -> None:
    """Each broker has two replicas, of topic "a" broker 1 both: one must go, and one of "b" come."""
    plan = make_plan(cluster([[1], [1], [2], [2], [3], [3]], topics="aabbcc"))
    assert plan.is_empty
    told = "3 topics are not level: that takes at least 3 moves more, with topics before moves in --goals"
    assert plan.offers == (told,)
    first = make_plan(plan.cluster, request_of({"goals": "replicas,topics,moves"}))
    assert first.offers == () and measures.data_moves(plan.cluster.replicas, first.target) >= 3


def test_topics_that_cannot_be_level_are_not_offered() -> None:
    """Rack "a" has one broker and gets one replica of each partition: no more moves make the topic level."""
    brokers = Brokers.of([1, 2, 3], {1: "a", 2: "b", 3: "b"})
    placed = build_cluster("c", brokers, list("tttt"), range(4), [[1, 2], [1, 3], [1, 2], [1, 3]])
    plan = make_plan(placed, request_of({"goals": "racks,replicas,moves,topics"}))
    assert plan.is_empty and plan.offers == ()
    first = make_plan(placed, request_of({"goals": "racks,replicas,topics,moves"}))
    assert first.is_empty


def test_an_order_of_followers_that_is_free_is_offered() -> None:
    """Broker 2 would inherit everything that broker 1 leads; half of it could go to broker 3."""
    lists = [[1, 2, 3], [1, 2, 3], [2, 1, 3], [2, 3, 1], [3, 2, 1], [3, 1, 2]]
    plan = make_plan(cluster(lists), request_of({"goals": "racks,replicas,moves,leaders,elections"}))
    assert plan.is_empty
    assert plan.offers == (
        "another order of followers copies nothing, elects nobody and takes the worst survivor of a "
        "failure from 4 leaders to 3: add failover,reorders to --goals",
    )
    asked = make_plan(cluster(lists), request_of({"goals": "racks,replicas,moves,leaders,failover,reorders"}))
    assert asked.offers == () and measures.worst_leaders_after_one_failure(asked.target, 3) == 3


@pytest.mark.parametrize("options", [{"required-only": True}, {"partial": True}, {"exclude-topics": "t"}])
def test_nothing_is_offered_where_nothing_was_to_be_levelled(options: dict[str, object]) -> None:
    """Nor beside another planner's answer."""
    state = cluster([[1], [2], [3]], [30.0, 15.0, 45.0])
    assert make_plan(state, request_of(options)).offers == ()
    assert make_plan(state, request_of({"strategy": "greedy"})).offers == ()


@given(st.data())
@pytest.mark.slow
def test_an_order_keeps_leaders_and_replicas(data: st.DataObject) -> None:
    """Whatever the lists: the same sets and the same leaders, where nothing may change the same order."""
    one = st.tuples(st.permutations(range(4)), st.integers(2, 4))
    drawn = data.draw(st.lists(one, min_size=1, max_size=12))
    lists = np.array([[*ids[:n], *[-1] * (4 - n)] for ids, n in drawn], dtype=np.int32)
    movable = np.array(data.draw(st.lists(st.booleans(), min_size=len(lists), max_size=len(lists))))
    found = spread(lists, movable, 4)
    assert np.array_equal(np.sort(found, axis=1), np.sort(lists, axis=1))
    assert np.array_equal(found[:, 0], lists[:, 0]) and np.array_equal(found[~movable], lists[~movable])
    assert np.array_equal(found >= 0, lists >= 0)

