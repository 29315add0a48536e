"""The 0-1 program of a small cluster, as the judge writes it, beside its rules and its counts of goals."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import Bounds, LinearConstraint, milp
from scipy.sparse import csr_matrix
from tests.unit.judge.small import RACKS, REQUESTS, crowded, drawn, legal

from equipoise.cluster import Brokers, build_cluster
from equipoise.judge import Case, check_assignment, rules_of
from equipoise.judge.goals.registry import EVERY, goal_of
from equipoise.judge.program import Program
from equipoise.judge.sheet import INFINITE, Sheet, Sum


def placed(program: Program, target: np.ndarray) -> dict[int, int] | None:
    """What columns of places are under a target; None where one of its places has no column."""
    lists = {row: [b for b in target[row].tolist() if b >= 0] for row in program.rows}
    stands = {(row, b, k) for row in lists for k, b in enumerate(lists[row][: program.depth])}
    if any((row, b) not in program.held for row in lists for b in lists[row]) or not stands <= set(
        program.at
    ):
        return None
    held = {column: int(b in lists[row]) for (row, b), column in program.held.items()}
    return held | {column: int(place in stands) for place, column in program.at.items()}


def least(sheet: Sheet, goal: Sum, fixed: dict[int, int]) -> int | None:
    """The least of a goal with some columns fixed, None where the rows do not let them be so."""
    n, cost = len(sheet.upper), np.zeros(len(sheet.upper))
    for column, factor in goal.terms:
        cost[column] += factor
    low, high = np.zeros(n), np.array(sheet.upper, dtype=float)
    low[list(fixed)] = high[list(fixed)] = list(fixed.values())
    table = csr_matrix((sheet.factors, (sheet.row_of, sheet.columns)), (len(sheet.least), n))
    ends = (
        np.array([end if abs(end) < INFINITE else np.copysign(np.inf, end) for end in side], dtype=float)
        for side in (sheet.least, sheet.most)
    )
    found = milp(
        cost, integrality=np.ones(n), bounds=Bounds(low, high), constraints=LinearConstraint(table, *ends)
    )
    return None if found.x is None else round(found.fun) + goal.constant


@pytest.mark.parametrize("name", REQUESTS)
@pytest.mark.slow
def test_rows_let_pass_what_the_rules_let_pass(name: str) -> None:
    """What breaks a rule breaks a row, and what breaks none is in the program."""
    seen = {True: 0, False: 0}
    for case in drawn(crowded(), REQUESTS[name], 1):
        legal = check_assignment(case.cluster, case.target, case.rules) == ()
        program = Program(case, ["moves"])
        fixed = placed(program, case.target)
        kept = fixed is not None and least(program.sheet, Sum([]), fixed) is not None
        assert kept == legal, (case.target, check_assignment(case.cluster, case.target, case.rules))
        seen[legal] += 1
    assert all(seen.values()), seen


@pytest.mark.parametrize("name", ["nothing asked", "one topic", "one replica more", "drained", "replaced"])
@pytest.mark.slow
def test_what_goals_count_in_it_is_their_value(name: str) -> None:
    """With every replica in its place, the least that a goal can count is what it counts on the lists."""
    for case in legal(name, 2)[:4]:
        for goal in EVERY:
            value = goal.value(case)
            program = Program(case, [goal.name])
            counted = program.hold(goal.name, value)
            fixed = placed(program, case.target)
            assert fixed is not None
            assert least(program.sheet, counted, fixed) == value, goal.name


@pytest.mark.parametrize("apart", [6, 7, 12])
def test_far_from_its_band_a_count_costs_the_square(apart: int) -> None:
    """All leaders on one of two brokers: each is half of them away from its share."""
    n = 2 * apart
    cluster = build_cluster("c", Brokers.of([1, 2]), ["t"] * n, range(n), [[1, 2]] * n)
    case = Case(cluster, cluster.replicas, rules_of(cluster), np.ones(2, dtype=bool))
    assert goal_of("leaders").value(case) == 2 * apart**2
    program = Program(case, ["leaders"])
    counted = program.hold("leaders", 2 * apart**2)
    fixed = placed(program, case.target)
    assert fixed is not None
    assert least(program.sheet, counted, fixed) == 2 * apart**2


def test_places_of_what_may_not_change_count_too() -> None:
    """Of three partitions the one that may change has two replicas; the fourth place of the others counts."""
    cluster = build_cluster(
        "long", Brokers.of([1, 2, 3, 4], RACKS), ["log", "pay", "pay"], [0, 0, 1],
        [[1, 2], [1, 2, 3, 4], [2, 1, 3, 4]],
    )  # fmt: skip
    everyone = np.ones(cluster.n_brokers, dtype=bool)
    case = Case(cluster, cluster.replicas, rules_of(cluster, {"topics": "log"}), everyone)
    goal = goal_of("positions")
    value = goal.value(case)
    program = Program(case, [goal.name])
    counted = program.hold(goal.name, value)
    fixed = placed(program, case.target)
    assert fixed is not None and value == 3  # twice broker 3 in the third place, and broker 4 in the fourth
    assert least(program.sheet, counted, fixed) == value
