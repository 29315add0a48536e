"""topicmappr: first fit decreasing, by count and by storage, and its dead end on racks."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from equipoise.planning.published.bin_packing import Packing
from equipoise.planning.published.interface import NoPlan, target_of
from equipoise.planning.published.settings import Settings

GIB = 2**30


def stored(lists, sizes):
    brokers = sorted({broker for replicas in lists for broker in replicas})
    return {b: sum(s for replicas, s in zip(lists, sizes, strict=True) if b in replicas) for b in brokers}


def test_partitions_are_taken_largest_first(problem_of):
    """First fit DEcreasing; equals keep the order of their names."""
    problem = problem_of([[1], [1], [1]], sizes=[1.0, 3.0, 1.0])
    assert Packing(problem, Settings(placement="storage")).largest_first == [1, 0, 2]


def test_a_replaced_brokers_replicas_go_to_the_emptiest(problem_of, lists_after):
    """Broker 3 goes, broker 4 comes: the README's commonest case; nothing else moves."""
    before = [[1, 2], [2, 3], [3, 1]]
    after = lists_after("bin-packing", problem_of(before, drain=(3,), add=((4, None),)))
    assert [set(replicas) for replicas in after] == [{1, 2}, {2, 4}, {4, 1}]


def test_storage_is_levelled_where_counts_are_not(problem_of, lists_after):
    """One partition of 4 GiB weighs as much as four of 1: by count they end 3 and 2, by storage 1 and 4."""
    sizes = [4 * GIB, GIB, GIB, GIB, GIB]
    problem = problem_of([[1]] * 5, brokers=[1, 2], sizes=sizes)
    by_count = lists_after("bin-packing", problem)
    by_storage = lists_after("bin-packing", problem, Settings(placement="storage"))
    assert sorted(sum(b in r for r in by_count) for b in (1, 2)) == [2, 3]
    assert stored(by_storage, sizes) == {1: 4 * GIB, 2: 4 * GIB}


def test_the_balance_of_the_request_chooses_the_placement(problem_of, lists_after):
    """`--balance disk` is storage."""
    sizes = [4 * GIB, GIB, GIB, GIB, GIB]
    problem = problem_of([[1]] * 5, brokers=[1, 2], sizes=sizes, balance=("disk",))
    assert stored(lists_after("bin-packing", problem), sizes) == {1: 4 * GIB, 2: 4 * GIB}


def test_no_rack_gets_two_replicas(random_problem):
    """Nine brokers in three racks, three replicas: one each, where the open places were filled."""
    problem = random_problem(2, 9, 30, 3, racks={b: "abc"[b % 3] for b in range(9)}, replication_factor=3)
    target = target_of("bin-packing", problem)
    new = (target[:, :, None] != problem.current[:, None, :]).all(axis=2)
    racks = problem.rack_idx[target]
    for row in np.flatnonzero(new.any(axis=1)):
        for column in np.flatnonzero(new[row]):
            assert (racks[row] == racks[row, column]).sum() == 1


def test_it_leaves_brokers_further_apart_than_the_tolerance_that_won(random_problem):
    """Relief never makes the range wider."""
    problem = random_problem(7, 10, 60, 3)
    packing = Packing(problem, Settings())
    packing.rebuild()
    assert packing.range_of(packing.rebalanced()) <= packing.range_of(packing.lists)


def test_sizes_of_storage_are_needed(problem_of, lists_after):
    """It does not guess them."""
    with pytest.raises(NoPlan, match="sizes"):
        lists_after("bin-packing", problem_of([[1, 2]]), Settings(placement="storage"))


def test_what_found_its_place_is_not_taken_up_again(problem_of, lists_after):
    """Two racks cannot hold three replicas each in a rack of its own: the tool ends with an error."""
    with pytest.raises(NoPlan, match="no broker in a free rack is left for t-0"):
        racks = {1: "a", 2: "b", 3: "b"}
        lists_after("bin-packing", problem_of([[1, 2]], brokers=[3], racks=racks, replication_factor=3))


def test_weights_fall(problem_of):
    """The order is one of falling weights, whatever the input's."""
    problem = problem_of([[1, 2]] * 6, sizes=[3.0, 1.0, 4.0, 1.0, 5.0, 9.0])
    packing = Packing(problem, Settings(placement="storage"))
    assert all(packing.weight[a] >= packing.weight[b] for a, b in pairwise(packing.largest_first))
