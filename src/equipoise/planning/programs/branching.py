"""Proofs of the small program: a tree of cases, each closed by prices.

The linear program of `Sheet` alone proves most values. Where it does not, a column is taken to be at
most, or more than, what it nearly is, until prices close every case (branch and bound: A. H. Land,
A. G. Doig, "An automatic method of solving discrete programming problems", 1960). Whoever adds up the
prices of every case has proved the bound anew, without a solver: that is what the judge does.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from equipoise.planning.linear.highs import NEARLY, Answer
from equipoise.planning.problem.params import Params
from equipoise.planning.programs.relaxation import bound_of, relaxed, unkept
from equipoise.planning.programs.rows import INFINITE, Sheet

Int64 = npt.NDArray[np.int64]
Float64 = npt.NDArray[np.float64]
SCALES = (720_720, 2**40)
"""Prices are whole numbers of such a part of the goal's unit."""
LARGEST = 2.0**50
"""No price is farther from 0."""


@dataclass(frozen=True, eq=False)
class Tree:
    """A proof that a goal is at least something."""

    bound: int
    branches: Int64
    """``(n_nodes, 2)``, each node before its two: the column that is divided, and the most that it is in the
    first of them; -1 for a case that is closed."""
    prices: Int64
    """``(n_closed, 1 + n_rows)``: of the goal, none negative, and of each row."""


def proof_of(sheet: Sheet, value: int, params: Params) -> Tree | None:
    """The proof that the goal is at least ``value``; else of what the linear program alone proves.

    None where that is nothing.
    """
    root = relaxed(sheet, params) if len(sheet.cost) <= params.tree_columns else None
    if root is None:
        return None
    # What a search claims may be out of reach of prices. The bound of the relaxation alone is then proved, as
    # one case: a lower bound that anyone can add up is worth more than a higher one that has to be believed.
    if (tree := divided(sheet, root, value, params)) is not None:
        return tree
    bound = bound_of(sheet, root)
    prices = closing(sheet, root.of_rows, bound)
    return None if prices is None else Tree(bound, np.full((1, 2), -1), prices[None, :])


def divided(sheet: Sheet, root: Answer, value: int, params: Params) -> Tree | None:
    """All cases closed, from the root's optimum on; None where the effort was not enough."""
    branches: list[tuple[int, int]] = []
    prices: list[Int64] = []
    choice = Choice(sheet, value, params)
    open_: list[tuple[Sheet, Answer | None]] = [(sheet, root)]
    # The side "at most" is pushed last, so it is taken first: nodes come out as a judge reads them, each
    # before its two sides, and `prices` in the order in which cases are closed.
    while open_:
        case, found = open_.pop()
        if (closed := closed_by(case, found, value, params)) is not None:
            branches.append((-1, -1))
            prices.append(closed)
            continue
        part = None if found is None else choice.of(case, found)
        if part is None:
            return None
        branches.append((part.column, part.most))
        open_ += [(part.sides[1], part.found[1]), (part.sides[0], part.found[0])]
    return Tree(value, np.array(branches, dtype=np.int64), np.array(prices))


@dataclass(frozen=True, eq=False)
class Part:
    """A case divided in two."""

    column: int
    most: int
    """In the first of the two."""
    sides: tuple[Sheet, Sheet]
    found: tuple[Answer | None, Answer | None]
    """The optimum of each."""


class Choice:
    """Which column divides a case: one whose two sides are expected to raise the bound most.

    What a column has raised it so far, by the unit, is expected (pseudo costs: T. Achterberg, T. Koch,
    A. Martin, "Branching rules revisited", 2005). Counts come before single columns: what they say holds for
    many partitions at once.
    """

    def __init__(self, sheet: Sheet, value: int, params: Params) -> None:
        self.wide = sheet.upper - sheet.lower > 1
        # A side that reaches the value is closed, whatever else it costs: counting more than that would
        # favour a column for a bound that nobody asks for.
        self.enough, self.params = value - sheet.offset, params
        self.raised = np.zeros((2, len(sheet.cost)))
        self.tries = np.zeros((2, len(sheet.cost)))
        # Effort is counted in programs and their factors, never
        # in seconds: the tree is the same on every machine.
        times = params.interior_work if len(sheet.cost) > params.simplex_columns else 1
        self.left = min(params.tree_programs, params.tree_work // max(1, times * sheet.table.nnz))

    def of(self, case: Sheet, found: Answer) -> Part | None:
        """The case divided; None where all is whole, or no effort is left."""
        over = found.x - np.floor(found.x)
        split = np.minimum(over, 1 - over) > NEARLY
        some = np.flatnonzero(split & self.wide if np.any(split & self.wide) else split)
        if not len(some):
            return None
        # How far the column has to move to be whole: down by what it is above, up by the rest. What it raises
        # is told by the unit, so a column near a whole number is expected to raise little on that side.
        shares = np.stack([over[some], 1 - over[some]])
        chosen = int(self.expected(some, shares).argmax())
        part = self.tried(case, found, int(some[chosen]), shares[:, chosen])
        return part if self.left >= 0 else None

    def expected(self, some: Int64, shares: Float64) -> Float64:
        """What dividing columns is expected to raise, one side times the other."""
        means = self.raised.sum(axis=1) / np.maximum(self.tries.sum(axis=1), 1)
        each = self.raised[:, some] / np.maximum(self.tries[:, some], 1)
        # A column that was never divided on a side is expected
        # to do there as the others did, 1 where none was.
        known = np.where(self.tries[:, some] > 0, each, np.where(means > 0, means, 1.0)[:, None])
        # A product, not a sum: both sides have to be closed, and a column
        # that raises one of them alone leaves the other as far off as it was.
        return np.asarray(np.maximum(known * shares, NEARLY).prod(axis=0))

    def tried(self, case: Sheet, found: Answer, column: int, shares: Float64) -> Part:
        """The case divided at a column, and what that raised taken down."""
        most = int(np.floor(found.x[column]))
        sides = below(case, column, most), above(case, column, most)
        optima = relaxed(sides[0], self.params), relaxed(sides[1], self.params)
        for k, optimum in enumerate(optima):
            # A side without columns that keep the rows is closed
            # at once, so it counts as one that reaches the value.
            reached = self.enough if optimum is None else min(optimum.least, self.enough)
            self.raised[k, column] += max(reached - found.least, 0) / max(shares[k], NEARLY)
            self.tries[k, column] += 1
        self.left -= 2
        return Part(column, most, sides, optima)


def closed_by(case: Sheet, found: Answer | None, value: int, params: Params) -> Int64 | None:
    """Prices that leave nothing below ``value`` in a case, or nothing at all; None where there are none."""
    if found is not None:
        return closing(case, found.of_rows, value)
    # A case without columns has no optimum, and so no prices of one. By Farkas' lemma there are prices of the
    # rows that contradict each other; what the goal costs does not enter them.
    broken = unkept(case, params)
    return None if broken is None else closing(case, broken, value, of_goal=0)


def below(sheet: Sheet, column: int, most: int) -> Sheet:
    """The case in which a column is at most so much."""
    upper = sheet.upper.copy()
    upper[column] = most
    return replace(sheet, upper=upper)


def above(sheet: Sheet, column: int, most: int) -> Sheet:
    """The case in which it is more."""
    lower = sheet.lower.copy()
    lower[column] = most + 1
    return replace(sheet, lower=lower)


def closing(sheet: Sheet, prices: Float64, value: int, of_goal: int = 1) -> Int64 | None:
    """Whole prices that prove the goal to be at least ``value``, ``(1 + n_rows,)``; None where none do."""
    most = float(np.abs(prices).max(initial=1))
    if most > LARGEST:
        return None
    finest = 2 ** int(np.log2(LARGEST / most))  # where bytes are counted, the usual ones are too fine
    for scale in sorted({min(scale, finest) for scale in SCALES}):
        whole = np.rint(prices * scale)
        stored = np.r_[of_goal * scale, whole.astype(np.int64)]
        # By noise a price may have the sign of a side on which its row has no bound, where it would be paid
        # without end. Any prices give a bound, so 0 in its place is right too, if less good.
        stored[1:][(stored[1:] > 0) & (sheet.least <= -INFINITE)] = 0
        stored[1:][(stored[1:] < 0) & (sheet.most >= INFINITE)] = 0
        if proves(sheet, stored, value):
            return stored
    return None


def proves(sheet: Sheet, stored: Int64, value: int) -> bool:
    """True where no columns within their bounds have the goal below ``value``, at these prices."""
    # In Python's whole numbers: a price times bytes times a count is more than 64 bits hold.
    of_goal, prices = int(stored[0]), stored[1:].astype(object)
    paid = np.where(prices > 0, prices * sheet.least, prices * sheet.most).sum()
    pull = of_goal * sheet.cost.astype(object) - transposed(sheet.table, prices)
    paid += np.where(pull > 0, pull * sheet.lower, pull * sheet.upper).sum()
    # The goal is whole, so it is at least `value` if it cannot be as low as
    # value - 1: rounded prices may miss nearly a unit. With ``of_goal`` 0 this
    # says that more than nothing is paid, so that no columns keep the rows.
    return bool(paid > of_goal * (value - 1 - sheet.offset))


def transposed(table: Any, prices: Any) -> Any:
    """``prices @ table``, ``(n_columns,)``, in whole numbers of any size."""
    rows = np.repeat(np.arange(table.shape[0]), np.diff(table.indptr))
    total = np.zeros(table.shape[1], dtype=object)
    np.add.at(total, table.indices, prices[rows] * table.data.astype(object))
    return total
