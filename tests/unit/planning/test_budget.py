"""Broker counts within ``--max-moves``, as large clusters get them."""

from __future__ import annotations

import pytest
from bench.instances import cluster
from tests.scenarios.checks import check_judged

from equipoise.planning import Request, build_problem, make_plan
from equipoise.planning.driver.budget import best_counts


@pytest.mark.parametrize("allowed", [30, 53, 62, 71])
def test_no_move_is_left_over(allowed: int) -> None:
    """600 partitions on 17 brokers of three racks, and three new brokers: each move that is allowed is made.

    Plans as good with a price on every move have somewhat fewer or more, and differ in several at once.
    """
    state = cluster(600, 20, 3, 10, new=3)
    found = best_counts(build_problem(state, Request(max_moves=allowed)))
    outside = found.held - 90
    assert found.level.value == (outside**2).sum()
    assert found.of_moves(allowed, found.level.value).value == allowed


def test_what_follows_large_values_is_proved() -> None:
    """3,000 partitions on 12 brokers, three of them new, with 90 moves allowed: 90 it takes, proved.

    ``replicas`` stays above two millions; one of them is worth a thousandth of a move, and a price rounded
    to no less than that would prove 66.
    """
    plan = make_plan(cluster(3_000, 12, 3, 3, new=3), Request(max_moves=90, goals=("replicas", "moves")))
    assert [level.goal for level in plan.certificate][:2] == ["replicas", "moves"]
    assert plan.certificate[0].value > 2_000_000
    assert plan.certificate[1].value == plan.certificate[1].lower_bound == 90
    check_judged(plan)
