"""Linear programs that begin near their optimum and get more columns and rows: the optima of others."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.unit.planning.programs import begun_near, rows
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
    growing = GrowingProgram(is_whole=False)
    found = growing.optimum(cost, kept, ends, np.array([3.0, 3.0]), (ways, brokers))
    assert found is not None and found.value == 3 * (1 + 2)

    kept, cost, ends, ways = sources(stock, [(0, 2), (0, 1), (1, 2)])
    found = growing.optimum(cost, kept, ends, np.zeros(3), (np.array([7, 0, 1]), brokers))
    assert found is not None and found.value == 3
    assert found.x.tolist() == [3, 0, 0]


def test_too_few_iterations_give_nothing() -> None:
    """What was found in them is no optimum, and its prices say nothing."""
    stock, brokers = [5, 4, 4, -3, -4, -6], np.arange(6)
    kept, cost, ends, ways = sources(stock, [(k, to) for k in range(3) for to in range(3, 6)])
    for is_whole in (False, True):
        growing, near = GrowingProgram(is_whole=is_whole), np.zeros(9)
        assert growing.optimum(cost, kept, ends, near, (ways, brokers), 0) is None
        assert growing.optimum(cost, kept, ends, near, (ways, brokers), 100) is not None


def test_rows_that_cannot_be_kept_have_no_optimum() -> None:
    """Nobody takes what the first broker has to give."""
    kept, cost, ends, ways = sources([1, 0], [(0, 1)])
    for is_whole in (False, True):
        growing = GrowingProgram(is_whole=is_whole)
        assert growing.optimum(cost, kept, ends, np.zeros(1), (ways, np.arange(2))) is None


@settings(max_examples=300, deadline=None)
@given(st.integers(0, 2**31))
@pytest.mark.slow
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
    growing = GrowingProgram(is_whole=bool(rng.random() < 0.5))
    for _ in range(4):
        columns, some = np.flatnonzero(shown), np.flatnonzero(there)
        if len(columns) and len(some):
            sides = zip(least[some], table[np.ix_(some, columns)].tolist(), most[some], strict=True)
            asked, ends, costs = rows(*sides), (np.zeros(len(columns)), upper[columns]), cost[columns]
            names = 100 + columns, 100 + some
            found = growing.optimum(costs, asked, ends, near[columns], names)
            wanted = linear(costs, asked, *ends)
            assert found is not None and wanted is not None
            assert found.value == found.least == pytest.approx(wanted.value, abs=1e-6)
            assert (found.x >= -1e-6).all() and (found.x <= ends[1] + 1e-6).all()
            sums = asked.table @ found.x
            assert (asked.least - 1e-6 <= sums).all() and (sums <= asked.most + 1e-6).all()
            assert proved(found, asked, costs, *ends) == pytest.approx(found.value, abs=1e-5)
        shown, there = shown | (rng.random(n_columns) < 0.4), there | (rng.random(n_rows) < 0.3)


@pytest.mark.parametrize("is_whole", [True, False])
def test_what_is_asked_again_is_there_already(is_whole: bool) -> None:
    """The corner of the first time is the optimum of the second, also beside a column that costs too much."""
    rng = np.random.default_rng(3)
    n_rows, n_columns = 20, 40
    table = rng.integers(-2, 3, (n_rows, n_columns)) * (rng.random((n_rows, n_columns)) < 0.3)
    cost, upper = rng.integers(-4, 5, n_columns).astype(float), rng.integers(1, 4, n_columns).astype(float)
    near = np.floor(upper / 2) * (np.arange(n_columns) < n_columns - 1)
    middle = table @ near
    growing, taken, cost[-1] = GrowingProgram(is_whole=is_whole), [], 1_000.0
    for some in (n_columns - 1, n_columns - 1, n_columns):
        sides = zip(middle - 1, table[:, :some].tolist(), middle + 1, strict=True)
        ends, names = (np.zeros(some), upper[:some]), (np.arange(some), np.arange(n_rows))
        found = growing.optimum(cost[:some], rows(*sides), ends, near[:some], names)
        assert found is not None
        taken.append(found.iterations)
    assert taken[0] > 10 and taken[1:] == [0, 0]


@settings(max_examples=200)
@given(st.data())
@pytest.mark.slow
def test_where_the_solver_begins_changes_no_optimum(data: st.DataObject) -> None:
    """At an end of each column or between, at a plan or not: values and prices prove the same."""
    n_columns, n_rows = data.draw(st.integers(1, 6)), data.draw(st.integers(1, 5))

    def some(n: int, least: int, most: int) -> npt.NDArray[np.int64]:
        return np.array(data.draw(st.lists(st.integers(least, most), min_size=n, max_size=n)), dtype=np.int64)

    table = some(n_rows * n_columns, -2, 2).reshape(n_rows, n_columns)
    lower = some(n_columns, -2, 2)
    upper = lower + some(n_columns, 0, 4)
    kept = table @ np.clip(some(n_columns, -2, 6), lower, upper)
    sides = zip(kept - some(n_rows, 0, 2), table.tolist(), kept + some(n_rows, 0, 2), strict=True)
    program, cost = rows(*((float(a), row, float(b)) for a, row, b in sides)), some(n_columns, -3, 3)
    near = np.clip(some(n_columns, -2, 6), lower, upper)
    costs, ends = cost.astype(float), (lower.astype(float), upper.astype(float))
    plain, begun = linear(costs, program, *ends), begun_near(costs, program, ends, near.astype(float))
    assert plain is not None and begun is not None and begun.value == pytest.approx(plain.value)
    assert begun.x @ cost == pytest.approx(begun.value)
    assert np.all(begun.x >= lower - 1e-6) and np.all(begun.x <= upper + 1e-6)
    assert np.all(table @ begun.x >= program.least - 1e-6) and np.all(table @ begun.x <= program.most + 1e-6)
    # Whatever keeps to the rows and ends costs at least what the prices say.
    priced = np.where(begun.of_rows > 0, program.least, program.most) @ begun.of_rows
    pulled = np.where(begun.of_columns > 0, lower, upper) @ begun.of_columns
    assert priced + pulled == pytest.approx(plain.value)


def test_a_beginning_at_the_optimum_needs_fewer_iterations() -> None:
    """Thirty replicas on three brokers, each where it is cheapest already; brokers have room to spare."""
    cost = np.random.default_rng(1).permuted(np.tile([0.0, 1, 2], (30, 1)), axis=1)
    replica, broker = np.divmod(np.arange(90), 3)
    where = Rows.of((33, 90), np.r_[np.ones(30), np.full(3, 5.0)], np.r_[np.ones(30), np.full(3, 20.0)],
                    (replica, np.arange(90), 1), (30 + broker, np.arange(90), 1))  # fmt: skip
    costs, ends = cost.ravel(), (np.zeros(90), np.ones(90))
    plain, begun = linear(costs, where, *ends), begun_near(costs, where, ends, (costs == 0).astype(float))
    assert plain is not None and begun is not None and plain.value == begun.value == 0
    assert begun.iterations < plain.iterations


@pytest.mark.slow
@pytest.mark.parametrize("before", ["", "from scipy.optimize import linprog\n"])
def test_the_binding_is_loaded_once_and_without_what_is_around_it(before: str) -> None:
    """All of `scipy.optimize` takes longer to load than most programs; where it is there, it has the same."""
    code = f"""{before}import sys
from equipoise.planning.linear.growing import GrowingProgram
assert ("scipy.optimize" in sys.modules) == {bool(before)}
from equipoise.planning.linear.binding import highs
from scipy.optimize import linprog
from scipy.optimize._highspy import _core
assert _core is highs and linprog([1, 2], A_ub=[[-1, -1]], b_ub=[-1]).fun == 1
"""
    subprocess.run([sys.executable, "-c", code], check=True)
