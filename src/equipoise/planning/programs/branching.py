"""Proofs of the small program: a tree of cases, each closed by prices.

The linear program of `Sheet` alone proves most values. Where it does not, a column is taken to be at
most, or more than, what it nearly is, until prices close every case (branch and bound: A. H. Land,
A. G. Doig, "An automatic method of solving discrete programming problems", 1960). Before that, the prices
of a case tell how far columns can be from the end that they pay least at, if the goal is to be below the
value: the case is narrowed to that (reduced cost fixing: G. Dantzig, R. Fulkerson, S. Johnson, "Solution of
a large-scale traveling-salesman problem", 1954). Whoever adds up the prices of every case has proved the
bound anew, without a solver: that is what the judge does.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import takewhile
from typing import Any

import numpy as np
import numpy.typing as npt

from equipoise.planning.linear.highs import NEARLY, Answer
from equipoise.planning.problem.params import Params
from equipoise.planning.programs.relaxation import Cases, bound_of
from equipoise.planning.programs.rows import INFINITE, Sheet
from equipoise.planning.programs.scaling import Scaled

Int64 = npt.NDArray[np.int64]
Float64 = npt.NDArray[np.float64]
Objects = npt.NDArray[np.object_]
SCALES = (720_720, 2**40, 2**60)
"""Prices are whole numbers of such a part of the goal's unit; of a small one where bytes weigh, too."""
LARGEST = 2.0**61
"""No price is farther from 0."""
CLOSED = -1
NARROWED = -2
"""In place of the column that divides a case."""
MOST_NODES = 10_000
"""The judge reads no longer proof."""


@dataclass(frozen=True, eq=False)
class Tree:
    """A proof that a goal is at least something."""

    bound: int
    branches: Int64
    """``(n_nodes, 2)``, each node before what follows: the column that is divided, and the most that it is in
    the first of the two cases; `CLOSED` for a case that is closed; `NARROWED` and the value for one that is
    narrowed to where the goal is below the value."""
    prices: Int64
    """``(n_priced, 1 + n_rows)``, of each case that is closed or narrowed: of the goal, none negative, and of
    each row."""


def proof_of(sheet: Sheet, value: int, params: Params) -> Tree | None:
    """The proof that the goal is at least ``value``; else of a little less, or of what the linear program
    alone proves.

    None where that is nothing.
    """
    if len(sheet.cost) > params.tree_columns:
        return None
    cases = Cases(sheet, params)
    if (root := cases.relaxed(sheet)) is None:
        return None
    choice = Choice(cases, value)
    if (tree := divided(choice, root)) is not None:
        return tree
    alone, less = undivided(sheet, root), rounded_down(value)
    if less == value or (alone is not None and alone.bound >= less):
        return alone
    # A bound in floating point may be some bytes above the truth,
    # where no tree closes: a little less is better than nothing.
    is_far = choice.is_spent and choice.closed * params.tree_parts < 1
    tree = None if is_far and bound_of(sheet, root) < less else divided(Choice(cases, less), root)
    return alone if tree is None else tree


def undivided(sheet: Sheet, root: Answer) -> Tree | None:
    """The proof of what the relaxation reaches, as one case; None where prices do not prove that."""
    # What a search claims may be out of their reach. A lower bound that anyone
    # can add up is worth more than a higher one that has to be believed.
    bound = bound_of(sheet, root)
    priced = priced_at(sheet, root.of_rows, bound)
    if priced is None or not priced.closes:
        return None
    return Tree(bound, np.full((1, 2), CLOSED), priced.stored[None, :])


def rounded_down(bound: int) -> int:
    """The bound, less what prices in floating point may miss of it: of bytes a millionth."""
    return bound - (bound >> 20)


def divided(choice: Choice, root: Answer) -> Tree | None:
    """All cases closed, from the root's optimum on; None where the effort was not enough."""
    cases, value = choice.cases, choice.value
    branches: list[tuple[int, int]] = []
    prices: list[Int64] = []
    # With each case what part of the whole it is: one that is divided has half of its part on either side.
    open_: list[tuple[Sheet, Answer | None, float]] = [(cases.sheet, root, 1.0)]
    # The side "at most" is pushed last, so it is taken first: nodes come out as a judge reads them, each
    # before its two sides, and `prices` in the order in which cases are closed.
    while open_:
        if len(branches) + len(open_) > MOST_NODES:
            return None
        case, optimum, share = open_.pop()
        # A case without columns has no optimum, and so no prices of one. By Farkas' lemma there are prices of
        # the rows that contradict each other; what the goal costs does not enter them.
        found, of_goal = (optimum, 1) if optimum is not None else (cases.unkept(case), 0)
        if found is None:
            return None
        priced = priced_at(case, found.of_rows, value, of_goal)
        if priced is not None and not priced.closes:
            if (narrower := narrowed(case, priced)) is not None:
                branches.append((NARROWED, value))
                prices.append(priced.stored)
                case = narrower
            priced = contradicted(case, value)
        if priced is not None:
            branches.append((CLOSED, -1))
            prices.append(priced.stored)
            choice.closed += share
            continue
        part = choice.of(case, found)
        if part is None:
            return None
        branches.append((part.column, part.most))
        open_ += [(part.sides[side], part.found[side], share / 2) for side in (1, 0)]
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
    """Which column divides a case: one whose two sides raise the bound most.

    What a column has raised it so far, by the unit, is expected (pseudo costs: T. Achterberg, T. Koch,
    A. Martin, "Branching rules revisited", 2005). Columns of which nothing is known yet are tried, the most
    promising first (strong branching, there too). Counts come before single columns: what they say holds for
    many partitions at once. A column that counts bytes is never divided: a byte more or less decides nothing.
    """

    def __init__(self, cases: Cases, value: int) -> None:
        self.cases, self.value, sheet, params = cases, value, cases.sheet, cases.params
        self.counts = Scaled.of(sheet).integral
        self.wide = self.counts & (sheet.upper - sheet.lower > 1)
        # A side that reaches the value is closed, whatever else it costs: counting more than that would
        # favour a column for a bound that nobody asks for.
        self.enough, self.params = value - sheet.offset, params
        self.raised = np.zeros((2, len(sheet.cost)))
        self.tries = np.zeros((2, len(sheet.cost)))
        # Effort is counted in programs and their factors, never
        # in seconds: the tree is the same on every machine.
        times = params.interior_work if len(sheet.cost) > params.simplex_columns else 1
        self.most = min(params.tree_programs, params.tree_work // max(1, times * sheet.table.nnz))
        self.solved = 0
        self.closed = 0.0
        """What part of the whole is closed."""

    @property
    def is_spent(self) -> bool:
        """Whether no effort is left: with little closed by its first third the rest would be in vain."""
        promises = self.closed * self.params.tree_share >= 1
        return self.solved > (self.most if promises else self.most / 3)

    def of(self, case: Sheet, found: Answer) -> Part | None:
        """The case divided; None where all is whole, or no effort is left."""
        over = found.x - np.floor(found.x)
        inside = (case.lower < found.x) & (found.x < case.upper)  # the case may be narrower than it was then
        split = self.counts & inside & (np.minimum(over, 1 - over) > NEARLY)
        some = np.flatnonzero(split & self.wide if np.any(split & self.wide) else split)
        if not len(some):
            return self.of_broken(case, found)
        # How far the column has to move to be whole: down by what it is above, up by the rest. What it raises
        # is told by the unit, so a column near a whole number is expected to raise little on that side.
        shares = np.stack([over[some], 1 - over[some]])
        order = np.argsort(-self.expected(some, shares), kind="stable").tolist()
        unknown = list(takewhile(lambda k: not self.tries[0, some[k]], order))
        best, most, worse = None, 0.0, 0
        for chosen in unknown or order[:1]:
            if worse == self.params.tree_tries or self.is_spent:
                break
            column = int(some[chosen])
            part = self.tried(case, found, column, int(np.floor(found.x[column])), shares[:, chosen])
            gain = self.gain(found, part)
            best, most, worse = (part, gain, 0) if gain > most else (best, most, worse + 1)
        return None if self.is_spent else best

    def of_broken(self, case: Sheet, found: Answer) -> Part | None:
        """The case divided where all counts are whole; None where they keep all rows.

        To a solver a row of bytes is kept if it is nearly so. A column of such a row is divided until what it
        counts is the same in all that the case has left, which then says itself that it breaks the row.
        """
        x = np.rint(found.x).clip(case.lower, case.upper)  # it may be narrower than it was then
        sums = case.table @ x
        broken = case.table[(sums < case.least) | (sums > case.most)]
        factors = np.asarray(abs(broken).max(axis=0).todense()).ravel() if broken.nnz else np.zeros(len(x))
        factors = np.where(self.counts & (case.lower < case.upper), factors, 0)
        if self.is_spent or not factors.any():
            return None
        column = int(np.argmax(factors))
        most = int(min(x[column], case.upper[column] - 1))
        return self.tried(case, found, column, most, np.ones(2))

    def gain(self, found: Answer, part: Part) -> float:
        """What a case divided has raised, one side times the other, as in `expected`."""
        raised = (max(self.reached(side) - found.least, NEARLY) for side in part.found)
        return float(np.prod(list(raised)))

    def reached(self, optimum: Answer | None) -> float:
        """What a side has reached: one without columns that keep the rows is closed at once."""
        return self.enough if optimum is None else min(optimum.least, self.enough)

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

    def tried(self, case: Sheet, found: Answer, column: int, most: int, shares: Float64) -> Part:
        """The case divided at a column, and what that raised taken down."""
        sides = below(case, column, most), above(case, column, most)
        optima = self.cases.relaxed(sides[0]), self.cases.relaxed(sides[1])
        # Where the solver has reached the value, and prices that are
        # whole have not, nothing can be raised any more.
        for k, optimum in enumerate(optima) if found.least < self.enough else ():
            self.raised[k, column] += max(self.reached(optimum) - found.least, 0) / max(shares[k], NEARLY)
            self.tries[k, column] += 1
        self.solved += 2
        return Part(column, most, sides, optima)


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


@dataclass(frozen=True, eq=False)
class Priced:
    """A case at whole prices."""

    stored: Int64
    """``(1 + n_rows,)``: of the goal, and of each row."""
    room: int
    """What columns can pay above their least with the goal below the value."""
    pull: Objects
    """``(n_columns,)``: what a unit of each pays."""

    @property
    def closes(self) -> bool:
        """True where no columns have the goal below the value.

        With 0 for the goal this says that more than nothing is paid, so that no columns keep the rows.
        """
        return self.room < 0


def priced_at(sheet: Sheet, prices: Float64, value: int, of_goal: int = 1) -> Priced | None:
    """A case at prices, as whole numbers: ever finer ones, until the goal is proved to be at least ``value``.

    The finest where none do; None where they are too large to be stored.
    """
    most = float(np.abs(prices).max(initial=1))
    if most > LARGEST:
        return None
    finest = 2 ** int(np.log2(LARGEST / most))  # where bytes are counted, the usual ones are too fine
    found = None
    for scale in sorted({min(scale, finest) for scale in SCALES}):
        whole = np.rint(prices * scale)
        stored = np.r_[of_goal * scale, whole.astype(np.int64)]
        # By noise a price may have the sign of a side on which its row has no bound, where it would be paid
        # without end. Any prices give a bound, so 0 in its place is right too, if less good.
        stored[1:][(stored[1:] > 0) & (sheet.least <= -INFINITE)] = 0
        stored[1:][(stored[1:] < 0) & (sheet.most >= INFINITE)] = 0
        found = paid(sheet, stored, value)
        if found.closes:
            break
    return found


def paid(sheet: Sheet, stored: Int64, value: int) -> Priced:
    """A case at whole prices, added up in Python's whole numbers.

    A price times bytes times a count is more than 64 bits hold.
    """
    of_goal, prices = int(stored[0]), stored[1:].astype(object)
    least = np.where(prices > 0, prices * sheet.least, prices * sheet.most).sum()
    pull = of_goal * sheet.cost.astype(object) - transposed(sheet.table, prices)
    least += np.where(pull > 0, pull * sheet.lower, pull * sheet.upper).sum()
    # The goal is whole, so it is at least `value` if it cannot be as low as value - 1: rounded prices may
    # miss nearly a unit.
    return Priced(stored, of_goal * (value - 1 - sheet.offset) - int(least), pull)


def contradicted(sheet: Sheet, value: int) -> Priced | None:
    """A case in which one row cannot be kept, closed by a price of that row; None where each can."""
    # In floating point, which has room for sides without end: `paid` says in whole numbers whether it is so.
    lower, upper = sheet.lower.astype(np.float64), sheet.upper.astype(np.float64)
    most_of, least_of = sheet.table.maximum(0), sheet.table.minimum(0)
    short = sheet.least - (most_of @ upper + least_of @ lower)
    beyond = (most_of @ lower + least_of @ upper) - sheet.most
    row = int(np.argmax(np.maximum(short, beyond)))
    stored = np.zeros(1 + len(short), dtype=np.int64)
    stored[1 + row] = np.sign(short[row] - beyond[row])
    priced = paid(sheet, stored, value)
    return priced if priced.closes else None


def narrowed(sheet: Sheet, priced: Priced) -> Sheet | None:
    """The case with columns as near to their cheaper end as a goal below the value needs them.

    None where no column is nearer than it was.
    """
    pull = priced.pull
    reach = priced.room // np.where(pull == 0, 1, np.abs(pull))
    upper = np.where(pull > 0, np.minimum(sheet.upper, sheet.lower + reach), sheet.upper).astype(np.int64)
    lower = np.where(pull < 0, np.maximum(sheet.lower, sheet.upper - reach), sheet.lower).astype(np.int64)
    same = np.array_equal(upper, sheet.upper) and np.array_equal(lower, sheet.lower)
    return None if same else replace(sheet, lower=lower, upper=upper)


def transposed(table: Any, prices: Any) -> Any:
    """``prices @ table``, ``(n_columns,)``, in whole numbers of any size."""
    rows = np.repeat(np.arange(table.shape[0]), np.diff(table.indptr))
    total = np.zeros(table.shape[1], dtype=object)
    np.add.at(total, table.indices, prices[rows] * table.data.astype(object))
    return total
