"""A program that is there as a whole begins at the plan that is known: there every row is kept."""

from __future__ import annotations

import numpy as np
import pytest
from tests.unit.planning.test_narrowing import BEFORE, drawn

from equipoise.planning.driver.first import ordered
from equipoise.planning.goals import value_of
from equipoise.planning.networks.place import place
from equipoise.planning.programs.joint.columns import program_of
from equipoise.planning.programs.joint.question import question
from equipoise.planning.programs.joint.solve import Start, best_of_face


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
