"""A linear program that begins where its optimum is likely: at a plan that is known."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from equipoise.planning.linear.highs import Answer, solved
from equipoise.planning.linear.reduction import reduced
from equipoise.planning.linear.rows import Float64, Rows


def begun_near(cost: Float64, rows: Rows, ends: tuple[Float64, Float64], near: Float64) -> Answer | None:
    """The optimum by the simplex method, from where columns are ``near``; None if none was found.

    All but the rows ``(n_columns,)``; ``near`` is within the ``ends``, lower and upper of each column.
    """
    left = reduced(cost, rows, *ends)
    if left is None:
        return None
    begun = np.clip(near[left.columns], *left.ends)
    found = counted_from(left.cost, left.rows, left.ends, begun)
    return None if found is None else left.filled(found)


def counted_from(cost: Float64, rows: Rows, ends: tuple[Float64, Float64], start: Float64) -> Answer | None:
    """As `begun_near`, from a ``start``, with all columns and rows.

    HiGHS begins with every column at its lower end, and SciPy cannot tell it another beginning. So columns
    are counted up or down from where they are; what may do both is there twice. If that is a plan all rows
    are kept there, and what is left is how the best differs from it: half of the iterations or fewer.
    Beside what is decided before, presolve would find little there, for a third of the time.
    """
    lower, upper = ends
    up, down = np.flatnonzero(start < upper), np.flatnonzero(start > lower)
    column, turn = np.concatenate([up, down]), np.repeat([1.0, -1.0], [len(up), len(down)])
    table = rows.table[:, column]
    table.data *= turn[table.indices]
    used = rows.table @ start
    left = Rows(table, rows.least - used, rows.most - used)
    widths = np.concatenate([(upper - start)[up], (start - lower)[down]])
    found = solved(cost[column] * turn, left, (np.zeros(len(column)), widths), presolve=False)
    if found is None:
        return None
    x, paid = start.copy(), float(cost @ start)
    np.add.at(x, column, turn * found.x)
    of_columns = cost - rows.table.T @ found.of_rows
    return replace(found, x=x, value=found.value + paid, least=found.least + paid, of_columns=of_columns)
