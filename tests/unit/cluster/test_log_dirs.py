"""Log dirs: what refuses, what moves, and what is left when partitions are left out."""

from __future__ import annotations

import numpy as np
import pytest

from equipoise.cluster import Brokers, build_cluster
from equipoise.cluster.log_dirs import DirPlan, LogDirs

DIRS = LogDirs(
    broker=np.array([1, 1, 2]),
    paths=("/a", "/b", "/a"),
    total_bytes=np.full(3, np.nan),
    usable=np.ones(3, dtype=bool),
    row=np.array([0, 0, 1]),
    at=np.array([0, 2, 1]),
)
CLUSTER = build_cluster("c", Brokers.of([1, 2]), ["t", "t"], [0, 1], [[1, 2], [1]], dirs=DIRS)


def test_the_first_partition_keeps_its_dirs() -> None:
    """A partition that stands in row 0 is there; one that is left out has no replicas any more."""
    assert DIRS.renumbered(np.array([0, -1])).row.tolist() == [0, 0]
    moved = DIRS.renumbered(np.array([-1, 0]))
    assert (moved.row.tolist(), moved.at.tolist()) == ([0], [1])


def test_replicas_that_change_their_dir() -> None:
    """To the first dir as to any other; not where nobody knows, nor where Kafka may choose."""
    lists = CLUSTER.replicas
    for target, moved in (
        ([[1, 2], [0, -1]], [[True, False], [True, False]]),
        ([[0, 2], [1, -1]], [[False, False], [False, False]]),
        ([[-1, -1], [-1, -1]], [[False, False], [False, False]]),
    ):
        plan = DirPlan(np.array(target))
        plan.check(CLUSTER, lists)
        assert plan.moved(CLUSTER, lists).tolist() == moved


def test_dirs_that_are_none() -> None:
    """A plan whose replicas lie in a dir that is not there, or in one of another broker, is refused."""
    for target, problem in (
        ([[3, 2], [0, -1]], "outside"),
        ([[-2, 2], [0, -1]], "outside"),
        ([[2, 2], [0, -1]], "another broker"),
        ([[1, 2, -1], [0, -1, -1]], "not those"),
    ):
        with pytest.raises(ValueError, match=problem):
            DirPlan(np.array(target)).check(CLUSTER, CLUSTER.replicas)
