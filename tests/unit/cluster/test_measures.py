"""Figures of assignments are those that plain loops count."""

from __future__ import annotations

from collections import Counter

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from equipoise.cluster import Brokers, measures
from equipoise.cluster.cluster import pad_lists

N_BROKERS = 6
LIST = st.lists(st.integers(0, N_BROKERS - 1), unique=True, max_size=4)
LISTS = st.lists(LIST, max_size=8)
RACKS = st.lists(st.integers(0, 2), min_size=N_BROKERS, max_size=N_BROKERS)
SIZES = st.one_of(st.just(np.nan), st.integers(0, 1000).map(float))


def padded(lists: list[list[int]], more: int = 0) -> npt.NDArray[np.int32]:
    """Replica lists as an array, with ``more`` columns than the longest needs."""
    return np.pad(pad_lists(lists), ((0, 0), (0, more)), constant_values=-1)


def counted(values: list[int]) -> list[int]:
    return [Counter(values)[broker] for broker in range(N_BROKERS)]


@given(LISTS, st.integers(0, 2))
def test_replicas_and_leaders_per_broker(lists: list[list[int]], more: int) -> None:
    """Every replica counts for its broker, the first of a list as its leader, whatever the padding."""
    array = padded(lists, more)
    held = measures.replicas_per_broker(array, N_BROKERS)
    led = measures.leaders_per_broker(array, N_BROKERS)
    assert held.tolist() == counted([broker for row in lists for broker in row])
    assert led.tolist() == counted([row[0] for row in lists if row])
    assert held.dtype == led.dtype == np.int64
    assert measures.lengths(array).tolist() == [len(row) for row in lists]


@given(LISTS, st.data())
def test_bytes_per_broker(lists: list[list[int]], data: st.DataObject) -> None:
    """Each replica weighs its partition's size; an unknown size counts 0."""
    sizes = data.draw(st.lists(SIZES, min_size=len(lists), max_size=len(lists)))
    wanted = [0.0] * N_BROKERS
    for row, size in zip(lists, sizes, strict=True):
        for broker in row:
            wanted[broker] += 0 if np.isnan(size) else size
    found = measures.bytes_per_broker(padded(lists), np.array(sizes, dtype=float), N_BROKERS)
    assert found.tolist() == wanted and found.dtype == np.float64


@given(LISTS, st.integers(0, 5))
def test_replicas_by_position(lists: list[list[int]], k: int) -> None:
    """The k-th of each list, -1 where it is shorter."""
    assert measures.position(padded(lists), k).tolist() == [row[k] if k < len(row) else -1 for row in lists]


@given(LISTS)
def test_leaders_once_a_broker_is_lost(lists: list[list[int]]) -> None:
    """Each survivor leads what it led, and that of the lost broker whose first follower it is."""
    wanted = [[0] * N_BROKERS for _ in range(N_BROKERS)]
    for lost in range(N_BROKERS):
        for row in lists:
            if row and row[0] != lost:
                wanted[lost][row[0]] += 1
            elif len(row) > 1:
                wanted[lost][row[1]] += 1
    table = measures.failover_leaders(padded(lists), N_BROKERS)
    assert table.tolist() == wanted and table.dtype == np.int64
    worst = max(max(row) for row in wanted)
    assert measures.worst_leaders_after_one_failure(padded(lists), N_BROKERS) == worst


def test_nobody_takes_over_from_a_broker_alone() -> None:
    """Below two brokers no survivor is left to lead; of two the other takes what it follows."""
    assert measures.worst_leaders_after_one_failure(padded([[0], [0]]), 1) == 0
    assert measures.worst_leaders_after_one_failure(padded([]), 0) == 0
    assert measures.worst_leaders_after_one_failure(padded([[0, 1], [0, 1], [1]]), 2) == 3


@given(LISTS, RACKS, st.integers(0, 2))
def test_replicas_in_racks(lists: list[list[int]], racks: list[int], more: int) -> None:
    """Replicas of each partition in each rack, and in the rack with most of them."""
    counts = [[sum(racks[i] == rack for i in row) for rack in range(3)] for row in lists]
    rack_idx = np.array(racks, dtype=np.int32)
    per_rack = measures.replicas_per_rack(padded(lists, more), rack_idx, 3)
    assert per_rack.tolist() == counts and per_rack.dtype == np.int32
    most = measures.most_in_one_rack(padded(lists, more), rack_idx)
    assert most.tolist() == [max(row) for row in counts] and most.dtype == np.int32


@pytest.mark.parametrize(
    ("rf", "racks", "limit"),
    [(3, "abc", 1), (3, "aabb", 2), (4, "aabbcc", 2), (1, "abc", 1),
     (5, "aaaaa", 5), (4, "abbb", 3), (0, "ab", 1)],
)
def test_a_rack_may_hold_its_part_rounded_up(rf: int, racks: str, limit: int) -> None:
    """ceil(replicas / racks), more where a rack has too few brokers for its part; strict is one."""
    rack_idx, factor = np.array([ord(rack) - ord("a") for rack in racks], dtype=np.int32), np.array([rf])
    everyone = np.ones(len(racks), dtype=bool)
    assert measures.rack_limits(factor, rack_idx, everyone).tolist() == [limit]
    assert measures.rack_limits(factor, rack_idx, everyone, strict=True).tolist() == [1]


@given(LISTS, RACKS, st.lists(st.booleans(), min_size=N_BROKERS, max_size=N_BROKERS), st.booleans())
def test_rack_violations(
    lists: list[list[int]], racks: list[int], eligible: list[bool], strict: bool
) -> None:
    """Partitions with more in one rack than the limit, and by how much, all racks together."""
    usable = Counter(rack for rack, may in zip(racks, eligible, strict=True) if may)
    wanted, above = 0, []
    for row in lists:
        limit = 1 if strict else -(-len(row) // max(1, len(usable)))
        while not strict and limit < len(row) and sum(min(limit, n) for n in usable.values()) < len(row):
            limit += 1
        counts = Counter(racks[i] for i in row).values()
        above.append(sum(max(0, n - limit) for n in counts))
        wanted += above[-1] > 0
    case = padded(lists), np.array(racks), np.array(eligible)
    assert measures.rack_violations(*case, strict=strict) == wanted
    assert strict or measures.rack_violations(*case) == wanted
    limits = measures.rack_limits(measures.lengths(case[0]), *case[1:], strict=strict)
    assert measures.rack_excess(case[0], case[1], limits).tolist() == above


def test_rack_violations_are_known_where_the_racks_of_all_replicas_are() -> None:
    """A broker that holds nothing needs no rack, though lists are padded."""
    brokers = Brokers.of([1, 2, 3], {1: "a", 2: "a"})
    everyone = np.ones(3, dtype=bool)
    assert measures.known_rack_violations(brokers, padded([[0], [0, 1]]), everyone, strict=True) == 1
    assert measures.known_rack_violations(brokers, padded([[0], [0, 2]]), everyone, strict=True) is None


def test_sizes_that_no_cluster_has_count_nothing() -> None:
    """Up to 2 ** 58 bytes in all; more is some mistake of a source, and none of it is believed."""
    most = np.array([2.0**58 - 64, 64.0])
    assert measures.sizes_known(most) and measures.whole_sizes(most).tolist() == [2**58 - 64, 64]
    more = np.array([2.0**58, 64.0])
    assert not measures.sizes_known(more) and measures.whole_sizes(more).tolist() == [0, 0]


@given(st.lists(st.tuples(LIST, LIST), max_size=8), st.integers(0, 2), st.integers(0, 2))
def test_what_differs_between_two_assignments(
    rows: list[tuple[list[int], list[int]]], more_before: int, more_after: int
) -> None:
    """Data moves, leadership changes and changed rows; a partition that is to be created copies nothing."""
    before = padded([old for old, _ in rows], more_before)
    after = padded([new for _, new in rows], more_after)
    copied = [[bool(old) and broker not in old for broker in new] for old, new in rows]
    mask = measures.arrivals(before, after)
    assert [row[: len(new)].tolist() for row, (_, new) in zip(mask, rows, strict=True)] == copied
    assert measures.data_moves(before, after) == mask.sum() == sum(map(sum, copied))
    led = [bool(old) and old[:1] != new[:1] for old, new in rows]
    assert measures.leadership_changed(before, after).tolist() == led
    changed = [k for k, (old, new) in enumerate(rows) if old != new]
    assert measures.changed_rows(before, after).tolist() == changed


def test_a_list_that_only_gets_longer_or_shorter_has_changed() -> None:
    """Even where it is the only one, and the other assignment has no column for the difference."""
    long, short = np.array([[0, 1, 2]], dtype=np.int32), np.array([[0, 1]], dtype=np.int32)
    assert measures.changed_rows(long, short).tolist() == measures.changed_rows(short, long).tolist() == [0]


def test_lists_are_widened() -> None:
    """By columns alone, and not at all where they are as wide."""
    lists = np.array([[1, 2], [3, -1]], dtype=np.int32)
    assert measures.widened(lists, 4).tolist() == [[1, 2, -1, -1], [3, -1, -1, -1]]
    assert measures.widened(lists, 2) is lists
