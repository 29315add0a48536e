"""Programs of placements and leaders: there as a whole they begin at the plan, or they are small and grow."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import numpy.typing as npt
import pytest
from tests.unit.planning.test_narrowing import BEFORE, drawn

from equipoise.planning.driver.first import ordered
from equipoise.planning.goals import value_of
from equipoise.planning.networks.place import place
from equipoise.planning.problem.params import Params
from equipoise.planning.programs.joint.columns import program_of
from equipoise.planning.programs.joint.question import question
from equipoise.planning.programs.joint.solve import Start, arcs_of, best_of_face, columns_of, worthwhile


@pytest.mark.parametrize(("crowded", "moved"), [(False, False), (True, False), (True, True)])
def test_the_beginning_is_the_plan(*, crowded: bool, moved: bool) -> None:
    """The flows' own plan, or one of another placement on the same face: its rows, and what it costs."""
    problem = drawn(crowded=crowded)
    placement = place(problem, BEFORE)
    assert placement.face is not None
    reached = {level.goal: level.value for level in placement.levels} | {"leaders": 0}
    kept, found = frozenset(level.goal for level in placement.levels), placement.lists
    if moved:
        fewest = best_of_face(placement.face, "elections", reached, kept, Start(found, 0))
        assert fewest is not None and fewest.lists is not None
        found = fewest.lists
        assert not np.array_equal(np.sort(found), np.sort(placement.lists))
    lists, _ = ordered(problem, found)
    reached |= {"elections": value_of(problem, lists, "elections")}

    asked = question(placement.face, "topic-leaders", reached, kept, lists)
    layout = program_of(asked, np.ones(len(placement.face.network.tail), dtype=bool))
    program = layout.program
    assert np.all((program.lower <= program.near) & (program.near <= program.upper))
    sums = program.rows.table @ program.near
    assert np.all((program.rows.least <= sums) & (sums <= program.rows.most))
    assert program.cost @ program.near + layout.paid == value_of(problem, lists, "topic-leaders")


@pytest.mark.parametrize("goal", ["elections", "topic-leaders"])
def test_columns_are_counted_before_the_program_is_made(goal: str) -> None:
    """Of all arcs, and of those that the plan uses: a program that is too large costs nothing."""
    problem = drawn(crowded=True)
    placement = place(problem, BEFORE)
    assert placement.face is not None
    reached = {level.goal: level.value for level in placement.levels} | {"leaders": 0}
    if goal == "topic-leaders":
        reached |= {"elections": value_of(problem, placement.lists, "elections")}
    kept = frozenset(level.goal for level in placement.levels)
    asked = question(placement.face, goal, reached, kept, placement.lists)
    few = arcs_of(placement.face, placement.lists)
    for shown in (np.ones_like(few), few):
        assert columns_of(asked, shown) == len(program_of(asked, shown).program.cost)
    assert columns_of(asked, few) < columns_of(asked, np.ones_like(few))


def test_the_last_few_columns_come_at_once() -> None:
    """One partition could go to many brokers: all of them where those are the last, else the three best."""
    placement = place(drawn(crowded=True), BEFORE)
    face = placement.face
    assert face is not None
    arrive, shown = face.net.arrive, arcs_of(face, placement.lists)
    waits = ~shown[arrive.index] & (face.network.upper[arrive.index] > 0)
    waiting, units = arrive.index[waits], arrive.unit[waits]
    of_one = waiting[units == np.bincount(units).argmax()]
    few = Params(grown_rest=int(shown.sum()) // len(of_one))  # as many as that one partition has, and no more
    face = replace(face, network=replace(face.network, params=few))

    def taken(better: npt.NDArray[np.integer]) -> npt.NDArray[np.int64]:
        pull = np.zeros(len(shown), dtype=np.int64)
        pull[better] = -1_000 - np.arange(len(better))
        return worthwhile(face, pull, shown, 0)

    assert len(of_one) > 3 and sorted(taken(of_one)) == sorted(of_one)
    assert np.bincount(units[np.isin(waiting, taken(waiting))]).max() == 3
