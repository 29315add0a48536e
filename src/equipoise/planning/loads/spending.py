"""What the budgets of a request leave to spend while replicas move one by one."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from equipoise.planning.loads.weights import BoolArray, Int64
from equipoise.planning.problem.problem import Problem
from equipoise.planning.rules import BUDGETS


@dataclass
class Purse:
    """One budget that is given."""

    cost: Int64
    """``(n_partitions,)``: what a data move of each uses up, rounded up."""
    left: Int64
    """``(n_partitions,)`` of a budget that each partition has for itself, else ``(1,)``."""

    def of(self, rows: Int64) -> Int64:
        """What is left to each of some partitions."""
        return self.left if len(self.left) == 1 else self.left[rows]


class Spending:
    """All budgets that are given; ``more`` are always data moves more (or, below 0, fewer) of ``rows``."""

    def __init__(self, problem: Problem, moves: Int64) -> None:
        """``moves`` ``(n_partitions,)``: those made so far."""
        self.each: list[Purse] = []
        self.shared: list[Purse] = []
        for budget in BUDGETS:
            allowed = budget.allowed(problem.request)
            if allowed is None:
                continue
            cost = np.ceil(budget.cost(problem)).astype(np.int64)
            used = cost * moves
            if budget.of_each:
                self.each.append(Purse(cost, allowed - used))
            else:
                self.shared.append(Purse(cost, np.array([allowed - used.sum()])))

    @property
    def binds(self) -> bool:
        """True where a budget is given."""
        return bool(self.each or self.shared)

    def allow(self, rows: Int64, more: Int64) -> BoolArray:
        """Rows that the budgets allow one by one; what costs nothing is always allowed."""
        good = np.ones(len(rows), dtype=bool)
        for purse in (*self.each, *self.shared):
            good &= more * purse.cost[rows] <= purse.of(rows)
        # A budget that is overdrawn, as rules may have forced it to be, still lets moves be taken back.
        return good | (more <= 0)

    def allow_up_to(self, rows: Int64, more: Int64) -> BoolArray:
        """Rows that the shared budgets allow together with all rows before them."""
        good = np.ones(len(rows), dtype=bool)
        for purse in self.shared:
            good &= np.cumsum(more * purse.cost[rows]) <= purse.left
        return good | (more <= 0)

    def allow_together(self, rows: Int64, more: Int64) -> bool:
        """True where the shared budgets allow all of the rows at once."""
        return all(int((more * purse.cost[rows]).sum()) <= purse.left[0] for purse in self.shared)

    def spend(self, rows: Int64, more: Int64) -> None:
        """``rows``: each once."""
        for purse in self.each:
            purse.left[rows] -= more * purse.cost[rows]
        for purse in self.shared:
            purse.left -= (more * purse.cost[rows]).sum()
