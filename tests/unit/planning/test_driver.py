"""The driver: goals in their order, methods in theirs, and how much effort is spent on proofs."""

from __future__ import annotations

from dataclasses import fields

import pytest
from tests.scenarios.checks import check_bounds, check_judged
from tests.scenarios.strategies import THEMES, case
from tests.seeds import seeds

from equipoise.cluster import Brokers, Plan, build_cluster
from equipoise.errors import EquipoiseError
from equipoise.planning import ALL_GOALS, Effort, Params, Request, make_plan
from equipoise.planning.driver.methods import METHODS
from equipoise.planning.problem.params import limits
from equipoise.planning.solution.size import Size
from equipoise.planning.solution.solution import Solution

CASES = [(theme, seed) for theme in THEMES for seed in seeds(2)]


def planned(theme: str, seed: int, effort: Effort) -> Plan | None:
    """The plan of a random case with an effort, None where there is none."""
    drawn = case(theme, seed)
    try:
        return make_plan(drawn.cluster(), drawn.request, Params.of(effort))
    except EquipoiseError:
        return None


class Notes:
    """Takes down which method ran for which goal."""

    def __init__(self) -> None:
        self.began_: list[tuple[str, str]] = []
        self.sizes: list[Size] = []

    def began(self, method: str, goal: str, size: Size | None, solution: Solution | None) -> None:
        self.began_.append((goal, method))
        self.sizes += [size] if size is not None else []

    def ended(self, solution: Solution) -> None:
        self.last = solution


@pytest.mark.slow
@pytest.mark.parametrize(("theme", "seed"), CASES)
def test_more_effort_is_never_worse(theme: str, seed: int) -> None:
    """Values and bounds of the three efforts, goal by goal; the first value that differs decides."""
    plans = [planned(theme, seed, effort) for effort in Effort]
    if None in plans:
        assert plans == [None] * 3
        return
    quick, normal, thorough = ([level.value for level in plan.certificate] for plan in plans if plan)
    assert thorough <= normal <= quick


@pytest.mark.parametrize(("theme", "seed"), CASES)
@pytest.mark.slow
def test_quick_plans_claim_nothing_that_is_not_so(theme: str, seed: int) -> None:
    """Flows alone leave gaps, and state them: no bound is above what is possible."""
    check_bounds(case(theme, seed), Params.of(Effort.QUICK))


@pytest.mark.slow
def test_methods_run_in_their_order_until_the_proof_closes() -> None:
    """For each goal those of the list that serve it, the cheapest first; after its proof none."""
    order = [method.name for method in METHODS]
    serves = {method.name: method.goals for method in METHODS}
    for theme, seed in CASES:
        drawn, notes = case(theme, seed), Notes()
        try:
            plan = make_plan(drawn.cluster(), drawn.request, watch=notes)
        except EquipoiseError:
            continue
        check_judged(plan)
        ran = [(goal, method) for goal, method in notes.began_ if goal]
        assert all(goal in serves[method] for goal, method in ran)
        assert all(size.fits for size in notes.sizes)
        for goal in plan.request.get("goals", ALL_GOALS):
            mine = [order.index(method) for of, method in ran if of == goal]
            assert mine == sorted(mine) or len(set(mine)) < len(mine), (theme, seed, goal)


def test_what_is_proved_by_flows_asks_no_other_method() -> None:
    """A cluster that is level already: nothing runs but flows."""
    drawn, notes = case("one", 3), Notes()
    level = make_plan(drawn.cluster(), Request()).cluster
    make_plan(level, Request(goals=("racks", "moves")), watch=notes)
    assert {goal for goal, _ in notes.began_} == {""}


def test_every_limit_says_its_unit_and_its_meaning() -> None:
    """All fields of the parameters but the effort are limits, with words."""
    assert {of.name for of in limits()} == {of.name for of in fields(Params)} - {"effort"}
    assert all(of.metadata["unit"] and of.metadata["meaning"] for of in limits())
    assert all((of.metadata["thorough"] or of.default) >= of.default for of in limits())


def test_a_budget_is_used_with_little_effort_too() -> None:
    """Broker 4 is new and empty; two moves are allowed, and flows alone make both."""
    lists = [[1, 2], [2, 3], [3, 1]] * 4
    state = build_cluster("c", Brokers.of([1, 2, 3, 4]), ["t"] * 12, range(12), lists)
    plan = make_plan(state, Request(max_moves=2, effort="quick"))
    assert int((plan.target == 3).sum()) == 2
