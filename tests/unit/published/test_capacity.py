"""Bin packing with capacities: the three constraints, and throughput from size and retention."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from equipoise.cluster import Brokers
from equipoise.planning.problem import build_problem
from equipoise.planning.published.capacity import loads
from equipoise.planning.published.interface import NoPlan, Settings

GIB = 2**30


def with_capacity(problem, disk_gib):
    old = problem.cluster.brokers
    disk = {int(i): disk_gib * GIB for i in old.ids}
    brokers = Brokers.of(old.ids, dict(zip(old.ids.tolist(), old.racks, strict=True)), disk_bytes=disk)
    return build_problem(replace(problem.cluster, brokers=brokers), problem.request)


def stored(lists, sizes, brokers):
    return [sum(s for replicas, s in zip(lists, sizes, strict=True) if b in replicas) for b in brokers]


def test_throughput_is_size_over_retention(problem_of):
    """The text: a replica of disk capacity d under an interval t has the throughput d / t."""
    problem = problem_of([[1, 2], [2, 1]], sizes=[7200 * 2**20, 3600 * 2**20])
    (_, disk, _), (_, network, _) = loads(problem, Settings(retention_s={"t": 3600.0}))
    assert disk.tolist() == [7200 / 1024, 3600 / 1024]
    assert network.tolist() == [2.0, 1.0]


def test_without_retention_only_disk_counts(problem_of):
    """What is not known is left out rather than invented."""
    assert [what for what, _, _ in loads(problem_of([[1, 2]], sizes=[1.0]), Settings())] == ["disk"]


def test_network_can_force_a_move_that_disk_does_not(problem_of, lists_after):
    """Two topics of the same size, one kept an hour and one a day: level disks are not level networks."""
    sizes = [GIB] * 4
    problem = problem_of([[1], [1], [2], [2]], topics=["fast", "fast", "slow", "slow"], sizes=sizes)
    assert lists_after("capacity", problem) == [[1], [1], [2], [2]]
    after = lists_after("capacity", problem, Settings(retention_s={"fast": 3600.0, "slow": 86400.0}))
    assert {after[0][0], after[1][0]} == {1, 2}
    assert stored(after, sizes, (1, 2)) == [2 * GIB, 2 * GIB]


def test_no_disk_overflows_and_no_replica_sits_beside_itself(problem_of, lists_after):
    """Constraints one to three: capacity, all placed, no two of a partition on one broker."""
    sizes = [6 * GIB, 5 * GIB, 4 * GIB, 3 * GIB, 2 * GIB]
    problem = with_capacity(problem_of([[1, 2]] * 5, brokers=[1, 2, 3, 4], sizes=sizes), 11)
    after = lists_after("capacity", problem)
    assert all(len(set(replicas)) == 2 for replicas in after)
    assert max(stored(after, sizes, (1, 2, 3, 4))) <= 11 * GIB


def test_more_than_fits_has_no_plan(problem_of, lists_after):
    """Eight GiB of replicas on two brokers of three."""
    problem = with_capacity(problem_of([[1, 2]] * 2, sizes=[2 * GIB] * 2), 3)
    with pytest.raises(NoPlan, match="contradict"):
        lists_after("capacity", problem)


def test_counts_are_left_unlevel(problem_of, lists_after):
    """The text holds counts for the wrong measure: five small partitions may outnumber one large."""
    sizes = [5 * GIB] + [GIB] * 5
    after = lists_after("capacity", problem_of([[1]] * 6, brokers=[1, 2], sizes=sizes))
    assert np.sort(stored(after, sizes, (1, 2))).tolist() == [5 * GIB, 5 * GIB]
    assert sorted(sum(b in r for r in after) for b in (1, 2)) == [1, 5]


def test_sizes_are_needed(problem_of, lists_after):
    """Capacity without sizes says nothing."""
    with pytest.raises(NoPlan, match="sizes"):
        lists_after("capacity", problem_of([[1, 2]]))
