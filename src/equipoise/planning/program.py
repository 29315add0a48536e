"""The 0-1 program of a small cluster: who holds what, who stands first, and the rules."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from equipoise.cluster.brokers import IntArray
from equipoise.cluster.measures import replicas_per_rack
from equipoise.planning.problem import Problem


class Program:
    """Variables by (row, broker) and by (row, broker, position), and what the rules ask of them."""

    def __init__(self, problem: Problem, goals: tuple[str, ...]) -> None:
        from ortools.sat.python import cp_model

        self.problem, self.goals = problem, goals
        self.cp: Any = cp_model.CpModel()
        self.rows = [int(row) for row in np.flatnonzero(problem.movable)]
        self.before = {row: [int(b) for b in problem.cluster.replicas[row] if b >= 0] for row in self.rows}
        self.current = {row: [int(b) for b in problem.current[row] if b >= 0] for row in self.rows}
        self.allowed = {row: self.brokers_for(row) for row in self.rows}
        self.depth = self.positions_needed()
        self.held: dict[tuple[int, int], Any] = {}
        self.at: dict[tuple[int, int, int], Any] = {}
        for row in self.rows:
            self.add_row(row)
        self.add_budgets()

    def positions_needed(self) -> int:
        """How many leading positions of the list are variables: the leader, and what the goals ask about."""
        if "positions" in self.goals:
            return int(self.problem.rf[self.rows].max(initial=1))
        return 2 if "failover" in self.goals else 1

    def brokers_for(self, row: int) -> list[int]:
        """Brokers that may hold a partition."""
        problem, current = self.problem, self.current[row]
        if problem.request.leaders_only:
            return current
        may = problem.eligible & (problem.leads | (problem.rf[row] > 1))
        return [int(b) for b in np.flatnonzero(may) if b in current or problem.receives[b]]

    def add(self, rule: Any) -> None:
        """Ask for a rule; one that holds of itself is no row of the program."""
        if rule is not True:
            self.cp.add(rule)

    def keep(self, expression: Any, low: int, high: int) -> None:
        """Ask for a sum within bounds; one without variables is none."""
        if not isinstance(expression, int):
            self.cp.add_linear_constraint(expression, low, high)

    def add_row(self, row: int) -> None:
        problem, cp = self.problem, self.cp
        rf, allowed = int(problem.rf[row]), self.allowed[row]
        places = range(min(self.depth, rf))
        for b in allowed:
            self.held[row, b] = cp.new_bool_var("")
        self.add(sum(self.held[row, b] for b in allowed) == rf)
        for k in places:
            for b in allowed:
                if k > 0 or problem.leads[b]:
                    self.at[row, b, k] = cp.new_bool_var("")
            self.add(sum(self.at.get((row, b, k), 0) for b in allowed) == 1)
        for b in allowed:
            self.add(sum(self.at.get((row, b, k), 0) for k in places) <= self.held[row, b])
        for b in problem.current[row][problem.pinned[row]]:
            self.add(self.held.get((row, int(b)), 0) == 1)
        self.add_rack_rule(row)
        if problem.request.max_changes_per_partition is not None:
            self.add(self.arrivals(row) <= problem.request.max_changes_per_partition)

    def add_rack_rule(self, row: int) -> None:
        problem = self.problem
        if problem.n_racks == 1:
            return
        now = replicas_per_rack(problem.current[row : row + 1], problem.rack_idx, problem.n_racks)[0]
        growth = int(problem.rf[row]) - int(now.sum())
        for rack in range(problem.n_racks):
            count = sum(self.inside(row, rack))
            kept = 0 if problem.request.rack_rule == "strict" else int(now[rack])
            self.add(count <= max(int(problem.limit[row]), kept))
            if problem.request.stay_in_rack:
                if growth >= 0:
                    self.add(count >= int(now[rack]))
                if growth <= 0:
                    self.add(count <= int(now[rack]))

    def inside(self, row: int, rack: int) -> list[Any]:
        """What may hold a partition in a rack."""
        return [self.held[row, b] for b in self.allowed[row] if self.problem.rack_idx[b] == rack]

    def arrivals(self, row: int) -> Any:
        new = [self.held[row, b] for b in self.allowed[row] if b not in self.before[row]]
        return sum(new) if self.before[row] else 0

    def add_budgets(self) -> None:
        request = self.problem.request
        if request.max_moves is not None:
            self.add(sum(self.arrivals(row) for row in self.rows) <= request.max_moves)
        if request.max_bytes is not None:
            size = np.nan_to_num(self.problem.cluster.size_bytes)
            self.add(sum(int(size[row]) * self.arrivals(row) for row in self.rows) <= request.max_bytes)

    # from and to lists

    def suggest(self, lists: IntArray) -> None:
        """Let the solver start from lists."""
        self.cp.clear_hints()
        for (row, b), var in self.held.items():
            self.cp.add_hint(var, int(b in lists[row]))
        for (row, b, k), var in self.at.items():
            self.cp.add_hint(var, int(k < lists.shape[1] and lists[row, k] == b))

    def lists(self, is_true: Callable[[Any], bool]) -> IntArray:
        """The lists of a solution, ``(n_partitions, max_rf)``."""
        width = max(self.problem.current.shape[1], int(self.problem.rf.max(initial=1)))
        lists = np.full((len(self.problem.current), width), -1, dtype=np.int32)
        lists[:, : self.problem.current.shape[1]] = self.problem.current
        for row in self.rows:
            entry = self.entry(row, is_true)
            lists[row] = -1
            lists[row, : len(entry)] = entry
        return lists[:, : max(1, int((lists >= 0).sum(axis=1).max(initial=1)))]

    def entry(self, row: int, is_true: Callable[[Any], bool]) -> list[int]:
        """One list: arrivals take the places of what left, then comes the decided order."""
        held = [b for b in self.allowed[row] if is_true(self.held[row, b])]
        new = [b for b in held if b not in self.current[row]]
        entry = [b if b in held else (new.pop(0) if new else -1) for b in self.current[row]]
        entry = [b for b in entry if b >= 0] + new
        for k in range(min(self.depth, len(held))):
            chosen = next(b for b in held if (row, b, k) in self.at and is_true(self.at[row, b, k]))
            entry.remove(chosen)
            entry.insert(k, chosen)
        return entry
