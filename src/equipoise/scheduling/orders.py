"""Rows in the order in which they are admitted, and in the order in which waves are cut from them."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from equipoise.cluster import Plan
from equipoise.scheduling.copies import Copies
from equipoise.scheduling.result import FloatArray, RowArray


def admission(plan: Plan, copies: Copies, start: FloatArray, blocked: dict[int, str]) -> RowArray:
    """Rows by the start of their first copy; those without a copy first, those to be created nowhere.

    ``start`` is ``(n_copies,)``, NaN for copies that found no moment: their rows go last.
    """
    rows = plan.changed[plan.cluster.rf[plan.changed] > 0]
    rows = rows[~np.isin(rows, list(blocked))] if blocked else rows
    first = first_start(copies, start, plan.cluster.n_partitions)
    return rows[np.argsort(first[rows], kind="stable")]


def batched(rows: RowArray, plan: Plan) -> list[RowArray]:
    """``rows`` batch by batch, in their order within each; one part where the plan has no batches."""
    if plan.batch is None:
        return [rows]
    # Stable, so that rows of a batch stay in the order of admission.
    rows = rows[np.argsort(plan.batch[rows], kind="stable")]
    return np.split(rows, np.flatnonzero(np.diff(plan.batch[rows])) + 1)


def first_start(copies: Copies, start: FloatArray, n_partitions: int) -> FloatArray:
    """``(n_partitions,)``: when the first copy of each row starts, -1 for rows without copies."""
    first = np.full(n_partitions, -1.0)
    first[copies.row] = np.inf
    np.minimum.at(first, copies.row, np.nan_to_num(start, nan=np.inf))
    return first


def by_size(
    order: RowArray, copies: Copies, mends: npt.NDArray[np.bool_], start_of: Callable[[Copies], FloatArray]
) -> RowArray:
    """``order`` with partitions of like size together, large ones first after those without copies.

    A wave lasts as long as its busiest link, so one large partition among small ones would leave
    all other links idle. Sizes within a factor of 4 are alike; ``start_of`` gives each such class a
    list schedule of its own, so that its waves load all links evenly. Rows in ``mends``
    ``(n_partitions,)`` keep going before the others.
    """
    n = len(mends)
    size = np.zeros(n)
    # Half a logarithm to base 2 counts fourfold sizes; 0 is left to rows without copies.
    size[copies.row] = np.floor(np.log2(np.maximum(copies.amount, 1.0)) / 2) + 1
    size[copies.row] += 64 * mends[copies.row]  # above every class of 64-bit sizes
    classes = np.unique(size[copies.row])[::-1]
    if len(classes) < 2:
        return order
    result = [order[size[order] == 0]]
    for one in classes:
        some = copies.only(size[copies.row] == one)
        rows = order[size[order] == one]
        result.append(rows[np.argsort(first_start(some, start_of(some), n)[rows], kind="stable")])
    return np.concatenate(result)
