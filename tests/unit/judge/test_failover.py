"""Prices of `failover` that cannot be used are refused, and others prove what they prove."""

from __future__ import annotations

import numpy as np
import pytest

from equipoise.cluster import Brokers, build_cluster
from equipoise.judge import Case, rules_of
from equipoise.judge.failover import failover_bound
from equipoise.judge.goals.interface import Reached
from equipoise.judge.goals.registry import goal_of

N = 4
BEFORE = tuple(Reached(goal_of(name), 0) for name in ("racks", "replicas", "leaders"))


def pairs(**asked: object) -> Case:
    """Two racks of two brokers; each broker of a rack has its partner in the other one."""
    lists = [[0, 2], [2, 0], [1, 3], [3, 1]] * 3
    brokers = Brokers.of(range(N), {0: "a", 1: "a", 2: "b", 3: "b"})
    cluster = build_cluster("pairs", brokers, ["t"] * 12, range(12), lists)
    return Case(cluster, cluster.replicas, rules_of(cluster, asked), np.ones(N, dtype=bool))


def prices(follower: int, place: int = 0, *, rows: int = 1) -> np.ndarray:
    return np.array([follower] * N + [0, 0] + [place] * (N * rows), dtype=np.int64)


def test_who_shares_a_rack_inherits_nothing() -> None:
    """Each leads 3, and 4 are wanted of each survivor: the one in the rack of the lost broker stays at 3,
    the other two come to 4 and 5."""
    assert failover_bound(pairs(), BEFORE, prices(1)) == 4 * (1 + 1)
    assert failover_bound(pairs(), BEFORE, prices(0)) == 4 * 1


@pytest.mark.parametrize(
    ("case", "before", "stored", "complaint"),
    [
        (pairs(leaders_only=True), BEFORE, prices(0), "may move replicas"),
        (pairs(), BEFORE, prices(0)[:-1], "shape"),
        (pairs(), BEFORE, prices(0)[: N + 2], "shape"),
        (pairs(), BEFORE, prices(2**60), "too large"),
        (pairs(), BEFORE, np.array([0] * N + [0, -1] + [0] * N), "below 0"),
        (pairs(), (), prices(0, rows=2), "some numbers of leaders"),
    ],
)
def test_unusable_prices(case: Case, before: tuple[Reached, ...], stored: np.ndarray, complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint):
        failover_bound(case, before, stored)


def test_leaders_that_need_not_be_level_prove_less() -> None:
    """Without `leaders` in front some plan may lead as it suits the first followers."""
    free = [reached for reached in BEFORE if reached.goal.name != "leaders"]
    assert failover_bound(pairs(), free, prices(1)) <= failover_bound(pairs(), BEFORE, prices(1))


@pytest.mark.slow
def test_no_prices_prove_more_than_the_best() -> None:
    """Two brokers come to 4 and 5 leaders after each loss, which 8 is the sum of: drawn prices prove less."""
    rng = np.random.default_rng(1)
    for _ in range(200):
        stored = np.concatenate([rng.integers(-6, 7, N), rng.integers(0, 4, 2), rng.integers(-6, 7, N)])
        assert failover_bound(pairs(), BEFORE, stored) <= 8
