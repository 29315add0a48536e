"""What partitions heavier than any band leave outside: by hand, and beside an exact program."""

from __future__ import annotations

import numpy as np
import pytest
from tests.reference import exact
from tests.reference.weighed import least

from equipoise import judge
from equipoise.cluster import Brokers, Cluster, build_cluster
from equipoise.judge.certificate import level_bound as judged
from equipoise.planning import Request, build_problem
from equipoise.planning.loads.bounds import Bounds
from equipoise.planning.loads.weights import loads_of


def cluster_of(lists: list[list[int]], size: list[int], n_racks: int = 1, n_brokers: int = 4) -> Cluster:
    """One topic, with inbound and outbound rates as its sizes."""
    racks = {b: "abcd"[b % n_racks] for b in range(n_brokers)} if n_racks > 1 else None
    columns = dict.fromkeys(("size_bytes", "bytes_in_per_s", "bytes_out_per_s"), size)
    topics, numbers = ["t"] * len(lists), range(len(lists))
    return build_cluster("heavy", Brokers.of(range(n_brokers), racks), topics, numbers, lists, **columns)


def bounds(cluster: Cluster, load: str) -> tuple[int, int]:
    """What the planner counts and what the judge does."""
    problem = build_problem(cluster, Request(balance=(load,)))
    rules = judge.rules_of(cluster, {"balance": [load]})
    case = judge.Case(cluster, cluster.replicas, rules, problem.eligible)
    (weighed,) = loads_of(problem)
    return Bounds(problem).level(weighed), judged(case, weighed.goal, ()) or 0


@pytest.mark.parametrize(
    ("lists", "size", "load", "outside"),
    [
        # shares of 25: one broker has 90, 65 too much, of which the three others lack all
        ([[0], [1], [2]], [90, 5, 5], "disk:0:0", 130),
        # shares of 48: two brokers have 90, 84 too much, which the two others lack
        ([[0, 1], [0, 1]], [90, 6], "disk:0:0", 168),
        # shares of 50: two brokers have 60 and two have 40
        ([[0, 1], [2, 3]], [60, 40], "disk:0:0", 40),
        # leaders send 90 and 10 of 100, with shares of 25: 65 too much, and as much too little
        ([[0, 1], [0, 1]], [45, 5], "network-out:0:0", 130),
        # nothing is heavier than a band
        ([[0], [1], [2], [3]], [25, 25, 25, 25], "disk:0:0", 0),
    ],
)
def test_what_a_heavy_partition_leaves_outside_is_counted(
    lists: list[list[int]], size: list[int], load: str, outside: int
) -> None:
    """Above the band of whoever holds it, and missing with the others; both rooms count it alike."""
    assert bounds(cluster_of(lists, size), load) == (outside, outside)


@pytest.mark.parametrize("seed", range(24))
def test_no_plan_is_below_what_is_counted(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """An exact program finds no plan below, and both rooms count alike."""
    monkeypatch.setattr(exact, "SCALE", 1)
    draw = np.random.default_rng(seed)
    n_racks, n = int(draw.integers(1, 4)), int(draw.integers(5, 8))
    rf = min(3, n_racks) if n_racks > 1 else int(draw.integers(1, 3))
    lists = [draw.choice(4, rf, replace=False).tolist() for _ in range(n)]
    size = draw.integers(1, 12, n)
    size[: int(draw.integers(1, 3))] *= int(draw.integers(5, 12))
    cluster = cluster_of(lists, size.tolist(), n_racks)
    load = ("disk:10:10", "network-in:0:0", "network-out:5:5", "disk:30:60")[seed % 4]
    counted, again = bounds(cluster, load)
    problem = build_problem(cluster, Request(balance=(load,)))
    name = load.partition(":")[0]
    possible = least(problem, (name,))
    assert possible is not None
    assert 0 <= counted == again <= possible[name]
