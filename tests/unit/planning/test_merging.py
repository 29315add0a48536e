"""Columns that equations of two tie to each other are one, and their prices are those of all."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.unit.planning.programs import rows
from tests.unit.planning.test_warm import proved

from equipoise.planning.linear.highs import linear
from equipoise.planning.linear.merging import Merged, merged
from equipoise.planning.linear.reduction import reduced
from equipoise.planning.linear.rows import Rows

NONE = np.inf


def found(program: Rows, lower: list[float], upper: list[float]) -> Merged:
    """What is left, which is not nothing."""
    left = merged(program, np.array(lower, dtype=float), np.array(upper, dtype=float))
    assert left is not None
    return left


def test_a_replica_that_leaves_decides_what_its_broker_has() -> None:
    """It leaves (1) or the broker has it (2), which is then one too many (3): all three are one column."""
    left = found(rows((1, [1, 1, 0], 1), (0, [0, 1, -1], 0)), [0, 0, 0], [1, 1, 1])
    assert (left.columns.tolist(), left.of.tolist(), left.rows.tolist()) == ([0], [0, 0, 0], [])
    assert left.x(np.array([1.0])).tolist() == [1, 0, 0] and left.x(np.array([0.0])).tolist() == [0, 1, 1]
    # To leave costs 5; that it is there costs 2 and 4: to stay costs 6, and leaving saves one.
    assert left.cost(np.array([5.0, 2.0, 4.0])).tolist() == [-1]


def test_the_tightest_end_is_that_of_all() -> None:
    """Three columns are equal, of which the second may be 1 to 7 and the third 2 to 5."""
    left = found(rows((0, [1, -1, 0], 0), (0, [0, 1, -1], 0)), [0, 1, 2], [9, 7, 5])
    assert (left.lower.tolist(), left.upper.tolist()) == ([2], [5])
    assert [first.tolist() for first in left.first] == [[2], [2]]


def test_who_can_never_be_what_equations_say() -> None:
    """The first column is 6 more than the second, and neither may be more than 3."""
    assert merged(rows((6, [1, -1], 6)), np.zeros(2), np.full(2, 3.0)) is None


def test_entries_that_differ_tie_nothing() -> None:
    """Twice one column is the other: not every end of one is an end of the other. Nor do tenths."""
    for program in (rows((0, [2, -1], 0)), rows((0, [0.1, -0.1], 0)), rows((0, [1, -1], 1))):
        assert found(program, [0, 0], [4, 4]).columns.tolist() == [0, 1]


def test_a_ring_of_equations_has_one_row_more_than_ties() -> None:
    """x = y, y = z and x + z = 4: two equations tie the three columns, the last says what they are."""
    ring = rows((0, [1, -1, 0], 0), (0, [0, 1, -1], 0), (4, [1, 0, 1], 4))
    left = reduced(np.array([1.0, 2.0, 3.0]), ring, np.zeros(3), np.full(3, 9.0))
    assert left is not None and left.rows.table.shape == (1, 1)
    answer = linear(left.cost, left.rows, *left.ends)
    assert answer is not None
    whole = left.filled(answer.x, answer.of_rows, answer.iterations)
    assert (whole.x.tolist(), whole.value) == ([2, 2, 2], 12)
    assert proved(whole, ring, np.array([1.0, 2.0, 3.0]), np.zeros(3), np.full(3, 9.0)) == 12


def test_the_price_of_a_tie_is_paid_by_who_is_at_an_end() -> None:
    """Two columns are equal, and each unit saves 3 and 1: the second ends at 2, and 4 are lost for each."""
    tied, cost = rows((0, [1, -1], 0)), np.array([-3.0, -1.0])
    left = reduced(cost, tied, np.zeros(2), np.array([5.0, 2.0]))
    assert left is not None
    answer = linear(left.cost, left.rows, *left.ends)
    assert answer is not None
    whole = left.filled(answer.x, answer.of_rows, answer.iterations)
    assert (whole.x.tolist(), whole.of_rows.tolist(), whole.of_columns.tolist()) == ([2, 2], [-3], [0, -4])


@settings(max_examples=300, deadline=None)
@given(st.integers(0, 2**31))
@pytest.mark.slow
def test_what_is_left_has_the_optimum_and_the_proof_of_the_whole(seed: int) -> None:
    """Most rows are equations of one, two or three columns around a solution, and many lead in rings."""
    rng = np.random.default_rng(seed)
    n_rows, n_columns = rng.integers(1, 9), rng.integers(1, 8)
    table = np.zeros((n_rows, n_columns), dtype=int)
    for row in table:
        some = rng.choice(n_columns, min(n_columns, rng.integers(1, 4)), replace=False)
        row[some] = rng.choice([-1, 1, 1, 2, -2], len(some), p=[0.4, 0.2, 0.2, 0.1, 0.1])
    lower = rng.integers(-2, 2, n_columns).astype(float)
    upper, cost = lower + rng.integers(0, 4, n_columns), rng.integers(-4, 5, n_columns).astype(float)
    middle = table @ rng.integers(lower, upper + 1)
    wide = rng.random(n_rows) < 0.2
    sides = middle - np.where(wide, rng.integers(0, 3, n_rows), 0), middle + np.where(wide, 1, 0)
    program = rows(*zip(sides[0], table.tolist(), sides[1], strict=True))
    left, wanted = reduced(cost, program, lower, upper), linear(cost, program, lower, upper)
    assert left is not None and wanted is not None
    answer = linear(left.cost, left.rows, *left.ends)
    assert answer is not None
    whole = left.filled(answer.x, answer.of_rows, answer.iterations)
    assert whole.value == whole.least == pytest.approx(wanted.value, abs=1e-6)
    assert (whole.x >= lower - 1e-6).all() and (whole.x <= upper + 1e-6).all()
    sums = table @ whole.x
    assert (program.least - 1e-6 <= sums).all() and (sums <= program.most + 1e-6).all()
    assert proved(whole, program, cost, lower, upper) == pytest.approx(whole.value, abs=1e-5)
