"""HiGHS behind its one door: prices of rows, whole columns, what cannot be kept, limits."""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.unit.planning.programs import rows

from equipoise.planning.linear import highs
from equipoise.planning.linear.highs import OutOfTime, integer, linear
from equipoise.planning.linear.rows import Rows

NONE = np.inf


def test_prices_say_what_a_unit_more_of_a_row_would_cost() -> None:
    """x + y = 5, x at most 2, y at least 1: x is the cheap one, so a unit of room for x saves 2."""
    found = linear([1, 3], rows((5, [1, 1], 5), (-NONE, [1, 0], 2), (1, [0, 1], NONE)), 0, [9, 9])
    assert found is not None
    assert found.x.tolist() == [2, 3] and found.value == found.least == 11
    assert found.of_rows.tolist() == [3, -2, 0]


def test_columns_at_their_bounds_have_prices() -> None:
    """Nothing but its bound keeps x at 4, and nothing is lost by another row."""
    found = linear([-2], rows((-NONE, [1], 9)), 0, [4])
    assert found is not None
    assert (found.x.tolist(), found.of_columns.tolist(), found.of_rows.tolist()) == ([4], [-2], [0])


@pytest.mark.parametrize("simplex", [True, False])
def test_rows_whose_sides_meet_are_equations_or_two_sides(simplex: bool) -> None:
    """As equations or not, the optimum is the same, and so is the price of both sides together."""
    both = rows((3, [1, 1], 3), (2, [1, -1], 2))
    for n_equal in (None, 2, 1, 0):
        found = linear([1, 2], both, [0, 0], [9, 9], simplex=simplex, n_equal=n_equal)
        assert found is not None
        assert found.x == pytest.approx([2.5, 0.5]) and found.of_rows == pytest.approx([1.5, -0.5])


def test_rows_that_contradict_each_other_have_no_answer() -> None:
    """Neither for a linear program nor for whole columns."""
    contradict = rows((1, [1], NONE), (-NONE, [1], 0))
    assert linear([1], contradict, 0, [1]) is None and integer([1], contradict, 0, [1]) is None
    half = rows((1, [2], 1))
    assert integer([1], half, 0, [1]) is None
    found = integer([1], half, 0, [1], integral=False)
    assert found is not None and found.x.tolist() == [0.5]


def test_without_columns_the_rows_alone_decide() -> None:
    """SciPy takes no such program."""
    for solve in (linear, integer):
        found = solve([], Rows.of((1, 0), 0, 1, ([], [], [])), [], [])
        assert found is not None and (found.value, found.x.tolist(), found.of_rows.tolist()) == (0, [], [0])
        assert solve([], Rows.of((1, 0), 1, 1, ([], [], [])), [], []) is None


def test_a_limit_of_iterations_leaves_no_answer() -> None:
    """It is counted, so it is the same on every machine."""
    several = rows((7, [1, 2, 1, 3], NONE), (6, [2, 1, 3, 1], NONE), (5, [1, 3, 2, 1], NONE))
    for near in (None, [1, 1, 1, 1]):
        assert linear([4, 3, 2, 1], several, 0, [4, 4, 4, 4], near=near, iterations=0) is None
        assert linear([4, 3, 2, 1], several, 0, [4, 4, 4, 4], near=near) is not None


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
    plain, begun = (linear(cost, program, lower, upper, near=where) for where in (None, near))
    assert plain is not None and begun is not None and begun.value == pytest.approx(plain.value)
    assert begun.x @ cost == pytest.approx(begun.value)
    assert np.all(begun.x >= lower - 1e-6) and np.all(begun.x <= upper + 1e-6)
    assert np.all(table @ begun.x >= program.least - 1e-6) and np.all(table @ begun.x <= program.most + 1e-6)
    # Whatever keeps to the rows and ends costs at least what the prices say.
    priced = np.where(begun.of_rows > 0, program.least, program.most) @ begun.of_rows
    ends = np.where(begun.of_columns > 0, lower, upper) @ begun.of_columns
    assert priced + ends == pytest.approx(plain.value)


def test_a_beginning_at_the_optimum_needs_fewer_iterations() -> None:
    """Thirty replicas on three brokers, each where it is cheapest already; brokers have room to spare."""
    cost = np.random.default_rng(1).permuted(np.tile([0.0, 1, 2], (30, 1)), axis=1)
    replica, broker = np.divmod(np.arange(90), 3)
    where = Rows.of((33, 90), np.r_[np.ones(30), np.full(3, 5.0)], np.r_[np.ones(30), np.full(3, 20.0)],
                    (replica, np.arange(90), 1), (30 + broker, np.arange(90), 1))  # fmt: skip
    plain, begun = (linear(cost.ravel(), where, 0, 1, near=near) for near in (None, (cost == 0).ravel()))
    assert plain is not None and begun is not None and plain.value == begun.value == 0
    assert begun.iterations < plain.iterations


def test_seconds_that_are_over_are_said() -> None:
    """What was found until then is not taken for the best."""
    rng = np.random.default_rng(1)
    many = rng.integers(1, 99, (40, 120)).astype(float)
    half = np.floor(many.sum(axis=1) / 2)
    hard = rows(*((float(h), list(row), float(h)) for row, h in zip(many, half, strict=True)))
    with pytest.raises(OutOfTime):
        integer(np.ones(120), hard, 0, 1, seconds=0.0)


def test_a_line_of_the_solvers_own_does_not_reach_standard_output() -> None:
    """It would stand in the middle of what ``--json`` prints."""
    code = (
        "import os; from equipoise.planning.linear import highs\n"
        "print('before', end=' ')\n"
        "with highs.silent(): os.write(1, b'debug')\n"
        "print('after')"
    )
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert done.stdout == "before after\n"


def test_where_standard_output_is_closed_programs_are_solved_all_the_same() -> None:
    """As `equipoise plan >&-` has it."""
    code = (
        "from equipoise.planning.linear.highs import integer\n"
        "from equipoise.planning.linear.rows import Rows\n"
        "found = integer([1], Rows.of((1, 1), 1, 2, ([0], [0], 1)), 0, [5])\n"
        "import sys; sys.exit(40 + int(found.x[0]))"
    )
    command = ["sh", "-c", 'exec "$0" -c "$1" >&-', sys.executable, code]
    assert subprocess.run(command, check=False, env=dict(os.environ)).returncode == 41


def test_the_room_is_the_only_one_that_knows_the_solver() -> None:
    """Who else imports `linprog` or `milp` calls it in a way of its own."""
    from pathlib import Path

    source = Path(highs.__file__).parents[2]
    known = [
        path.relative_to(source).as_posix()
        for path in source.rglob("*.py")
        if {"linprog", "milp", "highspy"} & set(path.read_text(encoding="utf-8").replace(",", " ").split())
    ]
    assert known == ["planning/linear/highs.py"]
