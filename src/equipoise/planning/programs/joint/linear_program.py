"""Placements and leaders as a linear program: its optimum, and a whole solution nearby."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from equipoise.planning.flow.network import Int64
from equipoise.planning.linear.growing import GrowingProgram
from equipoise.planning.linear.highs import NEARLY, Answer, integer, linear
from equipoise.planning.linear.rows import Rows
from equipoise.planning.linear.trimming import Rest, rest_of
from equipoise.planning.problem.params import Params
from equipoise.planning.programs.rows import INFINITE, Sheet

Float64 = npt.NDArray[np.float64]
BoolArray = npt.NDArray[np.bool_]
NOISE = 1e-12
"""What floating point may be off, as a part of a value: bytes are counted in large numbers."""
FINER, TENTH = 100_000, 10_000
"""A unit of cost, and the most that a column costs more or less to tell optima apart."""


def split_of(x: Float64) -> BoolArray:
    """The columns that are not whole."""
    split: BoolArray = np.abs(x - np.round(x)) > NEARLY
    return split


def ties_of(found: Answer) -> BoolArray:
    """Columns that may differ among optima: any whose reduced cost is not 0 is at its end in all of them."""
    ties: BoolArray = split_of(found.x) | (np.abs(found.of_columns) < NEARLY)
    return ties


def at_least(found: Answer) -> int:
    """What every whole solution costs at least, by the optimum of the linear program."""
    return int(np.ceil(found.value - max(NEARLY, NOISE * abs(found.value))))


@dataclass(frozen=True, eq=False)
class JointProgram:
    """Columns between 0 and 1, or wider; the first ``n_flows`` decide all others."""

    part: int
    """What costs are divided by for the solver."""
    cost: Int64
    """``(n_columns,)`` as ``lower`` and ``upper``."""
    lower: Int64
    upper: Int64
    near: Float64 | Int64
    """``(n_columns,)``: about where the best is, at an end of most columns; the solver begins there."""
    n_flows: int
    n_equal: int
    """Conditions that are equations, the first of all."""
    rows: Rows
    """The conditions."""

    def relaxed(self, *, simplex: bool) -> Answer | None:
        """The optimum of the linear program; None if none was found.

        Where replicas may go anywhere an interior point, and from there to a corner, is what never takes
        long; else it is the ``simplex`` method.
        """
        return self.in_units(linear(self.cost / self.part, self.rows, *self.ends, simplex=simplex))

    def grown(
        self, growing: GrowingProgram, names: tuple[Int64, Int64], iterations: int | None = None
    ) -> Answer | None:
        """The optimum, from where the last program ended; None if none was found in so many ``iterations``.

        ``names``: a number for each column and for each row, the same in all these programs.
        """
        cost, near = self.cost / self.part, np.asarray(self.near, dtype=np.float64)
        return self.in_units(growing.optimum(cost, self.rows, self.ends, near, names, iterations))

    def in_units(self, found: Answer | None) -> Answer | None:
        """What the solver found, in the units of the goal."""
        if found is None:
            return None
        part = self.part
        of_rows, of_columns = found.of_rows * part, found.of_columns * part
        return replace(found, value=found.value * part, of_rows=of_rows, of_columns=of_columns)

    @property
    def ends(self) -> tuple[Float64, Float64]:
        """Lower and upper of each column."""
        return self.lower.astype(np.float64), self.upper.astype(np.float64)

    def integral_near(self, found: Answer, params: Params, known: int | None) -> Float64 | None:
        """The best solution with whole flows that was found near an optimum; None if none was.

        Open are the columns that are not whole, or with them what shares a condition and may differ among
        optima (complementary slackness), or what shares one with those: near this optimum, then near others,
        of which many are whole. At last all that may differ, or those that are not whole and who leads.

        Where sizes decide what moves, ``known`` is the cost of the plan that is there, else None. Other
        optima are no nearer to a whole solution then: what costs less than a part of what it may be above
        the optimum is opened, too.
        """
        best, ties = None, ties_of(found)
        for turn in range(1 + params.near_optima if known is None else 1):
            x = self.other(found, ties, turn - 1) if turn else found.x
            if x is None:
                continue
            split = split_of(x)
            # Lists are made of flows alone: who leads is chosen anew from whole ones.
            if not split[: self.n_flows].any():
                return np.round(x)
            beside = ties & self.beside(split)
            opened = split, beside, ties & self.beside(beside)
            best = self.nearest(best, found, x, opened, params)
            if best is not None and self.cost @ best <= at_least(found):
                return best
        split = split_of(found.x)
        if known is None:
            leads = np.arange(len(found.x)) >= self.n_flows
            return self.nearest(best, found, found.x, (ties, split | leads), params)
        # Sizes add up to a budget, or to few bytes, only where costs differ a little. What costs more than is
        # left to gain is in no better solution, and what costs much of it in few (fixing by reduced costs:
        # G. B. Dantzig, D. R. Fulkerson, S. M. Johnson, "Solution of a large-scale traveling-salesman
        # problem", 1954).
        least = known if best is None else min(known, float(self.cost @ best))
        cheap = ties | (np.abs(found.of_columns) * params.near_part < least - found.value)
        together = self.connected(split, cheap, params.near_cheap)
        return self.nearest(best, found, found.x, (together,), params)

    def others_near(self, found: Answer, params: Params) -> Iterator[Float64]:
        """Solutions with whole flows near other optima, as good or nearly."""
        ties = ties_of(found)
        for turn in range(params.late_optima):
            x = self.other(found, ties, turn)
            if x is None:
                continue
            split = split_of(x)
            if not split[: self.n_flows].any():
                yield np.round(x)
                continue
            near = self.nearest(None, found, x, (split, ties & self.beside(split)), params)
            if near is not None:
                yield near

    def nearest(
        self, best: Float64 | None, found: Answer, x: Float64, opened: Sequence[BoolArray], params: Params
    ) -> Float64 | None:
        """The best of a solution and those that differ from ``x`` in some columns that are ``opened``."""
        for open_ in opened:
            # Nothing whole costs less: what would be opened next can only cost time.
            if best is not None and self.cost @ best <= at_least(found):
                break
            tried = self.rest(np.round(x), open_, params)
            if tried is not None and (best is None or self.cost @ tried < self.cost @ best):
                best = tried
        return best

    def other(self, found: Answer, ties: BoolArray, turn: int) -> Float64 | None:
        """Another optimum, of which ``ties`` tell what may differ; None if none was found.

        It is the only one of costs that are other by a little, a different little each ``turn``.
        """
        some, kept = np.flatnonzero(ties), np.where(ties, 0.0, found.x)
        little = np.random.default_rng(turn).integers(1, TENTH, len(some))
        left = JointProgram(
            self.part,
            FINER * self.cost[some] + little * self.part,
            self.lower[some],
            self.upper[some],
            found.x[some],
            len(some),
            self.n_equal,
            self.rows.left(some, kept),
        )
        names = np.arange(len(some)), np.arange(len(self.rows.least))
        answer = left.grown(GrowingProgram(is_whole=True), names)
        if answer is None:
            return None
        kept[some] = answer.x
        # The little costs of many columns may add up to more than a unit, so this has to be asked.
        return kept if self.cost @ kept < found.value + NEARLY * max(1.0, abs(found.value)) else None

    def beside(self, some: BoolArray) -> BoolArray:
        """Columns that share a condition of equality with some columns."""
        # Without signs, or what enters a node would cancel what leaves it.
        table = np.abs(self.rows.table[: self.n_equal])
        return np.asarray((table @ some > 0) @ table > 0)

    def connected(self, some: BoolArray, within: BoolArray, most: int) -> BoolArray:
        """Some columns, and those ``within`` others that share a condition of equality with them or these.

        In ever more steps, as long as they are no more than ``most``.
        """
        while True:
            wider = some | (within & self.beside(some))
            if not some.sum() < wider.sum() <= most:
                return some
            some = wider

    def rest(self, near: Float64, open_: BoolArray, params: Params) -> Float64 | None:
        """The best whole solution that differs from ``near`` in the columns ``open_`` alone."""
        some, kept = np.flatnonzero(open_), np.where(open_, 0.0, near)
        rows = self.rows.left(some, kept)
        rest = rest_of(rows, self.lower[some], self.upper[some], params.near_rounds)
        if rest is None:
            return None
        x = self.search_whole(self.cost[some][rest.free], rest, params)
        if x is None:
            return None
        kept[some] = rest.filled(x)
        return kept

    def search_whole(self, cost: Int64, rest: Rest, params: Params) -> Float64 | Int64 | None:
        """The best whole columns of a rest that were found; None if none were."""
        rows = rest.rows
        if len(rest.free) < params.near_columns or self.part > 1 or not rows.are_whole.all():
            if len(rest.free) > params.near_parts:
                return None
            answer = integer(
                cost / self.part, rows, rest.lower, rest.upper, nodes=params.near_nodes, exact=self.part > 1
            )
            return None if answer is None else np.round(answer.x)
        # HiGHS looks for cuts for seconds where CP-SAT takes tenths, but that has to be loaded first.
        from equipoise.planning.programs.packing import packed

        sides = rows.least, rows.most
        least, most = (np.clip(side, -INFINITE, INFINITE).astype(np.int64) for side in sides)
        lower, upper = rest.lower.astype(np.int64), rest.upper.astype(np.int64)
        sheet = Sheet(rows.table.astype(np.int64), lower, upper, least, most, cost, 0)
        return packed(sheet, {}, params.near_effort).x
