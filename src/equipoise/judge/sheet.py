"""Rows and columns of a 0-1 program, and what prices of its rows prove.

For any prices of rows, and any price of the goal that is not negative, every column pays least at one of
its ends: what all pay together is below what the goal costs (weak duality). A tree of cases that leave
nothing out, each closed so, proves a bound in whole columns (branch and bound: A. H. Land, A. G. Doig, "An
automatic method of solving discrete programming problems", 1960). Where the goal is to be below a value, no
column pays more above its least than is left up to that: it is so near to its end (reduced cost fixing:
G. Dantzig, R. Fulkerson, S. Johnson, "Solution of a large-scale traveling-salesman problem", 1954).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Int64 = npt.NDArray[np.int64]
Objects = npt.NDArray[np.object_]
INFINITE = 2**62
MAX_NODES = 10_000
CLOSED, NARROWED = -1, -2
Terms = list[tuple[int, int]]
"""Columns and their factors."""


@dataclass(frozen=True)
class Sum:
    """Columns times factors, and a constant."""

    terms: Terms
    constant: int = 0


class Sheet:
    """Whole columns within bounds, and rows of their sums within bounds, numbered as they are added."""

    def __init__(self) -> None:
        self.upper: list[int] = []
        self.row_of: list[int] = []
        self.columns: list[int] = []
        self.factors: list[int] = []
        self.least: list[int] = []
        self.most: list[int] = []

    def column(self, upper: int = 1) -> int:
        """A new column from 0 on."""
        self.upper.append(upper)
        return len(self.upper) - 1

    def row(self, terms: Iterable[tuple[int, int]], least: int = -INFINITE, most: int = INFINITE) -> None:
        """A new row, turned so that its first factor is positive; one without columns is none."""
        factors: dict[int, int] = {}
        for column, factor in terms:
            factors[column] = factors.get(column, 0) + factor
        factors = {column: factors[column] for column in sorted(factors) if factors[column]}
        if not factors:
            return
        if next(iter(factors.values())) < 0:
            factors, least, most = {column: -f for column, f in factors.items()}, -most, -least
        self.row_of += [len(self.least)] * len(factors)
        self.columns += factors
        self.factors += factors.values()
        self.least.append(least)
        self.most.append(most)

    def bound(self, goal: Sum, branches: Int64, prices: Int64) -> int:
        """What a tree proves of a goal. Raises ``ValueError`` for one that is none.

        ``branches`` ``(n_nodes, 2)``: a column, and the most that it is in the first of the two cases that
        follow; -1 for a case that the next of the ``prices`` ``(n_priced, 1 + n_rows)`` closes; -2 and a
        value for one that the next of them narrows to where the goal is below the value.
        """
        n_priced = int((branches[:, 0] < 0).sum()) if branches.ndim == 2 else 0
        if branches.shape != (len(branches), 2) or not 0 < len(branches) <= MAX_NODES:
            raise ValueError(f"branches of shape {branches.shape}")
        if prices.shape != (n_priced, 1 + len(self.least)) or np.any(prices[:, 0] < 0):
            raise ValueError(f"prices of shape {prices.shape}, not ({n_priced}, {1 + len(self.least)})")
        if np.any(branches[:, 0] < NARROWED):
            raise ValueError("a case that is neither divided, nor closed, nor narrowed")
        priced, found = iter(prices), list[int]()
        least, most = np.array(self.least, dtype=object), np.array(self.most, dtype=object)
        factors = np.array(self.factors, dtype=object)  # whole numbers of any size, from here on
        open_ = [(np.zeros(len(self.upper), dtype=np.int64), np.array(self.upper, dtype=np.int64))]
        for column, divided in branches.tolist():
            if not open_:
                raise ValueError("more cases than there are")
            lower, upper = open_.pop()
            if column >= 0:
                first, second = upper.copy(), lower.copy()
                first[column], second[column] = divided, divided + 1
                open_ += [(second, upper), (lower, first)]
                continue
            of_goal, price = self.priced(next(priced), least, most)
            pull = np.zeros(len(lower), dtype=object)
            np.subtract.at(pull, self.columns, price[self.row_of] * factors)
            for column_of_goal, factor in goal.terms:
                pull[column_of_goal] += of_goal * factor
            paid = int(np.where(price > 0, price * least, price * most).sum())
            paid += int((pull * np.where(pull > 0, lower, upper)).sum())
            if column == NARROWED:
                # Whatever is left out has the goal at the value, or above it.
                found.append(divided)
                open_.append(narrowed(lower, upper, pull, of_goal * (divided - 1 - goal.constant) - paid))
            elif np.any(lower > upper):  # nothing is in that case
                continue
            elif of_goal > 0:
                found.append(-(-paid // of_goal) + goal.constant)
            elif paid <= 0:  # else the rows contradict each other
                raise ValueError("a case that is not closed")
        if open_ or not found:
            raise ValueError("cases that are left open, or none in which this plan could be")
        return min(found)

    def priced(self, prices: Int64, least: Objects, most: Objects) -> tuple[int, Objects]:
        """The price of the goal, and of each row; raises ``ValueError`` for one of a bound that is none."""
        price = prices[1:].astype(object)
        if np.any((price > 0) & (least <= -INFINITE)) or np.any((price < 0) & (most >= INFINITE)):
            raise ValueError("a price for a bound that is none")
        return int(prices[0]), price


def narrowed(lower: Int64, upper: Int64, pull: Objects, room: int) -> tuple[Int64, Int64]:
    """The ends of columns that pay no more above their least than ``room``; below 0 there are no columns."""
    reach = max(room, -1) // np.where(pull == 0, 1, abs(pull))
    least = np.where(pull < 0, np.maximum(lower, upper - reach), lower)
    most = np.where(pull > 0, np.minimum(upper, lower + reach), upper)
    return least.astype(np.int64), most.astype(np.int64)
