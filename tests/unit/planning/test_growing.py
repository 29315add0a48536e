"""Linear programs that get more columns and rows: the optima of programs that are begun anew."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.unit.planning.programs import rows
from tests.unit.planning.test_warm import proved

from equipoise.planning.linear.growing import GrowingProgram
from equipoise.planning.linear.highs import linear
from equipoise.planning.linear.rows import Rows

NONE = np.inf
Ends = tuple[np.ndarray, np.ndarray]


def sources(stock: list[int], ways: list[tuple[int, int]]) -> tuple[Rows, np.ndarray, Ends, np.ndarray]:
    """Units that leave brokers with too many for those with too few; a way costs its number and one more.

    ``stock``: what each broker has to give, or to get where it is below 0; ``ways``: from one to another.
    """
    table = np.zeros((len(stock), len(ways)), dtype=int)
    for k, (one, other) in enumerate(ways):
        table[one, k], table[other, k] = 1, -1
    kept = rows(*((has, row.tolist(), has) for has, row in zip(stock, table, strict=True)))
    ends = np.zeros(len(ways)), np.full(len(ways), 9.0)
    return kept, np.arange(1.0, len(ways) + 1), ends, np.arange(len(ways))


def test_a_new_way_is_taken_where_it_is_cheaper() -> None:
    """Three units by a long way; then a short one is there, and the optimum goes by that."""
    stock, brokers = [3, 0, -3], np.arange(3)
    kept, cost, ends, ways = sources(stock, [(0, 1), (1, 2)])
    growing = GrowingProgram((ways, brokers), np.array([3.0, 3.0]), ends)
    found = growing.optimum(cost, kept, ends, (ways, brokers), None)
    assert found is not None and found.value == 3 * (1 + 2)

    kept, cost, ends, ways = sources(stock, [(0, 2), (0, 1), (1, 2)])
    found = growing.optimum(cost, kept, ends, (np.array([7, 0, 1]), brokers), None)
    assert found is not None and found.value == 3
    assert found.x.tolist() == [3, 0, 0]


def test_too_few_iterations_give_nothing() -> None:
    """What was found in them is no optimum, and its prices say nothing."""
    stock, brokers = [5, 4, 4, -3, -4, -6], np.arange(6)
    kept, cost, ends, ways = sources(stock, [(k, to) for k in range(3) for to in range(3, 6)])
    growing = GrowingProgram((ways, brokers), np.zeros(9), ends)
    assert growing.optimum(cost, kept, ends, (ways, brokers), 0) is None
    assert growing.optimum(cost, kept, ends, (ways, brokers), 100) is not None


def test_rows_that_cannot_be_kept_have_no_optimum() -> None:
    """Nobody takes what the first broker has to give."""
    kept, cost, ends, ways = sources([1, 0], [(0, 1)])
    growing = GrowingProgram((ways, np.arange(2)), np.zeros(1), ends)
    assert growing.optimum(cost, kept, ends, (ways, np.arange(2)), None) is None


@settings(max_examples=300, deadline=None)
@given(st.integers(0, 2**31))
def test_each_optimum_is_that_of_a_program_begun_anew(seed: int) -> None:
    """Columns and rows come in any number and anywhere among the others, with prices that prove the optimum.

    What is known keeps all rows, at ends of columns or between them, and new columns are at 0.
    """
    rng = np.random.default_rng(seed)
    n_rows, n_columns = rng.integers(1, 8), rng.integers(1, 10)
    table = rng.integers(-2, 3, (n_rows, n_columns)) * (rng.random((n_rows, n_columns)) < 0.6)
    upper, cost = rng.integers(1, 4, n_columns).astype(float), rng.integers(-4, 5, n_columns).astype(float)
    near = np.where(rng.random(n_columns) < 0.5, 0.0, upper)
    if rng.random() < 0.5:
        near = np.minimum(near, rng.integers(0, 4, n_columns))
    known = rng.random(n_columns) < 0.4
    near[~known] = 0
    middle = table @ near
    least = np.where(rng.random(n_rows) < 0.3, -NONE, middle - rng.integers(0, 2, n_rows))
    most = np.where(rng.random(n_rows) < 0.3, NONE, middle + rng.integers(0, 2, n_rows))
    shown, there = known | (rng.random(n_columns) < 0.3), rng.random(n_rows) < 0.6
    growing = None
    for _ in range(4):
        columns, some = np.flatnonzero(shown), np.flatnonzero(there)
        if len(columns) and len(some):
            sides = zip(least[some], table[np.ix_(some, columns)].tolist(), most[some], strict=True)
            asked, ends, costs = rows(*sides), (np.zeros(len(columns)), upper[columns]), cost[columns]
            names = 100 + columns, 100 + some
            growing = growing or GrowingProgram(names, near[columns], ends)
            found, wanted = growing.optimum(costs, asked, ends, names, None), linear(costs, asked, *ends)
            assert found is not None and wanted is not None
            assert found.value == found.least == pytest.approx(wanted.value, abs=1e-6)
            assert (found.x >= -1e-6).all() and (found.x <= ends[1] + 1e-6).all()
            sums = asked.table @ found.x
            assert (asked.least - 1e-6 <= sums).all() and (sums <= asked.most + 1e-6).all()
            assert proved(found, asked, costs, *ends) == pytest.approx(found.value, abs=1e-5)
        shown, there = shown | (rng.random(n_columns) < 0.4), there | (rng.random(n_rows) < 0.3)
