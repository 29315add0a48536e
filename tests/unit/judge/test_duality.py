"""The bound by weak duality: against every flow of small networks, and against hand-made potentials."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from equipoise.judge.duality import FlowProblem, conserved, dual_bound, exact_dot, minimisers, narrowed


def random_problem(rng: np.random.Generator) -> FlowProblem:
    """Four nodes, five arcs with room for few units, some of them drawn into bands; always has a flow."""
    tail, head = rng.integers(0, 4, 5), rng.integers(0, 4, 5)
    lower = rng.integers(-2, 2, 5)
    upper = lower + rng.integers(0, 4, 5)
    flow = rng.integers(lower, upper + 1)
    supply = np.bincount(tail, flow, 4).astype(np.int64) - np.bincount(head, flow, 4).astype(np.int64)
    convex = np.flatnonzero(rng.random(5) < 0.6)
    low = rng.integers(-2, 3, len(convex))
    return FlowProblem(
        supply=supply,
        tail=tail.astype(np.int32),
        head=head.astype(np.int32),
        lower=lower,
        upper=upper,
        cost=rng.integers(-3, 4, 5),
        convex=convex.astype(np.int32),
        band_low=low,
        band_high=low + rng.integers(0, 2, len(convex)),
        offset=int(rng.integers(-2, 3)),
    )


def all_flows(problem: FlowProblem) -> list[np.ndarray]:
    """Every flow there is, one by one."""
    ranges = [range(a, b + 1) for a, b in zip(problem.lower, problem.upper, strict=True)]
    return [flow for flow in map(np.array, product(*ranges)) if problem.admits(flow)]


@pytest.mark.slow
def test_any_potentials_bound_every_flow() -> None:
    """Whatever the potentials, no flow costs less than the bound they give."""
    rng = np.random.default_rng(1)
    for _ in range(300):
        problem = random_problem(rng)
        best = min(problem.value(flow) for flow in all_flows(problem))
        assert dual_bound(problem, rng.integers(-5, 6, 4)) <= best


@pytest.mark.slow
def test_best_potentials_meet_the_best_flow() -> None:
    """There are whole potentials whose bound is the optimum: the bound gives nothing away."""
    rng = np.random.default_rng(2)
    for _ in range(20):
        problem = random_problem(rng)
        best = min(problem.value(flow) for flow in all_flows(problem))
        tried = (np.array([0, *rest]) for rest in product(range(-12, 13), repeat=3))
        assert any(dual_bound(problem, potential) == best for potential in tried)


@pytest.mark.slow
def test_narrowing_keeps_the_optimal_flows_and_no_others() -> None:
    """Under potentials that meet the optimum, the narrowed intervals hold exactly the best flows."""
    rng = np.random.default_rng(3)
    met = 0
    while met < 15:
        problem = random_problem(rng)
        flows = all_flows(problem)
        best = min(problem.value(flow) for flow in flows)
        for rest in product(range(-6, 7), repeat=3):
            potential = np.array([0, *rest])
            if dual_bound(problem, potential) == best:
                face = narrowed(problem, potential)
                assert {tuple(f) for f in flows if face.admits(f)} == {
                    tuple(f) for f in flows if problem.value(f) == best
                }
                met += 1
                break


@pytest.mark.parametrize("reduced", range(-6, 7))
def test_convex_minimum_is_the_closed_form(reduced: int) -> None:
    """An arc's first and last minimiser agree with trying every flow, for each reduced cost and bound."""
    for lower, upper, low, width in product(range(-4, 2), range(2, 6), range(-1, 3), range(3)):
        problem = FlowProblem(
            supply=np.zeros(2, dtype=np.int64),
            tail=np.array([0], dtype=np.int32),
            head=np.array([1], dtype=np.int32),
            lower=np.array([lower]),
            upper=np.array([upper]),
            cost=np.array([reduced]),
            convex=np.array([0], dtype=np.int32),
            band_low=np.array([low]),
            band_high=np.array([low + width]),
        )
        x = np.arange(lower, upper + 1)
        cost = reduced * x + np.maximum(np.maximum(low - x, x - low - width), 0) ** 2
        best = x[cost == cost.min()]
        first, last = minimisers(problem, np.zeros(2, dtype=np.int64))
        assert (first[0], last[0]) == (best[0], best[-1])


def test_large_numbers_do_not_overflow() -> None:
    """Products beyond 64 bits are summed exactly."""
    big = np.array([2**40, -(2**40), 1])
    assert exact_dot(big, big) == 2 * 2**80 + 1
    assert exact_dot(np.array([3]), np.array([4])) == 12


@pytest.mark.parametrize("highest", [2**62, 2**63 - 1, -(2**63)])
def test_potentials_that_64_bits_cannot_subtract_are_refused(highest: int) -> None:
    """The difference of the largest numbers there are wraps around and would prove anything."""
    problem = random_problem(np.random.default_rng(5))
    with pytest.raises(ValueError, match="too large"):
        dual_bound(problem, np.array([0, highest, 0, 0]))


@pytest.mark.slow
def test_conservation_cuts_bounds_and_loses_no_flow() -> None:
    """Bounds drawn from the other arcs at a node leave out no flow, at the tail or at the head."""
    rng = np.random.default_rng(4)
    for _ in range(100):
        problem = random_problem(rng)
        arc = np.array([int(rng.integers(0, 5))])
        if problem.tail[arc[0]] == problem.head[arc[0]]:
            continue
        for end in ("tail", "head"):
            cut = conserved(problem, arc, end)
            assert {tuple(f) for f in all_flows(cut)} == {tuple(f) for f in all_flows(problem)}
