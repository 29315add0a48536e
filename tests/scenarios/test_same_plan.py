"""Same input, same plan; and nothing to do on the result, whatever the order of the goals."""

from __future__ import annotations

import random
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.scenarios.checks import check_empty_again
from tests.scenarios.strategies import OPERATIONS, THEMES, Case, case, draw_cluster

from equipoise.cluster import Plan
from equipoise.errors import ImpossibleRequest, UnusableInput
from equipoise.planning import ALL_GOALS, Params, Request, build_problem, make_plan

ORDERS = st.permutations(ALL_GOALS).flatmap(
    lambda goals: st.integers(1, len(goals)).map(lambda length: tuple(goals[:length]))
)


def planned(drawn: Case, shuffled: int | None = None) -> Plan | None:
    """The plan of a case, None where it has none."""
    try:
        return make_plan(drawn.cluster(shuffled), drawn.request)
    except (UnusableInput, ImpossibleRequest):
        return None


def reordered(drawn: Case, seed: int) -> Case:
    """The same case with its brokers and the brokers of its options told in another order."""
    rng = random.Random(seed)

    def mixed(items: object) -> object:
        return tuple(rng.sample(items, len(items))) if isinstance(items, tuple) else items

    options = ("add", "drain", "replace", "racks", "no_leaders_on", "cordon", "create", "brokers")
    asked = {name: mixed(getattr(drawn.request, name)) for name in options}
    racks = dict(rng.sample(list(drawn.racks.items()), len(drawn.racks)))
    return replace(drawn, racks=racks, request=replace(drawn.request, **asked))


@pytest.mark.slow
@given(st.sampled_from(sorted(THEMES)), st.integers(0, 10_000), st.integers(0, 99))
@settings(max_examples=60)
def test_the_order_of_the_input_does_not_matter(theme: str, seed: int, order: int) -> None:
    """Rows, brokers and lists of options in another order give the same lists, sentences and certificate."""
    plan, other = planned(case(theme, seed)), planned(reordered(case(theme, seed), order), order)
    assert (plan is None) == (other is None)
    if plan is not None and other is not None:
        assert np.array_equal(plan.target, other.target)
        assert plan.why == other.why and plan.certificate == other.certificate


@pytest.mark.slow
@pytest.mark.parametrize("seed", [34, 38])
def test_what_the_first_run_missed_is_no_second_plan(seed: int) -> None:
    """With little effort `failover` stays open, and planning on the result finds nothing more to do."""
    goals = ("racks", "replicas", "moves", "leaders", "elections", "failover", "reorders")
    drawn = replace(draw_cluster(random.Random(f"open {seed}"), 8, 50), request=Request(goals=goals))
    little = Params(small_cells=0)
    plan = make_plan(drawn.cluster(), drawn.request, little)
    assert any(level.gap for level in plan.certificate)
    check_empty_again(plan, build_problem(drawn.cluster(), drawn.request), little)


@pytest.mark.slow
@given(st.sampled_from(OPERATIONS), st.integers(0, 10_000), ORDERS)
@settings(max_examples=80)
def test_the_result_is_left_alone(operation: object, seed: int, goals: tuple[str, ...]) -> None:
    """Planning again changes nothing for any order of any of the goals."""
    drawn = case("orders", seed)
    request = replace(operation(random.Random(seed), drawn), goals=goals, required_only=False)
    plan = planned(replace(drawn, request=request))
    if plan is not None:
        check_empty_again(plan, build_problem(drawn.cluster(), request))
