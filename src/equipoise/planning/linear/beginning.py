"""A linear program that begins where its optimum is likely: at a plan that is known."""

from __future__ import annotations

import numpy as np

from equipoise.planning.linear.highs import Answer, linear
from equipoise.planning.linear.reduction import reduced
from equipoise.planning.linear.rows import Float64, Rows


def begun_near(cost: Float64, rows: Rows, ends: tuple[Float64, Float64], near: Float64) -> Answer | None:
    """The optimum by the simplex method, from where columns are ``near``; None if none was found.

    All but the rows ``(n_columns,)``; ``near`` is within the ``ends``, lower and upper of each column.

    HiGHS begins with every column at its lower end, and SciPy cannot tell it another beginning. So columns
    are counted up or down from where they are; what may do both is there twice. If that is a plan all rows
    are kept there, and what is left is how the best differs from it: half of the iterations or fewer.
    Beside what is decided before, presolve would find little there, for a third of the time.
    """
    left = reduced(cost, rows, *ends)
    if left is None:
        return None
    lower, upper = left.ends
    x = np.clip(near[left.columns], lower, upper)
    up, down = np.flatnonzero(x < upper), np.flatnonzero(x > lower)
    column, turn = np.concatenate([up, down]), np.repeat([1.0, -1.0], [len(up), len(down)])
    table = left.rows.table[:, column]
    table.data *= turn[table.indices]
    used = left.rows.table @ x
    sides, widths = (left.rows.least - used, left.rows.most - used), ((upper - x)[up], (x - lower)[down])
    found = linear(left.cost[column] * turn, Rows(table, *sides), 0, np.concatenate(widths), presolve=False)
    if found is None:
        return None
    np.add.at(x, column, turn * found.x)
    return left.filled(x, found.of_rows, found.iterations)
