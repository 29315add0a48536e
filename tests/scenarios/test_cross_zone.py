"""`cross-zone`: no plan that is as good at the goals before copies less across racks, whatever is asked."""

from __future__ import annotations

import random
from dataclasses import replace

import numpy as np
from tests.scenarios.checks import check, check_bounds, check_judged
from tests.scenarios.strategies import OPERATIONS, RULES, Case, case, mixed, most_changes, most_moves
from tests.seeds import of_seeds, seeds

from equipoise.cluster import Brokers, build_cluster
from equipoise.planning import DEFAULT_GOALS, Params, Request, make_plan

COARSE = Params(partition_arcs=0, row_arcs=0)
SEEDS = of_seeds(seeds(16), fast=3)


def drawn(seed: int) -> Case:
    """A small cluster, an operation, and `cross-zone` anywhere in the list."""
    rng = random.Random(f"zones {seed}")
    some = case("one", seed)
    draws = [rng.choice(OPERATIONS), *rng.sample((*RULES, most_moves, most_changes), rng.choice((0, 0, 1)))]
    place = seed % (len(DEFAULT_GOALS) + 1)
    goals = (*DEFAULT_GOALS[:place], "cross-zone", *DEFAULT_GOALS[place:])
    return replace(some, request=replace(mixed(rng, some, draws), goals=goals, required_only=False))


@SEEDS
def test_no_plan_copies_less_across_racks(seed: int) -> None:
    """Every operation and rule, budgets, each place of the list: as a program apart from the planner."""
    check(drawn(seed))


@SEEDS
def test_no_bound_of_flows_is_too_high(seed: int) -> None:
    """Where no program decides, by networks of partitions and of topics: bounds may be low, never wrong."""
    check_bounds(drawn(seed), replace(COARSE if seed % 2 else Params(), small_cells=0))


def test_of_many_moves_none_crosses_that_need_not() -> None:
    """1,200 partitions on 12 brokers of three racks, and three new ones: half as many cross, proved."""
    draw = np.random.default_rng(5)
    lists = [draw.permuted([draw.integers(4) * 3 + rack for rack in range(3)]).tolist() for _ in range(1_200)]
    racks = {broker: "abc"[broker % 3] for broker in range(15)}
    state = build_cluster("c", Brokers.of(range(15), racks), ["t"] * 1_200, range(1_200), lists)
    crossed = {}
    for goals in (("racks", "replicas", "moves"), ("racks", "replicas", "moves", "cross-zone")):
        plan = make_plan(state, Request(goals=goals), COARSE)
        source = state.replicas[:, 0] % 3
        new = (plan.target[:, :, None] != state.replicas[:, None, :]).all(axis=2)
        crossed[goals[-1]] = int((new & (plan.target % 3 != source[:, None])).sum())
    level = next(level for level in plan.certificate if level.goal == "cross-zone")
    assert level.value == level.lower_bound == crossed["cross-zone"] < crossed["moves"] / 2
    check_judged(plan)
