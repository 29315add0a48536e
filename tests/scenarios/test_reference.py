"""The reference that plans are held against agrees, on tiny clusters, with trying everything."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace
from itertools import permutations, product

import pytest
from tests.reference import values
from tests.reference.exact import least, optimum
from tests.reference.rules import broken_by, broken_rules
from tests.scenarios.strategies import THEMES, Case, draw_cluster

from equipoise.errors import UnusableInput
from equipoise.planning import Problem, build_problem

TRIES = [(theme, seed) for theme in THEMES for seed in range(8)]


def every_answer(problem: Problem) -> Iterator[list[list[int]]]:
    """All lists that keep every rule."""
    current = values.as_lists(problem.current)
    choices = []
    for row, held in enumerate(current):
        fixed = problem.request.leaders_only or not problem.movable[row]
        length = len(held) if fixed else int(problem.rf[row])
        orders = [list(order) for order in permutations(range(problem.cluster.n_brokers), length)]
        choices.append(
            [o for o in orders if not any(broken_by(problem, [*current[:row], o, *current[row + 1 :]], row))]
        )
    for lists in product(*choices):
        if not broken_rules(problem, lists):
            yield list(lists)


@pytest.mark.parametrize(("theme", "seed"), TRIES)
def test_the_program_finds_what_trying_everything_finds(theme: str, seed: int) -> None:
    """Up to 3 brokers, a few partitions: same lexicographic optimum, or none in both."""
    rng = random.Random(f"tiny {theme} {seed}")
    drawn: Case = draw_cluster(rng, 3, rng.choice((2, 2, 3)))
    tiny = replace(drawn, request=THEMES[theme](rng, drawn))
    try:
        problem = build_problem(tiny.cluster(), tiny.request)
    except UnusableInput:
        return
    tried = (
        tuple(values.value(problem, lists, goal) for goal in problem.goals) for lists in every_answer(problem)
    )
    best = min(tried, default=None)
    found = optimum(problem)
    assert best == (None if found is None else tuple(found.values.values()))
    if found is not None:
        assert least(problem, found.values) == found.values
