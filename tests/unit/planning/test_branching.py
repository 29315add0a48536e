"""Proofs of the small program, by cases that prices close: what they prove, and what they never can."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from tests.scenarios.checks import planned
from tests.scenarios.strategies import THEMES, case
from tests.seeds import seeds

from equipoise import judge
from equipoise.cluster import Plan
from equipoise.judge.certificate import verify
from equipoise.judge.program import Program
from equipoise.judge.sheet import MAX_NODES
from equipoise.judge.sheet import Sheet as JudgeSheet
from equipoise.judge.sheet import Sum as JudgeSum
from equipoise.planning import ALL_GOALS, Params, build_problem
from equipoise.planning.goals import value_of
from equipoise.planning.programs import branching
from equipoise.planning.programs.branching import CLOSED, NARROWED, divided, proof_of
from equipoise.planning.programs.model import Model
from equipoise.planning.programs.rows import RowWriter, Sheet, total


def judged(plan: Plan) -> judge.Case:
    return judge.Case(plan.cluster, plan.target, judge.rules_of(plan.cluster, plan.request), plan.eligible)


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("seed", seeds(3))
@pytest.mark.slow
def test_the_judge_writes_the_same_program(theme: str, seed: int) -> None:
    """Every row and column of every goal, each kept a few above its value, has its number in both."""
    if (plan := planned(theme, seed)) is None:
        return
    drawn = case(theme, seed)
    problem = build_problem(drawn.cluster(), drawn.request)
    goals = problem.goals if problem.request.leaders_only else ALL_GOALS
    values = {goal: value_of(problem, plan.target, goal) + seed * 10 for goal in goals}
    theirs, ours = Program(judged(plan), goals), Model(problem, goals)
    for goal, value in values.items():
        counted, sheet, other = theirs.hold(goal, value), ours.sheet(ours.hold(goal, value)), theirs.sheet
        assert other.upper == sheet.upper.tolist() and not sheet.lower.any()
        assert other.least == sheet.least.tolist() and other.most == sheet.most.tolist()
        assert other.columns == sheet.table.indices.tolist() and other.factors == sheet.table.data.tolist()
        assert counted.constant == sheet.offset
        cost = np.zeros_like(sheet.cost)
        for column, factor in counted.terms:
            cost[column] += factor
        assert cost.tolist() == sheet.cost.tolist()


def sheet_for(theme: str, seed: int, goal: str) -> tuple[Sheet, int]:
    """The program of a case that ends with a goal, and the value of its plan."""
    drawn, plan = case(theme, seed), planned(theme, seed)
    assert plan is not None
    problem = build_problem(drawn.cluster(), drawn.request)
    model = Model(problem, problem.goals)
    values = {name: value_of(problem, plan.target, name) for name in problem.goals}
    for name in problem.goals[: problem.goals.index(goal)]:
        model.hold(name, values[name])
    return model.sheet(model.hold(goal, values[goal])), values[goal]


@pytest.mark.parametrize(("seed", "nodes"), [(35, 99), (44, 99), (38, 1)])
@pytest.mark.slow
def test_cases_prove_what_the_relaxation_does_not(seed: int, nodes: int) -> None:
    """Counts of whole partitions that cannot all be at their share: one case, or a few, and no more."""
    sheet, value = sheet_for("failover", seed, "failover")
    tree = proof_of(sheet, value, Params())
    assert tree is not None and tree.bound == value > 0
    assert (len(tree.branches) == 1) == (nodes == 1) and len(tree.branches) <= nodes
    assert (tree.branches[:, 0] < 0).sum() == len(tree.prices)


BYTES = 2**32
"""About what a replica has."""


def sizes_and_costs(seed: int) -> tuple[list[int], list[int], int]:
    """What each of some replicas has in bytes, what it costs to move, and the bytes that have to move."""
    rng = np.random.default_rng(seed)
    sizes = rng.integers(BYTES // 8, BYTES, 11).tolist()
    return sizes, rng.integers(1, 9, 11).tolist(), int(sum(sizes) * rng.uniform(0.2, 0.6))


def least_cost(sizes: list[int], costs: list[int], wanted: int) -> int:
    """By looking at every choice of replicas."""
    chosen = np.array(list(product((0, 1), repeat=len(sizes))))
    return int((chosen @ np.array(costs))[chosen @ np.array(sizes) >= wanted].min())


def program_of(sizes: list[int], costs: list[int], wanted: int) -> tuple[Sheet, JudgeSheet, JudgeSum]:
    """The least cost of replicas with the bytes that have to move, as the planner and as the judge write it.

    A column counts the bytes that move beyond what is asked for, as levels of loads have such columns.
    """
    rows, theirs = RowWriter(), JudgeSheet()
    columns = [rows.column() for _ in sizes]
    beyond = rows.column(0, sum(sizes))
    moved = total(size * column for size, column in zip(sizes, columns, strict=True))
    rows.equal(moved - beyond, wanted)
    numbers = [theirs.column() for _ in sizes]
    terms = [*zip(numbers, sizes, strict=True), (theirs.column(sum(sizes)), -1)]
    theirs.row(terms, wanted, wanted)
    cost = total(each * column for each, column in zip(costs, columns, strict=True))
    return rows.sheet(cost), theirs, JudgeSum(list(zip(numbers, costs, strict=True)))


@pytest.mark.parametrize("seed", seeds(30))
def test_bytes_that_have_to_move(seed: int) -> None:
    """Parts of large replicas fill a row, whole ones do not: the least cost of whole ones is proved.

    Nothing above it is, however the arrays are changed.
    """
    drawn, rng = sizes_and_costs(seed), np.random.default_rng(seed)
    least = least_cost(*drawn)
    sheet, theirs, goal = program_of(*drawn)
    tree = proof_of(sheet, least, Params())
    assert tree is not None and tree.bound == least == theirs.bound(goal, tree.branches, tree.prices)
    more = proof_of(sheet, least + 1, Params())
    assert more is not None and more.bound <= least
    for _ in range(20):
        arrays = {"0/branches": tree.branches, "0/potential": tree.prices}
        arrays = altered(arrays, "0", rng)
        try:
            found = theirs.bound(goal, arrays["0/branches"], arrays["0/potential"])
        except (ValueError, IndexError, OverflowError):
            continue
        assert found <= least


@pytest.mark.parametrize("short", [1, 2, 40])
def test_a_row_that_lacks_a_byte_is_not_kept(short: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """To a solver ten terabytes are as good as ten and a byte; the dear replica has to move all the same."""
    sizes = [10**13 - short, 10**13, 10**12, 3]
    sheet, theirs, goal = program_of(sizes, [1, 5, 9, 9], 10**13)
    tree = proof_of(sheet, 5, Params())
    assert tree is not None and tree.bound == 5 == theirs.bound(goal, tree.branches, tree.prices)
    more = proof_of(sheet, 6, Params())
    assert more is not None and more.bound <= 5
    monkeypatch.setattr(branching, "contradicted", lambda *_: None)
    left = proof_of(sheet, 5, Params())
    assert left is not None and left.bound < 5


@pytest.mark.parametrize("seed", range(30))
def test_bytes_that_some_replicas_lack_by_one(seed: int) -> None:
    """However nearly a choice has the bytes asked for, the least cost of those that reach them is proved."""
    sizes, costs, _ = sizes_and_costs(seed)
    rng = np.random.default_rng(seed)
    sizes = [1000 * size + int(rng.integers(3)) for size in sizes]
    wanted = int(np.array(sizes) @ rng.integers(0, 2, len(sizes))) + int(rng.integers(3))
    least = least_cost(sizes, costs, wanted)
    sheet, theirs, goal = program_of(sizes, costs, wanted)
    tree = proof_of(sheet, least, Params())
    assert tree is not None and tree.bound == least == theirs.bound(goal, tree.branches, tree.prices)
    more = proof_of(sheet, least + 1, Params())
    assert more is None or more.bound <= least


@pytest.mark.parametrize(("effort", "tried"), [(Params().tree_programs, 2), (3, 1)])
def test_of_bytes_a_little_less_is_proved(
    effort: int, tried: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where a claim is some bytes too high; but not where the effort for it closed next to nothing."""
    sizes, costs, wanted = sizes_and_costs(3)
    drawn = sizes, [BYTES * cost for cost in costs], wanted
    sheet, claimed = program_of(*drawn)[0], least_cost(*drawn) + 100
    counted: Counter[int] = Counter()
    monkeypatch.setattr(
        branching, "divided", lambda choice, root: counted.update([choice.value]) or divided(choice, root)
    )
    tree = proof_of(sheet, claimed, Params(tree_programs=effort))
    assert tree is not None and len(counted) == tried
    assert (tree.bound == branching.rounded_down(claimed) < claimed - 100) == (tried == 2)


def test_a_little_less_is_proved_where_the_linear_program_itself_is_some_bytes_off(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """What it claims in floating point is above the truth, so no prices prove it; a little less they do."""
    sheet, _, _ = program_of([BYTES] * 3, [BYTES] * 3, 2 * BYTES)
    claimed = 2 * BYTES + 100
    monkeypatch.setattr(branching, "bound_of", lambda *_: claimed)
    for params in (Params(), Params(tree_programs=0)):
        tree = proof_of(sheet, claimed, params)
        assert tree is not None and tree.bound == branching.rounded_down(claimed)


@pytest.mark.slow
def test_cases_are_narrowed_to_what_a_better_plan_could_have(monkeypatch: pytest.MonkeyPatch) -> None:
    """Prices tell which replicas no cheaper choice has: without that, more cases have to be divided."""

    def cases() -> int:
        trees = (
            proof_of(program_of(*drawn)[0], least_cost(*drawn), Params())
            for drawn in map(sizes_and_costs, range(20))
        )
        return sum(int((tree.branches[:, 0] >= 0).sum()) for tree in trees if tree)

    with_it = cases()
    monkeypatch.setattr(branching, "narrowed", lambda *_: None)
    assert 0 < with_it < cases()


def test_a_proof_that_the_judge_would_not_read_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    """As many cases as it takes, and no more of them: with one fewer, what the relaxation proves is left."""
    assert branching.MOST_NODES == MAX_NODES
    drawn = sizes_and_costs(3)
    sheet, least = program_of(*drawn)[0], least_cost(*drawn)
    tree = proof_of(sheet, least, Params())
    assert tree is not None and tree.bound == least and len(tree.branches) > 1
    for most, proved in ((len(tree.branches), True), (len(tree.branches) - 1, False)):
        monkeypatch.setattr(branching, "MOST_NODES", most)
        found = proof_of(sheet, least, Params())
        assert found is not None and (found.bound == least) == proved


def test_a_case_narrowed_to_nothing_is_closed() -> None:
    """The judge takes what is left out to have the goal at the value that narrowed it, and no more."""
    drawn = sizes_and_costs(3)
    least = least_cost(*drawn)
    sheet, theirs, goal = program_of(*drawn)
    tree = proof_of(sheet, least, Params())
    assert tree is not None
    for value in (least - 1, least, least + 1, 2**62):
        narrowed = np.array([[NARROWED, value], [CLOSED, -1]])
        assert theirs.bound(goal, narrowed, tree.prices[[0, 0]]) <= least
    with pytest.raises(ValueError, match="neither divided, nor closed, nor narrowed"):
        theirs.bound(goal, np.array([[-3, 1], [CLOSED, -1]]), tree.prices[[0, 0]])


def test_what_is_not_true_is_not_proved() -> None:
    """Asked for more than there is, it proves what the linear program does."""
    sheet, value = sheet_for("failover", 38, "failover")
    tree = proof_of(sheet, value + 1, Params())
    assert tree is not None and tree.bound <= value and len(tree.branches) == 1


@pytest.mark.slow
@pytest.mark.parametrize("theme", ["budget", "failover", "orders", "leaders"])
def test_no_alteration_proves_more(theme: str) -> None:
    """Prices, cases or columns changed at random: refused, or a bound that is not above the optimum."""
    rng, seen = np.random.default_rng(1), Counter[str]()
    for seed in range(40):
        plan = planned(theme, seed, Params(face_arcs=0))  # what a linear program proves has no cases
        for k, level in enumerate(plan.certificate if plan else ()):
            if plan is None or level.proof != "branch-and-bound":
                continue
            seen[level.goal] += 1
            for _ in range(12):
                proofs = altered(plan.proofs, f"level{k}", rng)
                found = verify(judged(plan), plan.certificate, proofs)[k]
                assert found.bound is None or found.bound <= level.value, (seed, level)
            false = replace(level, lower_bound=level.value + 1)
            told = (*plan.certificate[:k], false, *plan.certificate[k + 1 :])
            assert verify(judged(plan), told, plan.proofs)[k].problem
    assert sum(seen.values()) >= 4


def altered(proofs: dict[str, np.ndarray], level: str, rng: np.random.Generator) -> dict[str, np.ndarray]:
    """The arrays with one of a level's changed: some entries, its length, or its sign."""
    name = f"{level}/{rng.choice(['potential', 'branches'])}"
    array = proofs[name].copy()
    way = rng.integers(5)
    if way == 0:
        array = array[:-1]
    elif way == 1:
        array = -array
    elif way == 2:
        array = array * int(rng.integers(0, 2**30))
    else:
        some = rng.random(array.shape) < 0.2
        array[some] += rng.integers(-(2**20), 2**20, some.sum())
    return {**proofs, name: array}
