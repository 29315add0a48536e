"""HiGHS behind its one door: prices of rows, whole columns, what cannot be kept, limits."""

from __future__ import annotations

import os
import re
import subprocess
import sys

import numpy as np
import pytest
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
def test_rows_whose_sides_meet_are_equations(simplex: bool) -> None:
    """Their price is that of whichever side binds."""
    found = linear([1, 2], rows((3, [1, 1], 3), (2, [1, -1], 2)), [0, 0], [9, 9], simplex=simplex)
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
    """There is nothing to ask the solver."""
    for solve in (linear, integer):
        found = solve([], Rows.of((1, 0), 0, 1, ([], [], [])), [], [])
        assert found is not None and (found.value, found.x.tolist(), found.of_rows.tolist()) == (0, [], [0])
        assert solve([], Rows.of((1, 0), 1, 1, ([], [], [])), [], []) is None


def test_seconds_that_are_over_are_said() -> None:
    """What was found until then is not taken for the best."""
    rng = np.random.default_rng(1)
    many = rng.integers(1, 99, (40, 120)).astype(float)
    half = np.floor(many.sum(axis=1) / 2)
    hard = rows(*((float(h), list(row), float(h)) for row, h in zip(many, half, strict=True)))
    with pytest.raises(OutOfTime):
        integer(np.ones(120), hard, 0, 1, seconds=0.0)


@pytest.mark.slow
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


@pytest.mark.slow
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
    """Who else takes SciPy's functions, or the binding below them, calls it in a way of its own."""
    from pathlib import Path

    source = Path(highs.__file__).parents[2]
    solver = re.compile(r"\b(linprog|milp|highspy|_highspy)\b")
    known = [
        path.relative_to(source).as_posix()
        for path in source.rglob("*.py")
        if solver.search(path.read_text(encoding="utf-8"))
    ]
    assert known == ["planning/linear/binding.py"]
