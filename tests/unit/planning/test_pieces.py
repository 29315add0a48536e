"""Convex costs cut into steps: the columns of a joint program."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from equipoise.planning.flow.network import Objective
from equipoise.planning.programs.joint.pieces import Pieces, pieces, taken

SPANS = st.lists(st.tuples(st.integers(0, 40), st.integers(0, 90)), min_size=1, max_size=4)


def cut_at(spans: list[tuple[int, int]], low: int, width: int, near: int) -> Pieces:
    """Items that are at least and at most something, with one band for all, cut around ``near``."""
    n = len(spans)
    lower, upper = np.array([least for least, _ in spans]), np.array([least + room for least, room in spans])
    bands = Objective.of_bands(0, np.arange(n, dtype=np.int32), np.full(n, low), np.full(n, low + width))
    return pieces(bands, lower, upper, np.full(n, near), 3, upper > 0)


@given(SPANS, st.integers(0, 60), st.integers(0, 9), st.integers(0, 90), st.integers(0, 130))
def test_steps_of_an_item_follow_each_other(
    spans: list[tuple[int, int]], low: int, width: int, near: int, amount: int
) -> None:
    """From its least to its most without a gap, the cheaper before the dearer; what is taken adds up."""
    cut = cut_at(spans, low, width, near)
    step, of_all = cut.step, np.full(len(spans), amount)
    found = taken(cut, of_all)
    for item in range(len(cut.item)):
        mine = np.flatnonzero(step.owner == item)
        mine = mine[np.argsort(cut.begin[mine])]
        least, room = spans[cut.item[item]]
        ends = np.append(cut.begin[mine], least + room)
        assert ends[0] == least and np.array_equal(np.diff(ends), step.width[mine])
        assert np.all(np.diff(step.slope[mine]) >= 0)
        assert found[mine].sum() == np.clip(amount - least, 0, room)
        full = np.cumsum(found[mine] < step.width[mine])
        assert not found[mine][full > 1].any()


def test_an_item_that_is_held_to_a_number_has_no_steps_and_is_there() -> None:
    """What nobody can be part of is left out."""
    cut = cut_at([(3, 0), (0, 0), (2, 4)], 5, 0, 0)
    assert cut.item.tolist() == [0, 2] and cut.least.tolist() == [3, 2]
    assert set(cut.step.owner.tolist()) == {1}
    assert cut.at_least == (5 - 3) ** 2 + (5 - 0) ** 2 + (5 - 2) ** 2


def test_a_step_of_one_begins_where_it_did_wherever_costs_are_cut() -> None:
    """So its column is known again in the next program."""
    one, other = (cut_at([(0, 40)], 10, 2, near) for near in (20, 24))
    begins = [set(cut.begin[cut.step.width == 1].tolist()) for cut in (one, other)]
    assert {21, 22} <= begins[0] & begins[1]
