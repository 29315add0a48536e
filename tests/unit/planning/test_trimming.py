"""What rows decide of whole columns by themselves."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from equipoise.planning.linear.highs import integer
from equipoise.planning.linear.rows import Rows
from equipoise.planning.linear.trimming import rest_of, trimmed

NO_LEAST, NO_MOST = -np.inf, np.inf


def rows(*of: tuple[list[float], float, float]) -> Rows:
    """Rows as (entries, least, most)."""
    table = np.array([entries for entries, _, _ in of], dtype=float)
    row, column = np.nonzero(table)
    least, most = ([part[k] for part in of] for k in (1, 2))
    return Rows.of(table.shape, least, most, (row, column, table[row, column]))


def test_what_one_row_decides_lets_the_next_decide_more() -> None:
    """x + y = 2 of columns up to 1 makes both 1; y + z ≤ 1 then leaves nothing to z, and no row is open."""
    left = trimmed(rows(([1, 1, 0], 2, 2), ([0, 1, 1], NO_LEAST, 1)), [0, 0, 0], [1, 1, 1], 10)

    assert left is not None
    assert left.lower.tolist() == left.upper.tolist() == [1, 1, 0]
    assert not left.rows.any()


def test_a_row_that_nothing_keeps_is_no_program() -> None:
    """Three columns up to 1 are never 4."""
    assert trimmed(rows(([1, 1, 1], 4, NO_MOST)), [0, 0, 0], [1, 1, 1], 10) is None


def test_a_column_that_has_to_be_half_is_none() -> None:
    """2 x = 1: no whole x."""
    assert trimmed(rows(([2], 1, 1)), [0], [1], 10) is None


def test_rows_of_parts_decide_nothing() -> None:
    """0.5 x ≤ 0.4 would leave x nothing, but parts are not told exactly."""
    left = trimmed(rows(([0.5], NO_LEAST, 0.4)), [0], [1], 10)

    assert left is not None
    assert left.upper.tolist() == [1]
    assert left.rows.all()


@given(st.integers(0, 2**32 - 1))
def test_the_same_least_with_and_without(seed: int) -> None:
    """Random programs: what is left has the same least, or neither has any whole columns."""
    drawn = np.random.default_rng(seed)
    n_rows, n_columns = drawn.integers(1, 5), drawn.integers(1, 7)
    table = drawn.integers(-2, 3, (n_rows, n_columns))
    least = drawn.integers(-3, 3, n_rows)
    most = least + drawn.integers(0, 3, n_rows)
    cost = drawn.integers(-3, 4, n_columns).astype(float)
    lower, upper = np.zeros(n_columns), drawn.integers(0, 3, n_columns)
    asked = rows(*zip(table.tolist(), least.tolist(), most.tolist(), strict=True))

    rest = rest_of(asked, lower, upper, 10)
    expected = integer(cost, asked, lower, upper, exact=True)

    assert rest is not None or expected is None
    if rest is not None:
        found = integer(cost[rest.free], rest.rows, rest.lower, rest.upper, exact=True)
        assert (found is None) == (expected is None)
    if rest is not None and found is not None and expected is not None:
        x = rest.filled(np.round(found.x))
        assert round(float(cost @ x)) == round(expected.value)
        sums = table @ x
        assert np.all((sums >= least) & (sums <= most))
        assert np.all((x >= lower) & (x <= upper))
