"""The 0-1 program of a small cluster: who holds what, who stands first, and the rules."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from equipoise.cluster.brokers import IntArray
from equipoise.cluster.measures import replicas_per_rack
from equipoise.planning.goals import GOALS
from equipoise.planning.problem.problem import Problem
from equipoise.planning.programs.rows import RowWriter, Sum, total
from equipoise.planning.rules import BUDGETS, spans
from equipoise.planning.rules.interface import MANY
from equipoise.planning.rules.rack_rule import allowed_excess


class Program(RowWriter):
    """Variables by (row, broker) and by (row, broker, position), and what the rules ask of them."""

    def __init__(self, problem: Problem, goals: tuple[str, ...]) -> None:
        super().__init__()
        self.problem, self.goals = problem, goals
        self.rows = [int(row) for row in np.flatnonzero(problem.movable)]
        self.before = {row: [int(b) for b in problem.cluster.replicas[row] if b >= 0] for row in self.rows}
        self.current = {row: [int(b) for b in problem.current[row] if b >= 0] for row in self.rows}
        self.allowed = {row: self.brokers_for(row) for row in self.rows}
        self.depth = self.positions_needed()
        self.held: dict[tuple[int, int], Sum] = {}
        self.at: dict[tuple[int, int, int], Sum] = {}
        self.excess: dict[int, Sum] = {}
        """Replicas above the limit of their rack, of partitions that may have some."""
        self.budgets = [
            (budget, budget.cost(problem), allowed)
            for budget in BUDGETS
            if (allowed := budget.allowed(problem.request)) is not None
        ]
        for row in self.rows:
            self.add_row(row)
        # Rows are numbered as they are made, here and by the
        # judge: those of single partitions first, then these.
        self.add_budgets(self.rows, of_each=False)

    def positions_needed(self) -> int:
        """How many leading positions of the list are variables: the leader, and what the goals ask about."""
        most = int(self.problem.rf[self.rows].max(initial=1))
        return max((GOALS[goal].depth(most) for goal in self.goals if goal in GOALS), default=1)

    def brokers_for(self, row: int) -> list[int]:
        """Brokers that may hold a partition."""
        problem, current = self.problem, self.current[row]
        if problem.stays:
            return current
        # Whoever holds the only replica leads it, so a broker
        # that may not lead cannot hold a partition of one.
        may = problem.eligible & (problem.leads | (problem.rf[row] > 1))
        return [int(b) for b in np.flatnonzero(may) if b in current or problem.receives[b]]

    def add_row(self, row: int) -> None:
        problem = self.problem
        rf, allowed = int(problem.rf[row]), self.allowed[row]
        places = range(min(self.depth, rf))
        for b in allowed:
            self.held[row, b] = self.column()
        self.equal(total(self.held[row, b] for b in allowed), rf)
        for k in places:
            for b in allowed:
                if k > 0 or problem.leads[b]:
                    self.at[row, b, k] = self.column()
            self.equal(total(self.at.get((row, b, k), 0) for b in allowed), 1)
        for b in allowed:
            # One row for all positions: a replica stands at one of them. With a row for each, the same
            # replica could lead and follow first at once.
            self.at_most(total(self.at.get((row, b, k), 0) for k in places) - self.held[row, b], 0)
        for b in problem.current[row][problem.pinned[row]]:
            self.equal(self.held.get((row, int(b)), 0), 1)
        self.add_racks(row)
        self.add_budgets([row], of_each=True)

    def add_racks(self, row: int) -> None:
        """What the rules let each rack hold of a partition."""
        problem, here = self.problem, np.array([row])
        if problem.n_racks == 1:
            return
        held = replicas_per_rack(problem.current[here], problem.rack_idx, problem.n_racks)
        now = held.astype(np.int64)
        asked = [np.broadcast_arrays(now, *span)[1:] for span in spans(problem, here, now)]
        for rack in range(problem.n_racks):
            count = total(self.inside(row, rack))
            for least, most in asked:
                if least[0, rack] >= 0:
                    self.at_least(count, int(least[0, rack]))
                if most[0, rack] < MANY:
                    self.at_most(count, int(most[0, rack]))
        if (allowed := int(allowed_excess(problem, here, now)[0])) > 0:
            limit = int(problem.limit[row])
            # The rows above let each rack have all that is allowed; only here are racks together held to it.
            self.excess[row] = total(self.above(self.inside(row, r), limit) for r in range(problem.n_racks))
            self.at_most(self.excess[row], allowed)

    def above(self, inside: list[Sum], limit: int) -> Sum:
        """How many of the variables are 1 above a limit, or more."""
        # Asked for on one side alone: more of them than stand above the limit only cost more.
        over = [self.column() for _ in inside[limit:]]
        if over:
            self.at_most(total(inside) - total(over), limit)
        return total(over)

    def inside(self, row: int, rack: int) -> list[Sum]:
        """What may hold a partition in a rack."""
        return [self.held[row, b] for b in self.allowed[row] if self.problem.rack_idx[b] == rack]

    def arrivals(self, row: int) -> Sum:
        """Data moves of a partition."""
        # What the new broker of ``--replace`` takes over is copied too, so this asks for ``before``, not
        # ``current``. A partition to be created has no data that could be copied, and counts nothing.
        new = [self.held[row, b] for b in self.allowed[row] if b not in self.before[row]]
        return total(new) if self.before[row] else total(())

    def add_budgets(self, rows: list[int], *, of_each: bool) -> None:
        """What the budgets let partitions move together, or (``of_each``) one by itself."""
        for budget, cost, allowed in self.budgets:
            if budget.of_each == of_each:
                self.at_most(total(int(cost[row]) * self.arrivals(row) for row in rows), allowed)

    # to lists, and back from them

    def columns_of(self, lists: IntArray) -> dict[int, bool]:
        """Who holds what and who stands first in lists, as columns; others follow from those."""
        held = {one.column: b in lists[row] for (row, b), one in self.held.items()}
        width = lists.shape[1]
        at = {one.column: k < width and bool(lists[row, k] == b) for (row, b, k), one in self.at.items()}
        return held | at

    def lists(self, is_true: Callable[[Sum], bool]) -> IntArray:
        """The lists of a solution, ``(n_partitions, max_rf)``."""
        width = max(self.problem.current.shape[1], int(self.problem.rf.max(initial=1)))
        lists = np.full((len(self.problem.current), width), -1, dtype=np.int32)
        lists[:, : self.problem.current.shape[1]] = self.problem.current
        for row in self.rows:
            entry = self.entry(row, is_true)
            lists[row] = -1
            lists[row, : len(entry)] = entry
        return lists[:, : max(1, int((lists >= 0).sum(axis=1).max(initial=1)))]

    def entry(self, row: int, is_true: Callable[[Sum], bool]) -> list[int]:
        """One list: arrivals take the places of what left, then comes the decided order."""
        held = [b for b in self.allowed[row] if is_true(self.held[row, b])]
        new = [b for b in held if b not in self.current[row]]
        entry = [b if b in held else (new.pop(0) if new else -1) for b in self.current[row]]
        entry = [b for b in entry if b >= 0] + new
        for k in range(min(self.depth, len(held))):
            chosen = next(b for b in held if (row, b, k) in self.at and is_true(self.at[row, b, k]))
            # From the front on: what comes later is put behind, and moves none that is decided.
            entry.remove(chosen)
            entry.insert(k, chosen)
        return entry
