"""A linear program by HiGHS: its optimum, the prices of its conditions, and a whole solution nearby."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.optimize import Bounds, LinearConstraint, linprog
from scipy.sparse import csr_array, vstack

from equipoise.planning.flow.network import Int32, Int64
from equipoise.planning.programs.highs import best_whole

Float64 = npt.NDArray[np.float64]
BoolArray = npt.NDArray[np.bool_]
MAX_NODES = 20
"""Of the search tree over what is not whole: if that is not settled almost at once, nothing is."""
WHOLE = 1e-6
NOISE = 1e-12
"""What floating point may be off, as a part of a value: bytes are counted in large numbers."""
OTHERS = 2
"""Optima that are looked at beside the first."""
FINER, TENTH = 100_000, 10_000
"""A unit of cost, and the most that a column costs more or less to tell optima apart."""


def split_of(x: Float64) -> BoolArray:
    """The columns that are not whole."""
    split: BoolArray = np.abs(x - np.round(x)) > WHOLE
    return split


@dataclass(frozen=True, eq=False)
class Conditions:
    """``least <= table @ x <= most``."""

    table: csr_array
    """``(n_conditions, n_columns)``."""
    least: Float64
    most: Float64

    @classmethod
    def of(
        cls,
        shape: tuple[int, int],
        least: npt.ArrayLike,
        most: npt.ArrayLike,
        *entries: tuple[Int64 | Int32, Int64, Int64 | Float64 | int],
    ) -> Conditions:
        """From entries (rows, columns, value), where one value is that of all places."""
        row, column = (np.concatenate([np.asarray(entry[k]) for entry in entries]) for k in (0, 1))
        value = np.concatenate([np.broadcast_to(np.float64(value), len(rows)) for rows, _, value in entries])
        sides = (np.broadcast_to(np.asarray(side, dtype=np.float64), shape[:1]) for side in (least, most))
        return cls(csr_array((value, (row, column)), shape=shape), *sides)

    def left(self, some: Int64, kept: Float64) -> Conditions:
        """Those of some columns, where others have what is ``kept``, ``(n_columns,)``."""
        used = self.table @ kept
        return Conditions(self.table[:, some], self.least - used, self.most - used)


@dataclass(frozen=True, eq=False)
class Relaxed:
    """An optimum of a linear program, and what a unit more would cost of each condition."""

    x: Float64
    """``(n_columns,)``."""
    of_equal: Float64
    """``(n_conditions,)``, as ``of_bounded``."""
    of_bounded: Float64
    value: float
    """Of the optimum."""
    of_columns: Float64
    """``(n_columns,)``: what a unit more of each would cost, all conditions kept."""
    iterations: int

    @property
    def least(self) -> int:
        """No whole solution costs less."""
        return int(np.ceil(self.value - max(WHOLE, NOISE * abs(self.value))))


@dataclass(frozen=True, eq=False)
class Program:
    """Columns between 0 and 1, or wider; the first ``n_flows`` decide all others."""

    part: int
    """What costs are divided by for the solver."""
    cost: Int64
    """``(n_columns,)`` as ``lower`` and ``upper``."""
    lower: Int64
    upper: Int64
    n_flows: int
    equal: Conditions
    """With ``least`` and ``most`` the same."""
    bounded: Conditions

    def relaxed(self, *, simplex: bool, presolve: bool, iterations: int | None = None) -> Relaxed | None:
        """The optimum of the linear program; None if none was found, in ``iterations`` if those are given.

        Where all columns are there at once, with convex costs in steps, presolve can make the simplex method
        ten times as slow; of programs that grow it takes less with it. Where no costs are convex, an interior
        point, and from there to a corner, is what never takes long.
        """
        if not len(self.cost):  # SciPy takes no program without columns
            none, equal, bounded = (np.zeros(n) for n in (0, len(self.equal.most), len(self.bounded.most)))
            return Relaxed(none, equal, bounded, 0.0, none, 0)
        above, below = (np.flatnonzero(np.isfinite(side)) for side in (self.bounded.most, self.bounded.least))
        table = vstack([self.bounded.table[above], -self.bounded.table[below]])
        room = np.concatenate([self.bounded.most[above], -self.bounded.least[below]])
        columns = np.column_stack([self.lower, self.upper])
        found = linprog(
            self.cost / self.part,
            table,
            room,
            self.equal.table,
            self.equal.most,
            bounds=columns,
            method="highs-ds" if simplex else "highs-ipm",
            options={"presolve": presolve, "maxiter": iterations},
        )
        if found.status:
            return None
        price = np.zeros(len(self.bounded.most))
        np.add.at(price, above, found.ineqlin.marginals[: len(above)])
        np.subtract.at(price, below, found.ineqlin.marginals[len(above) :])
        of_columns = found.lower.marginals + found.upper.marginals
        part = self.part
        value, of_equal = float(found.fun) * part, found.eqlin.marginals * part
        return Relaxed(found.x, of_equal, price * part, value, of_columns * part, int(found.nit))

    def settled(self, found: Relaxed) -> Float64 | None:
        """The best solution with whole flows that was found near an optimum; None if none was.

        Open are the columns that are not whole, or with them what shares a condition and may differ among
        optima (complementary slackness), or what shares one with those: near this optimum, then near others,
        of which many are whole. At last all that may differ, or those that are not whole and who leads.
        """
        x, best = found.x, None
        ties = split_of(x) | (np.abs(found.of_columns) < WHOLE)
        leads = np.arange(len(x)) >= self.n_flows
        for turn in range(1 + OTHERS):
            split = split_of(x)
            if not split[: self.n_flows].any():
                return np.round(x)
            beside = ties & self.beside(split)
            best = self.nearest(best, found, x, (split, beside, ties & self.beside(beside)))
            if best is not None and self.cost @ best <= found.least:
                return best
            other = self.other(found, ties, turn)
            x = found.x if other is None else other
        return self.nearest(best, found, found.x, (ties, split_of(found.x) | leads))

    def nearest(
        self, best: Float64 | None, found: Relaxed, x: Float64, opened: Sequence[BoolArray]
    ) -> Float64 | None:
        """The best of a solution and those that differ from ``x`` in some columns that are ``opened``."""
        for open_ in opened:
            if best is not None and self.cost @ best <= found.least:
                break
            tried = self.rest(np.round(x), open_)
            if tried is not None and (best is None or self.cost @ tried < self.cost @ best):
                best = tried
        return best

    def other(self, found: Relaxed, ties: BoolArray, turn: int) -> Float64 | None:
        """Another optimum, of which ``ties`` tell what may differ; None if none was found.

        It is the only one of costs that are other by a little, a different little each ``turn``.
        """
        some, kept = np.flatnonzero(ties), np.where(ties, 0.0, found.x)
        little = np.random.default_rng(turn).integers(1, TENTH, len(some))
        left = Program(
            self.part,
            FINER * self.cost[some] + little * self.part,
            self.lower[some],
            self.upper[some],
            len(some),
            self.equal.left(some, kept),
            self.bounded.left(some, kept),
        )
        answer = left.relaxed(simplex=True, presolve=False)
        if answer is None:
            return None
        kept[some] = answer.x
        return kept if self.cost @ kept < found.value + WHOLE * max(1.0, abs(found.value)) else None

    def beside(self, some: BoolArray) -> BoolArray:
        """Columns that share a condition of equality with some columns."""
        table = np.abs(self.equal.table)
        return np.asarray((table @ some > 0) @ table > 0)

    def rest(self, near: Float64, open_: BoolArray) -> Float64 | None:
        """The best whole solution that differs from ``near`` in the columns ``open_`` alone."""
        some, kept = np.flatnonzero(open_), np.where(open_, 0.0, near)

        rows = [
            LinearConstraint(left.table, left.least, left.most)
            for left in (self.equal.left(some, kept), self.bounded.left(some, kept))
        ]
        bounds, exact = Bounds(self.lower[some], self.upper[some]), self.part > 1
        answer = best_whole(self.cost[some] / self.part, bounds, rows, MAX_NODES, exact=exact)
        if answer.x is None:
            return None
        kept[some] = np.round(answer.x)
        return kept
