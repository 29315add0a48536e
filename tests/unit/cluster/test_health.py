"""Which partitions are unwell, and which Kafka cannot move now."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

import pytest

from equipoise.cluster import Brokers, build_cluster
from equipoise.cluster.health import Health


def health(
    lists: Sequence[Sequence[int]],
    isr: Sequence[Sequence[int] | None],
    leader: Sequence[int],
    *,
    down: Collection[int] = (),
    assumed: Collection[int] = (),
    min_isr: int = -1,
) -> Health:
    brokers = Brokers.of(range(1, 6), down=dict.fromkeys(down, "fenced"))
    n = len(lists)
    return Health(
        build_cluster(
            "c", brokers, ["t"] * n, range(n), lists, leader_id=leader, isr_ids=isr, min_isr=[min_isr] * n
        ),
        assumed,
    )


def test_what_is_unwell_is_counted_where_the_isr_is_told() -> None:
    """A list in sync, one behind, one below min ISR, one without a leader, one of which nothing is told."""
    found = health(
        [[1, 2, 3]] * 5, [[3, 1, 2], [1, 3], [1], [2], None], [1, 1, 1, -1, -1], min_isr=2
    )
    assert found.under_replicated.tolist() == [False, True, True, True, False]
    assert found.under_min_isr.tolist() == [False, False, True, True, False]
    assert found.leaderless.tolist() == [False, False, False, True, False]


def test_an_unknown_min_isr_is_not_missed() -> None:
    assert not health([[1, 2]], [[1]], [1]).under_min_isr.any()


def test_what_is_being_added_counts_as_in_sync_and_not_as_missing() -> None:
    """Kafka counts against the replication factor without what a move adds."""
    assert not health([[1, 2]], [[1, 2, 4]], [1]).under_replicated.any()


STUCK: Mapping[str, tuple[Sequence[int], Sequence[int] | None, int, bool]] = {
    # list, ISR, leader, cannot be moved: broker 4 is down
    "well": ([1, 2], [1, 2], 1, False),
    "its leader is down, another is in sync": ([4, 2], [4, 2], 4, False),
    "all in sync are down": ([4, 2], [4], 4, True),
    "no leader": ([1, 2], [1], -1, True),
    "no leader and nobody in sync": ([1, 2], [], -1, True),
    "one replica on a broker that is down": ([4], [4], -1, True),
    "one replica there and no word of the ISR": ([4], None, -1, True),
    "one of two there and no word of the ISR": ([4, 1], None, -1, False),
    "in sync is only what is being added": ([4], [5], 5, True),
}


@pytest.mark.parametrize("name", STUCK)
def test_what_cannot_be_moved(name: str) -> None:
    """A new replica is copied from the leader: there has to be one, or one that can become it."""
    held, isr, leader, stuck = STUCK[name]
    assert health([held], [isr], [leader], down=[4]).stuck.tolist() == [stuck]


@pytest.mark.parametrize("down", [1, 3, 5])
def test_any_broker_may_be_the_one_that_is_down(down: int) -> None:
    """The first of the cluster as well as the last."""
    lists = [[broker] for broker in range(1, 6)]
    found = health(lists, lists, [1, 2, 3, 4, 5], down=[down])
    assert found.stuck.tolist() == [broker == down for broker in range(1, 6)]


def test_a_broker_that_is_assumed_to_be_up_will_lead() -> None:
    """What it is in sync with can be moved then; what it is not in sync with still has no leader."""
    lists, isr, leader = [[4], [4, 1], [1, 4]], [[4], [4], [1]], [-1, -1, -1]
    assert health(lists, isr, leader, down=[4]).stuck.all()
    assert health(lists, isr, leader, down=[4], assumed=[4]).stuck.tolist() == [False, False, True]


def test_what_is_to_be_created_is_well() -> None:
    cluster = build_cluster("c", Brokers.of([1]), ["t"], [0], [[]], allow_empty_lists=True)
    assert not Health(cluster).stuck.any()
