"""Tiny clusters that thousands of brokers join: no program or network grows with what nobody can use."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from equipoise.cluster import Brokers, Cluster, build_cluster
from equipoise.planning import Params, Request, make_plan
from equipoise.planning.networks import orders
from equipoise.planning.programs.joint.linear_program import JointProgram

TINY = [[1, 2], [2, 3], [3, 1], [1, 2]]


def joined(n_new: int) -> Cluster:
    """Three brokers with four partitions, and new ones."""
    brokers = Brokers.of(range(1, 4 + n_new), {})
    return build_cluster("tiny", brokers, ["orders"] * len(TINY), range(len(TINY)), TINY)


def test_replicas_that_may_go_anywhere_are_no_matter_for_the_simplex_method(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Four partitions, two hundred new brokers, and `leaders` before all else: the corners of the program are
    as good as each other, by the ten thousand."""
    asked: list[tuple[int, bool]] = []
    relaxed = JointProgram.relaxed

    def noted(program: JointProgram, *, simplex: bool, **others: Any) -> Any:
        asked.append((len(program.cost), simplex))
        return relaxed(program, simplex=simplex, **others)

    monkeypatch.setattr(JointProgram, "relaxed", noted)
    plan = make_plan(joined(200), Request(goals=("leaders", "moves", "elections")))
    assert [(level.value, level.lower_bound) for level in plan.certificate] == [(0, 0), (1, 1), (1, 1)]
    wide = [simplex for columns, simplex in asked if columns > 2 * len(TINY) * 200]
    assert wide
    assert not any(wide)


class Seen:
    """The methods that began, and for what."""

    def __init__(self) -> None:
        self.began_for: list[tuple[str, str]] = []

    def began(self, method: str, goal: str, size: object, solution: object) -> None:
        self.began_for.append((method, goal))

    def ended(self, solution: object) -> None: ...


def test_pairs_of_thousands_of_brokers_are_no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    """`failover` has a node for each pair of brokers: beyond the limit followers stay, and nothing is
    claimed."""
    followed: list[str] = []
    follow = orders.follow

    def noted(*given: Any) -> Any:
        followed.append("")
        return follow(*given)

    monkeypatch.setattr(orders, "follow", noted)
    asked, seen = Request(goals=("failover", "moves")), Seen()
    few, params = joined(7), Params(small_cells=0, follower_pairs=99)
    plan = make_plan(few, asked, params, seen)
    assert not followed
    assert not [goal for _, goal in seen.began_for if goal == "failover"]
    assert plan.certificate[0].proof == "none"
    within = Seen()
    make_plan(few, asked, replace(params, follower_pairs=100), within)
    assert followed
    assert {method for method, goal in within.began_for if goal == "failover"} >= {"prices of survivors"}
