"""A certificate proves the plan it came with and nothing else, on small random clusters."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from tests.scenarios.checks import planned
from tests.scenarios.strategies import case
from tests.seeds import of_themes, seeds

from equipoise import judge
from equipoise.cluster import Level, Plan
from equipoise.judge.certificate import Finding, verify
from equipoise.planning import build_problem
from equipoise.planning.goals import value_of

CASES = of_themes(("one", "several", "leaders", "orders"), seeds(4), fast=1)

RECOMPUTED = ("flow-dual", "linear-program", "branch-and-bound")
"""Proofs of which the judge computes the bound anew."""


def judged(plan: Plan, certificate: Sequence[Level] | None = None) -> tuple[Finding, ...]:
    known = np.ones(plan.cluster.n_brokers, dtype=bool)
    case_ = judge.Case(plan.cluster, plan.target, judge.rules_of(plan.cluster, plan.request), known)
    return verify(case_, plan.certificate if certificate is None else certificate, plan.proofs)


@CASES
def test_every_level_that_says_more_is_refused(theme: str, seed: int) -> None:
    """A value one lower or higher, or a bound above what the potentials prove, is found out."""
    plan = planned(theme, seed)
    for k, level in enumerate(plan.certificate if plan else ()):
        if level.value is None:
            false = [replace(level, value=0), replace(level, value=0, lower_bound=0, proof="closed-form")]
            told = [(*plan.certificate[:k], lie, *plan.certificate[k + 1 :]) for lie in false]
            assert all(judged(plan, claims)[k].problem for claims in told)
            continue
        false = [replace(level, value=level.value - 1), replace(level, value=level.value + 1)]
        if level.proof in RECOMPUTED:
            false.append(replace(level, lower_bound=level.lower_bound + 1))
        for lie in false:
            told = (*plan.certificate[:k], lie, *plan.certificate[k + 1 :])
            assert judged(plan, told)[k].problem, lie


@CASES
def test_no_potentials_prove_too_much(theme: str, seed: int) -> None:
    """Weak duality: whatever potentials a file holds, no bound exceeds what a plan has reached."""
    plan = planned(theme, seed)
    if plan is None:
        return
    rng = np.random.default_rng(seed)
    for _ in range(5):
        proofs = dict(plan.proofs)
        for name, array in plan.proofs.items():
            if name.endswith("/potential") and rng.random() < 0.7:
                off = rng.integers(-2, 3, array.shape) * (rng.random(array.shape) < 0.3)
                proofs[name] = array + off * rng.choice((1, 1000))
        for level, found in zip(plan.certificate, judged(replace(plan, proofs=proofs)), strict=True):
            assert found.bound is None or found.bound <= (level.value or 0), level.goal


@CASES
def test_no_numbers_at_the_ends_of_64_bits_prove_too_much(theme: str, seed: int) -> None:
    """Sums that would wrap around are refused or reckoned with whole numbers of any size."""
    plan = planned(theme, seed)
    if plan is None:
        return
    rng, ends = np.random.default_rng(seed), [s * 2**k for k in (28, 40, 50, 60, 62) for s in (1, -1)]
    for _ in range(5):
        proofs = dict(plan.proofs)
        for name, array in plan.proofs.items():
            if name.endswith(("/potential", "/anywhere")):
                far = rng.choice([-(2**63), 2**63 - 1, *ends], array.shape)
                proofs[name] = np.where(rng.random(array.shape) < rng.random(), far, array)
        for level, found in zip(plan.certificate, judged(replace(plan, proofs=proofs)), strict=True):
            assert found.bound is None or found.bound <= (level.value or 0), level.goal


@CASES
def test_a_worse_plan_cannot_borrow_a_certificate(theme: str, seed: int) -> None:
    """The state as it is, passed off as the best with the potentials of a better plan, is refused."""
    drawn, plan = case(theme, seed), planned(theme, seed)
    if plan is None or plan.is_empty:
        return
    problem = build_problem(drawn.cluster(), drawn.request)
    if (problem.cluster.rf == 0).any() or (problem.cluster.rf != problem.rf).any():
        return
    worse = replace(plan, target=problem.cluster.replicas)
    claims = [
        replace(level, value=value, lower_bound=value) if level.value is not None else level
        for level in plan.certificate
        for value in [value_of(problem, worse.target, level.goal)]
    ]
    pairs = list(zip(plan.certificate, claims, judged(worse, claims), strict=True))
    first = next((found for ours, claim, found in pairs if ours.value != claim.value), None)
    rules = judge.check_assignment(worse.cluster, worse.target, judge.rules_of(worse.cluster, worse.request))
    assert first is None or rules or first.problem or proof_of(plan, first.goal) not in RECOMPUTED


def proof_of(plan: Plan, goal: str) -> str:
    return next(level.proof for level in plan.certificate if level.goal == goal)
