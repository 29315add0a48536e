"""`consumers`: no plan that is as good at the goals before has less read across racks, whatever is asked."""

from __future__ import annotations

import random
from dataclasses import dataclass, replace

import numpy as np
import pytest
from tests.scenarios.checks import check, check_bounds, check_judged
from tests.scenarios.strategies import OPERATIONS, RULES, Case, case, mixed, most_changes, most_moves
from tests.seeds import of_seeds, seeds

from equipoise.cluster import Brokers, Cluster, build_cluster
from equipoise.planning import DEFAULT_GOALS, Params, Request, make_plan

SEEDS = of_seeds(seeds(16), fast=3)
TOLD = (
    (("", "a", 0.5), ("", "b", 0.5)),
    (("", "a", 0.7), ("", "c", 0.3), ("beans", "b", 1.0)),
    (("apples", "b", 0.9), ("apples", "elsewhere", 0.1)),
)


@dataclass(frozen=True)
class ReadCase(Case):
    """A case with what comes into each partition, and what is read of it, where that is known."""

    rates: tuple[tuple[float, float], ...] = ()

    def cluster(self, shuffled: int | None = None) -> Cluster:
        built = super().cluster(shuffled)
        by_label = {f"{t}-{p}": rate for (t, p, _), rate in zip(self.rows, self.rates, strict=True)}
        told = [by_label[built.label(row)] for row in range(built.n_partitions)]
        inward, outward = np.array(told, dtype=np.float64).reshape(-1, 2).T
        return replace(built, bytes_in_per_s=inward, bytes_out_per_s=outward)


def drawn(seed: int) -> Case:
    """A small cluster, an operation, and `consumers` anywhere in the list."""
    rng = random.Random(f"consumers {seed}")
    some = case("one", seed)
    draws = [rng.choice(OPERATIONS), *rng.sample((*RULES, most_moves, most_changes), rng.choice((0, 0, 1)))]
    place = seed % (len(DEFAULT_GOALS) + 1)
    goals = (*DEFAULT_GOALS[:place], "consumers", *DEFAULT_GOALS[place:])
    unknown = float("nan")
    rates = tuple((rng.choice((3e5, 1e6, 7.5)), rng.choice((1e6, 2.5e6, 11.0, unknown))) for _ in some.rows)
    told = {"consumers_in": rng.choice(TOLD), "consumption": rng.choice((None, 2.0))}
    asked = replace(mixed(rng, some, draws), goals=goals, required_only=False, **told)
    return ReadCase(**{**vars(some), "request": asked}, rates=rates)


@SEEDS
def test_no_plan_has_less_read_across_racks(seed: int) -> None:
    """Every operation and rule, budgets, each place of the list: as a program apart from the planner."""
    check(drawn(seed))


@SEEDS
def test_no_bound_of_flows_is_too_high(seed: int) -> None:
    """Where no program of a small cluster decides: bounds may be low, never wrong."""
    check_bounds(drawn(seed), Params(small_cells=0))


@pytest.mark.parametrize("partitions", [pytest.param(600), pytest.param(20_000, marks=pytest.mark.slow)])
def test_leaders_go_where_most_is_read(partitions: int) -> None:
    """With level leaders fewer bytes cross than where it is no goal; reorders alone prove it at any size."""
    draw = np.random.default_rng(5)
    lists = [
        draw.permuted([draw.integers(4) * 3 + rack for rack in range(3)]).tolist() for _ in range(partitions)
    ]
    racks = {broker: "abc"[broker % 3] for broker in range(12)}
    state = build_cluster("c", Brokers.of(range(12), racks), ["t"] * partitions, range(partitions), lists)
    state = replace(state, bytes_out_per_s=np.ceil(draw.lognormal(13, 1.5, partitions)))
    told = (("", "a", 0.6), ("", "b", 0.4))
    goals = ("leaders", "consumers", "elections")
    plan = make_plan(state, Request(goals=goals, leaders_only=True, consumers_in=told))
    level = {level.goal: level for level in plan.certificate}
    assert level["consumers"].gap == level["leaders"].gap == level["elections"].gap == 0
    usual = make_plan(state, Request(goals=("leaders", "elections"), leaders_only=True))
    far = {"a": 0.4, "b": 0.6, "c": 1.0}
    crossed = [
        sum(
            rate * far[racks[b]]
            for rate, b in zip(state.bytes_out_per_s.tolist(), each.target[:, 0], strict=True)
        )
        for each in (plan, usual)
    ]
    value = level["consumers"].value
    assert value is not None and abs(value - crossed[0]) < partitions and crossed[0] < 0.75 * crossed[1]
    assert any("more of it is read in rack" in why for why in plan.why.values())
    check_judged(plan)


def test_placement_and_leaders_together_prove_what_replicas_that_move_allow() -> None:
    """New brokers take replicas, and which ones decides who can lead: proved by prices of both at once."""
    draw = np.random.default_rng(6)
    lists = [draw.permuted([draw.integers(4) * 3 + rack for rack in range(3)]).tolist() for _ in range(300)]
    racks = {broker: "abc"[broker % 3] for broker in range(15)}
    state = build_cluster("c", Brokers.of(range(15), racks), ["t"] * 300, range(300), lists)
    state = replace(state, bytes_out_per_s=np.ceil(draw.lognormal(13, 1.5, 300)))
    goals = ("racks", "replicas", "moves", "leaders", "consumers", "elections")
    asked = Request(goals=goals, consumers_in=(("", "a", 0.6), ("", "b", 0.4)))
    plan = make_plan(state, asked, Params(small_cells=0))
    assert {level.goal: level.proof for level in plan.certificate}["consumers"] == "linear-program"
    assert all(level.gap == 0 for level in plan.certificate)
    check_judged(plan)


def test_what_is_not_told_is_said() -> None:
    """Without consumers the goal is 0; with some of whose rates nobody knows, those are counted."""
    brokers = Brokers.of([1, 2], {1: "a", 2: "b"})
    state = build_cluster("c", brokers, ["t", "t"], [0, 1], [[1, 2], [1, 2]])
    state = replace(state, bytes_out_per_s=np.array([1e6, np.nan]))
    goals = ("consumers", "elections")
    plan = make_plan(state, Request(goals=goals))
    assert plan.is_empty and plan.certificate[0].value == plan.certificate[0].lower_bound == 0
    assert any("counts nothing" in warning for warning in plan.warnings)
    plan = make_plan(state, Request(goals=goals, consumers_in=(("", "b", 1.0),)))
    assert plan.target[:, 0].tolist() == [1, 0] and plan.certificate[0].value == 0
    assert any("of 1 partition is not known (t-1 is the first)" in warning for warning in plan.warnings)
    unknown = make_plan(replace(state, bytes_out_per_s=np.full(2, np.nan)), Request(goals=goals))
    assert unknown.certificate[0].proof == "unknown"
    assert not any("is not known (" in warning for warning in unknown.warnings)
