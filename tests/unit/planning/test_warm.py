"""Linear programs that go on from where the last one ended: the optima that HiGHS finds anew."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from ortools.linear_solver import pywraplp
from tests.unit.planning.programs import rows

from equipoise.planning.linear.highs import Answer, linear
from equipoise.planning.linear.rows import Rows
from equipoise.planning.linear.warm import MOST, WarmProgram

NONE = np.inf


def drawn(seed: int) -> tuple[np.ndarray, Rows, np.ndarray, np.ndarray]:
    """A program of some columns and rows, some of them without one of their sides."""
    rng = np.random.default_rng(seed)
    n_rows, n_columns = rng.integers(1, 6, 2)
    table = rng.integers(-3, 4, (n_rows, n_columns)) * (rng.random((n_rows, n_columns)) < 0.7)
    middle = table @ rng.integers(0, 5, n_columns)
    least, most = middle - rng.integers(0, 3, n_rows), middle + rng.integers(0, 3, n_rows)
    least, most = (
        np.where(rng.random(n_rows) < 0.3, end, side) for end, side in ((-NONE, least), (NONE, most))
    )
    each = [(one, row.tolist(), two) for one, row, two in zip(least, table, most, strict=True)]
    upper = np.full(n_columns, 6.0)
    return rng.integers(-4, 5, n_columns).astype(float), rows(*each), np.zeros(n_columns), upper


def proved(found: Answer, table: Rows, cost: np.ndarray, lower: np.ndarray, upper: np.ndarray) -> float:
    """What its prices of rows say that no columns cost less than."""
    price, pull = found.of_rows, found.of_columns
    assert np.allclose(pull, cost - table.table.T @ price)
    total = 0.0
    for paid, least, most in ((price, table.least, table.most), (pull, lower, upper)):
        some = abs(paid) > 1e-7
        total += float(paid[some] @ np.where(paid > 0, least, most)[some])
    return total


@settings(max_examples=200, deadline=None)
@given(st.integers(0, 2**31), st.booleans())
@pytest.mark.slow
def test_each_optimum_is_that_of_a_program_begun_anew(seed: int, by_highs: bool) -> None:
    """Whatever ends the columns had before, with prices that prove it; and none where there is none.

    Whichever of the two solvers is asked.
    """
    cost, table, lower, upper = drawn(seed)
    warm, rng = WarmProgram(cost, table, lower, upper), np.random.default_rng(seed)
    asked = warm.by_highs if by_highs else warm.optimum
    for _ in range(6):
        ends = np.sort(rng.integers(0, 7, (2, len(cost))).astype(float), axis=0)
        found, wanted = asked(*ends), linear(cost, table, *ends)
        assert (found is None) == (wanted is None)
        if found is None or wanted is None:
            continue
        assert found.value == found.least == pytest.approx(wanted.value, abs=1e-6)
        assert (ends[0] - 1e-6 <= found.x).all() and (found.x <= ends[1] + 1e-6).all()
        sums = table.table @ found.x
        assert (table.least - 1e-6 <= sums).all() and (sums <= table.most + 1e-6).all()
        assert proved(found, table, cost, *ends) == pytest.approx(found.value, abs=1e-5)


def small() -> WarmProgram:
    """x + y = 5, where y costs more."""
    return WarmProgram(np.array([1.0, 3.0]), rows((5, [1, 1], 5)), np.zeros(2), np.full(2, 9.0))


def test_what_it_cannot_solve_is_asked_of_highs(monkeypatch: pytest.MonkeyPatch) -> None:
    """Numbers that are too far apart for one solver need not be so for the other."""
    warm, calls = small(), []
    monkeypatch.setattr(pywraplp.Solver, "Solve", lambda _: calls.append(1) or pywraplp.Solver.ABNORMAL)
    monkeypatch.setattr(pywraplp.Solver, "iterations", lambda _: 0)  # any number before it solved
    for k in range(1, 4):
        found = warm.optimum(np.array([0.0, 1.0]), np.full(2, 9.0))
        assert found is not None and (found.x.tolist(), found.value, len(calls)) == ([4, 1], 7, k)


def test_where_it_comes_to_no_end_it_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Once begun anew, and not asked any more after the second time: each takes as long as thousands do."""
    warm, calls = small(), []
    monkeypatch.setattr(pywraplp.Solver, "Solve", lambda _: calls.append(1) or pywraplp.Solver.FEASIBLE)
    monkeypatch.setattr(pywraplp.Solver, "iterations", lambda _: MOST)
    for least in range(4):
        found = warm.optimum(np.array([0.0, least]), np.full(2, 9.0))
        assert found is not None and found.value == 5 + 2 * least
    assert len(calls) == 2
