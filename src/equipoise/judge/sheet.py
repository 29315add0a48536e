"""Rows and columns of a 0-1 program, and what prices of its rows prove.

For any prices of rows, and any price of the goal that is not negative, every column pays least at one of
its ends: what all pay together is below what the goal costs (weak duality). A tree of cases that leave
nothing out, each closed so, proves a bound in whole columns (branch and bound: A. H. Land, A. G. Doig, "An
automatic method of solving discrete programming problems", 1960).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Int64 = npt.NDArray[np.int64]
INFINITE = 2**62
MAX_NODES = 10_000
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
        follow; -1 for a case that the next of the ``prices`` ``(n_closed, 1 + n_rows)`` closes.
        """
        n_closed = int((branches[:, 0] < 0).sum()) if branches.ndim == 2 else 0
        if branches.shape != (len(branches), 2) or not 0 < len(branches) <= MAX_NODES:
            raise ValueError(f"branches of shape {branches.shape}")
        if prices.shape != (n_closed, 1 + len(self.least)) or np.any(prices[:, 0] < 0):
            raise ValueError(f"prices of shape {prices.shape}, not ({n_closed}, {1 + len(self.least)})")
        proved, closed = [], iter(prices)
        start = np.zeros(len(self.upper), dtype=np.int64), np.array(self.upper, dtype=np.int64)
        open_ = [start]
        for column, most in branches.tolist():
            if not open_:
                raise ValueError("more cases than there are")
            lower, upper = open_.pop()
            if column < 0:
                proved.append(self.paid(goal, lower, upper, next(closed)))
                continue
            first, second = upper.copy(), lower.copy()
            first[column], second[column] = most, most + 1
            open_ += [(second, upper), (lower, first)]
        if open_:
            raise ValueError("cases that are left open")
        found = [least for least in proved if least is not None]
        if not found:
            raise ValueError("no case is left, and this plan is one")
        return min(found)

    def paid(self, goal: Sum, lower: Int64, upper: Int64, prices: Int64) -> int | None:
        """The least that the goal can be in a case; None where nothing is in that case."""
        if np.any(lower > upper):
            return None
        of_goal, price = int(prices[0]), prices[1:].astype(object)
        least, most = np.array(self.least, dtype=object), np.array(self.most, dtype=object)
        if np.any((price > 0) & (least <= -INFINITE)) or np.any((price < 0) & (most >= INFINITE)):
            raise ValueError("a price for a bound that is none")
        pull = np.zeros(len(lower), dtype=object)  # whole numbers of any size
        np.subtract.at(pull, self.columns, price[self.row_of] * np.array(self.factors, dtype=object))
        for column, factor in goal.terms:
            pull[column] += of_goal * factor
        total = int(np.where(price > 0, price * least, price * most).sum())
        total += int((pull * np.where(pull > 0, lower, upper)).sum())
        if of_goal == 0:
            return None if total > 0 else goal.constant
        return -(-total // of_goal) + goal.constant
