"""Plans: which rows change, and how far each goal is from what is proved."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from equipoise.cluster import Brokers, Level, Plan, build_cluster
from equipoise.cluster.log_dirs import DirPlan, LogDirs

CLUSTER = build_cluster("c", Brokers.of([1, 2, 3]), ["t"] * 3, [0, 1, 2], [[1, 2], [2, 3], [3, 1]])


def plan(target: list[list[int]], **facts: object) -> Plan:
    return Plan(CLUSTER, np.array(target), np.array([1, 1, 0]), **facts)  # type: ignore[arg-type]


def test_reorders_count_as_changes() -> None:
    """A row changes where its list differs in any way, its length too."""
    assert plan([[0, 1, -1], [2, 1, -1], [2, 0, 1]]).changed.tolist() == [1, 2]


def test_a_plan_without_changes_is_empty() -> None:
    """And one with a single reorder is not."""
    assert plan([[0, 1], [1, 2], [2, 0]]).is_empty
    assert not plan([[0, 1], [1, 2], [0, 2]]).is_empty


def test_arrays_are_frozen_in_their_types() -> None:
    """Positions and batches are int32, eligibility is true or false, and none can be written."""
    made = plan([[0, 1], [1, 2], [2, 0]], batch=np.array([-1, 0, 1]))
    assert made.batch is not None
    assert (made.target.dtype, made.eligible.dtype, made.batch.dtype) == (np.int32, np.bool_, np.int32)
    for array in (made.target, made.eligible, made.batch):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0
    assert made.eligible.tolist() == [True, True, False]
    assert plan([[0, 1], [1, 2], [2, 0]]).batch is None


@pytest.mark.parametrize(
    ("value", "bound", "gap"),
    [(10, 10, 0), (10, 9, 0.1), (10, 0, 1), (10, 11, 0), (0.5, 0, 0.5), (0, 0, 0), (-4, -5, 0.25), (2, 0, 1)],
)
def test_the_gap_is_a_part_of_the_value(value: float, bound: float, gap: float) -> None:
    """Of the value, or of 1 where the value is smaller; never below 0."""
    assert Level("moves", value, bound, "flow-dual").gap == gap


def test_the_distance_is_known_where_any_placement_has_a_bound() -> None:
    """How far the value is above what no plan is below; None where nobody knows."""
    assert Level("topic-leaders", 10, 10, "given-placement").distance is None
    assert Level("topic-leaders", 10, 10, "given-placement", global_bound=8).distance == 0.2
    assert Level("topic-leaders", 10, 10, "given-placement", global_bound=0).distance == 1


def test_a_plan_tells_what_it_is() -> None:
    """In one line: its cluster, its moves and its changes."""
    assert repr(plan([[0, 2], [2, 1], [2, 0]])) == "<Plan of c: 1 data move, 2 partitions changed>"


def test_a_change_of_a_log_dir_touches_its_partition() -> None:
    """The third partition moves to another dir of broker 1, and its list stays."""
    brokers, paths = [1, 1, 2, 3], ("/a", "/b", "/a", "/a")
    dirs = LogDirs(brokers, paths, np.full(4, np.nan), np.ones(4, dtype=bool), [2], [0])
    cluster = replace(CLUSTER, dirs=dirs)
    target = np.full((3, 2), -1)
    target[2, 1] = 1
    moved = Plan(cluster, CLUSTER.replicas, np.ones(3), dirs=DirPlan(target))
    assert moved.changed.tolist() == [] and moved.touched.tolist() == [2]
    assert not moved.is_empty


@pytest.mark.parametrize(("request_", "strict"), [({"rack_rule": "strict"}, True), ({}, False)])
def test_a_plan_knows_its_rack_rule(request_: dict[str, str], strict: bool) -> None:
    """As it was asked for."""
    assert plan([[0, 1], [1, 2], [2, 0]], request=request_).strict_racks is strict
