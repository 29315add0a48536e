"""Whole columns where numbers pack: the best that there are, and never none where some are known."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.scenarios.test_race_in_bands import WITH_RATES, cluster_of

from equipoise.planning import build_problem, make_plan
from equipoise.planning.loads import weighed_goals
from equipoise.planning.loads.program import LoadProgram
from equipoise.planning.programs.packing import packed
from equipoise.planning.programs.rows import RowWriter, Sheet, total

ENOUGH = 10
"""Units of effort that programs as small as these never take."""


def shelves(sizes: list[int], room: int) -> Sheet:
    """Things on two shelves, of which the first has some room: as much as can be stands there."""
    program = RowWriter()
    here = [program.column() for _ in sizes]
    kept = total(size * one for size, one in zip(sizes, here, strict=True))
    program.at_most(kept, room)
    return program.sheet(sum(sizes) - kept)


@given(st.lists(st.integers(1, 2**41), min_size=1, max_size=8), st.integers(0, 2**43))
@pytest.mark.slow
def test_nothing_packs_better(sizes: list[int], room: int) -> None:
    """Against every way there is, with sizes of a terabyte and more."""
    found = packed(shelves(sizes, room), {}, ENOUGH)
    fits = (sum(np.multiply(way, sizes).tolist()) for way in product((0, 1), repeat=len(sizes)))
    best = sum(sizes) - max(size for size in fits if size <= room)
    assert found.x is not None
    assert sum(sizes) - int(found.x @ np.array(sizes)) == best == found.least


def test_rows_that_contradict_each_other() -> None:
    """Then nothing is found, and nothing is claimed but what is true of everything."""
    program = RowWriter()
    one, other = program.column(), program.column()
    program.at_least(one + other, 2)
    program.at_most(one - other, -1)
    found = packed(program.sheet(one), {}, ENOUGH)
    assert found.x is None and found.least == 0


@pytest.mark.slow
def test_what_is_known_is_never_called_impossible() -> None:
    """A cluster on which CP-SAT, left to itself, proves that not even the lists of the search can be had."""
    cluster, request = cluster_of(36)
    request = replace(request, balance=tuple(f"{load}:10:10" for load in WITH_RATES))
    problem = build_problem(cluster, request)
    lists = make_plan(cluster, replace(request, effort="quick")).target
    program = LoadProgram(problem, weighed_goals(problem))
    for goal in ("racks", "replicas", "leaders"):
        program.hold(goal, program.value(lists, goal))
    sheet = program.model.sheet(program.model.hold("disk", program.value(lists, "disk")))
    found = packed(sheet, program.model.columns_of(lists), ENOUGH)
    assert found.x is not None
    assert program.value(program.lists(found.x), "disk") == program.value(lists, "disk") == found.least
    again = packed(sheet, program.model.columns_of(lists), ENOUGH)
    assert np.array_equal(again.x, found.x)  # no clock decides where it ends
