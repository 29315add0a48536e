"""A linear program that begins at a plan: the same optimum, sooner."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.unit.planning.programs import rows

from equipoise.planning.linear.beginning import begun_near
from equipoise.planning.linear.highs import linear
from equipoise.planning.linear.rows import Rows


@settings(max_examples=200)
@given(st.data())
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
