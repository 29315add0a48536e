"""What rows decide of columns before a linear program is solved."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog
from tests.unit.planning.programs import begun_near, rows

from equipoise.planning.linear.forcing import forced
from equipoise.planning.linear.rows import Rows

NONE = np.inf
Float64 = npt.NDArray[np.float64]


def test_what_leads_to_a_dead_end_carries_nothing() -> None:
    """Arc 0 goes on by arc 1 to a node from which nothing goes on; arcs 2 and 3 lead to the sink."""
    network = rows((1, [1, 0, 1, 0], 1), (0, [-1, 1, 0, 0], 0), (0, [0, -1, 0, 0], 0), (0, [0, 0, -1, 1], 0))
    known = forced(network, np.zeros(4), np.ones(4))
    assert known is not None
    # Arc 1 first, then 0, then there is one way left, and the whole program is decided.
    assert (known.columns.tolist(), known.x.tolist()) == ([], [0, 0, 1, 1])
    assert [forcing.column.tolist() for forcing in known.rounds] == [[1], [0], [2], [3]]


def test_a_side_that_cannot_be_broken_is_no_condition() -> None:
    """Three columns of at most 1 are never above 4, but may be below 2."""
    known = forced(rows((2, [1, 1, 1], 4)), np.zeros(3), np.ones(3))
    assert known is not None
    assert (known.left.least.tolist(), known.left.most.tolist()) == ([2], [NONE])


def test_prices_keep_a_decided_column_at_its_end() -> None:
    """Each unit of x would save 5, but x and y are 0: only a price of 5 on their row says so."""
    kept, ends = rows((0, [1, 2, 0], 0), (2, [1, 1, 1], NONE)), (np.zeros(3), np.full(3, 9.0))
    found = begun_near(np.array([-5.0, 3, 1]), kept, ends, np.zeros(3))
    assert found is not None
    assert (found.x.tolist(), found.value) == ([0, 0, 2], 2)
    assert found.of_rows.tolist() == [-6, 1] and found.of_columns.tolist() == [0, 14, 0]


def test_rows_that_are_not_whole_decide_nothing() -> None:
    """A tenth three times is not three tenths in floating point."""
    known = forced(rows((0.1 * 3, [0.1, 0.1, 0.1], NONE)), np.zeros(3), np.ones(3))
    assert known is not None
    assert known.columns.tolist() == [0, 1, 2] and not known.rounds


def test_what_cannot_be_kept_is_known_at_once() -> None:
    """Two replicas are to be on one broker that may have one; or two rows hold a column at both its ends."""
    assert forced(rows((2, [1], 2)), np.zeros(1), np.ones(1)) is None
    assert forced(rows((0, [1, 0], 0), (2, [1, 1], 2)), np.zeros(2), np.ones(2)) is None


def test_an_equation_of_one_column_says_what_that_is() -> None:
    """x is 2 of at most 3, so y is 1; and as y is worth 4 to its row, x is told what it costs there."""
    kept, ends = rows((2, [1, 0, 0], 2), (3, [1, 1, 0], 3), (1, [0, 1, 1], 9)), (np.zeros(3), np.full(3, 3.0))
    known = forced(kept, *ends)
    assert known is not None
    assert (known.columns.tolist(), known.x.tolist()) == ([2], [2, 1, 0])
    assert [each.tolist() for each in known.between] == [[0, 1], [0, 1]]
    found = begun_near(np.array([1.0, 4, 2]), kept, ends, np.array([2.0, 1, 0]))
    assert found is not None and (found.x.tolist(), found.value) == ([2, 1, 0], 6)
    assert (found.of_rows.tolist(), found.of_columns.tolist()) == ([-3, 4, 0], [0, 0, 2])
    # Half of an odd number is nothing to rely on, and what it cannot be is no answer.
    left = forced(rows((1, [2], 1)), np.zeros(1), np.ones(1))
    assert left is not None and left.columns.tolist() == [0]
    assert forced(rows((5, [1, 0], 5), (5, [0, 1], 5)), np.zeros(2), np.array([9.0, 3])) is None


@settings(max_examples=200)
@given(st.data())
@pytest.mark.slow
def test_values_and_prices_are_those_of_the_whole_program(data: st.DataObject) -> None:
    """SciPy solves it all for comparison; rows are drawn so that most decide something."""
    n_columns, n_rows = data.draw(st.integers(1, 6)), data.draw(st.integers(1, 6))

    def some(n: int, least: int, most: int) -> Float64:
        drawn = data.draw(st.lists(st.integers(least, most), min_size=n, max_size=n))
        return np.array(drawn, dtype=np.float64)

    table = some(n_rows * n_columns, -1, 2).reshape(n_rows, n_columns)
    lower = some(n_columns, -1, 1)
    upper = lower + some(n_columns, 0, 3)
    at_end = np.where(some(n_columns, 0, 1) > 0, lower, upper)
    kept, cost = table @ at_end, some(n_columns, -3, 3)
    least, most = kept - some(n_rows, 0, 1), kept + some(n_rows, 0, 1)
    row, column = np.nonzero(table)
    program = Rows.of(table.shape, least, most, (row, column, table[row, column]))
    found = begun_near(cost, program, (lower, upper), at_end)
    whole = linprog(cost, np.r_[table, -table], np.r_[most, -least], bounds=np.c_[lower, upper])
    assert found is not None and found.value == pytest.approx(whole.fun)
    assert found.x @ cost == pytest.approx(found.value)
    assert np.all(found.x >= lower - 1e-6) and np.all(found.x <= upper + 1e-6)
    assert np.all(table @ found.x >= least - 1e-6) and np.all(table @ found.x <= most + 1e-6)
    # Whatever keeps to the rows and ends costs at least what the prices say.
    priced = np.where(found.of_rows > 0, least, most) @ found.of_rows
    ends = np.where(found.of_columns > 0, lower, upper) @ found.of_columns
    assert priced + ends == pytest.approx(found.value)
