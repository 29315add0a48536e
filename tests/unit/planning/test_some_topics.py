"""Placements and leaders at once of some topics: for clusters that are too large for all of them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from tests.scenarios.checks import check_judged
from tests.scenarios.strategies import THEMES, case
from tests.seeds import seeds
from tests.unit.planning.clusters import grown, uneven

from equipoise.errors import EquipoiseError
from equipoise.planning import Params, Request, build_problem, make_plan
from equipoise.planning.driver.some_topics import least_level, with_part_released

ALL_TOO_MANY = Params(small_cells=0, face_arcs=0)
"""Plans as on clusters of which no program has all placements."""
FLOWS = replace(ALL_TOO_MANY, topics_of_partitions=-1)
"""The same without the programs of some topics."""


@pytest.mark.slow
def test_the_least_level_topics_are_made_level() -> None:
    """By flows replicas come to the new broker whoever could lead there; a third of the topics is half.

    The others follow as long as that is worth it.
    """
    cluster = grown(600, 20)
    flows, whole = (make_plan(cluster, Request(), params) for params in (FLOWS, Params(small_cells=0)))
    a_third = replace(ALL_TOO_MANY, topics_arcs=200 * 19)
    some, more = (make_plan(cluster, Request(), replace(a_third, topics_gain=part)) for part in (1, 1_000))
    check_judged(some)
    check_judged(more)
    (*before, none), (*after, third), (*_, thirds), (*_, all_) = (
        [level.value or 0 for level in plan.certificate] for plan in (flows, some, more, whole)
    )
    assert before == after
    assert all_ <= thirds < third <= (none + all_) / 2


@pytest.mark.parametrize("seed", seeds(3))
@pytest.mark.slow
def test_a_second_run_finds_nothing(seed: int) -> None:
    """Moves and elections come before, so what is asked of the plan's own result costs too much of those."""
    cluster, request = uneven(seed), Request(drain=(0,)) if seed % 2 else Request()
    for goals in (None, ("replicas", "topic-leaders", "moves"), ("moves", "elections", "topic-leaders")):
        asked = replace(request, goals=goals)
        plan = make_plan(cluster, asked, ALL_TOO_MANY)
        done = replace(cluster, replicas=plan.target)
        assert make_plan(done, asked, ALL_TOO_MANY).is_empty, goals


@pytest.mark.slow
@pytest.mark.parametrize("theme", THEMES)
def test_no_goal_is_worse_for_it(theme: str) -> None:
    """Whatever is asked, in any order of goals: the same values or better, and the judge agrees."""
    for seed in seeds(4):
        drawn = case(theme, seed)
        try:
            plan, without = (make_plan(drawn.cluster(), drawn.request, p) for p in (ALL_TOO_MANY, FLOWS))
        except EquipoiseError:
            continue
        check_judged(plan)
        values, before = ([level.value for level in one.certificate] for one in (plan, without))
        assert values <= before, (theme, seed)


def test_what_is_not_released_is_as_planned_and_counts() -> None:
    """The topics that fit, the least level first; all other partitions stand where the plan has them."""
    cluster = grown(240, 20)
    problem = replace(build_problem(cluster, Request()), params=ALL_TOO_MANY)
    lists = make_plan(cluster, Request(), FLOWS).target
    part = least_level(problem, lists, problem.movable, 45 * 19)
    others = least_level(problem, lists, problem.movable & ~part, 45 * 19)
    assert others.sum() == part.sum() and not (others & part).any()
    released = with_part_released(problem, lists, part)
    assert np.bincount(cluster.topic_idx[part]).max() == part.sum() / 2 == 20
    assert np.array_equal(released.movable, part)
    assert np.array_equal(released.cluster.replicas[~part], lists[~part])
    assert np.array_equal(released.cluster.replicas[part], cluster.replicas[part])
