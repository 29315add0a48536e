"""Placements and orders together, for small clusters: a lexicographic 0-1 program.

Where a leader level is held back by where replicas stand, flows alone cannot tell which of the
equally good placements frees it. This program can. It is given the value of every level that is
already proved and minimises the others one after the other (OR-Tools CP-SAT, one worker, a
deterministic limit: same input, same answer).
"""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import Any

import numpy as np

from equipoise.cluster.brokers import IntArray
from equipoise.cluster.measures import replicas_per_rack
from equipoise.planning import goals as measure
from equipoise.planning.problem import Problem

LOG = logging.getLogger(__name__)
MAX_CELLS = 2_500
"""Partitions times brokers, up to which the program is tried."""
EFFORT_S = 4.0
"""Deterministic seconds for all levels together; what is still open then keeps the bound it has."""
MIN_EFFORT_S = 0.5


@dataclass(frozen=True, eq=False)
class Decided:
    """Lists, and the bound that the program proved for each goal it came to."""

    lists: IntArray
    bounds: dict[str, int]


def is_small(problem: Problem) -> bool:
    """True where the program has a fair chance to decide the cluster."""
    return int(problem.movable.sum()) * int(problem.eligible.sum()) <= MAX_CELLS


def decide(
    problem: Problem,
    goals: tuple[str, ...],
    proved: dict[str, int],
    hint: IntArray | None,
    *,
    model_type: type[Model] | None = None,
    effort_s: float = EFFORT_S,
) -> Decided | None:
    """The lexicographic optimum; None where no assignment satisfies the rules.

    ``proved`` holds values known to be optimal, of goals that come before all others; ``model_type``
    is a `Model` that knows further goals.
    """
    from ortools.sat.python import cp_model

    model = (model_type or Model)(problem, goals, cp_model)
    solver = cp_model.CpSolver()
    solver.parameters.num_workers = 1
    solver.parameters.random_seed = 1
    solver.parameters.catch_sigint_signal = False  # it would take Ctrl-C for the end of its search alone
    bounds = dict(proved)
    for goal in proved:
        model.cp.add(model.value(goal) <= proved[goal])
    # Ties are broken by changing as little as possible, so that a second run changes nothing.
    costs = [cost for cost in ("moves", "elections", "reorders") if cost not in goals]
    for goal in [goal for goal in goals if goal not in proved] + costs:
        if effort_s <= 0 and model.solution:
            break
        if hint is not None:
            model.suggest(hint)
        LOG.info("every placement and order: %s", goal)
        value = model.value(goal)
        model.cp.minimize(value)
        solver.parameters.max_deterministic_time = max(effort_s, MIN_EFFORT_S)
        status = solver.solve(model.cp)
        effort_s -= solver.response_proto.deterministic_time
        if status == cp_model.UNKNOWN and hint is not None:
            return Decided(hint, bounds)
        if status not in (cp_model.OPTIMAL, cp_model.FEASIBLE):
            return None
        reached = round(solver.objective_value)
        bounds[goal] = (
            reached if status == cp_model.OPTIMAL else int(np.ceil(solver.best_objective_bound - 1e-6))
        )
        model.keep(solver)
        hint = model.lists()
        model.cp.clear_objective()
        model.cp.add(value <= reached)
    return Decided(model.lists(), bounds)


class Model:
    """The 0-1 program of one problem; variables by (row, broker)."""

    def __init__(self, problem: Problem, goals: tuple[str, ...], cp_model: Any) -> None:
        self.problem, self.goals = problem, goals
        self.cp = cp_model.CpModel()
        self.rows = [int(row) for row in np.flatnonzero(problem.movable)]
        self.before = {row: [int(b) for b in problem.cluster.replicas[row] if b >= 0] for row in self.rows}
        self.current = {row: [int(b) for b in problem.current[row] if b >= 0] for row in self.rows}
        self.depth = self.positions_needed()
        self.held: dict[tuple[int, int], Any] = {}
        self.at: dict[tuple[int, int, int], Any] = {}
        for row in self.rows:
            self.add_row(row)
        self.add_budgets()
        self.solution: dict[int, list[int]] = {}

    def positions_needed(self) -> int:
        """How many leading positions of the list are variables: the leader, and what the goals ask about."""
        if "positions" in self.goals:
            return int(self.problem.rf[self.rows].max(initial=1))
        return 2 if "failover" in self.goals else 1

    def add_row(self, row: int) -> None:
        problem, cp = self.problem, self.cp
        rf, current = int(problem.rf[row]), self.current[row]
        allowed = (
            current
            if problem.request.leaders_only
            else [
                b
                for b in range(problem.cluster.n_brokers)
                if problem.eligible[b]
                and (b in current or problem.receives[b])
                and (rf > 1 or problem.leads[b])
            ]
        )
        for b in allowed:
            self.held[row, b] = cp.new_bool_var("")
        cp.add(sum(self.held[row, b] for b in allowed) == rf)
        for k in range(min(self.depth, rf)):
            for b in allowed:
                if k > 0 or problem.leads[b]:
                    self.at[row, b, k] = cp.new_bool_var("")
            cp.add(sum(self.at.get((row, b, k), 0) for b in allowed) == 1)
        for b in allowed:
            cp.add(sum(self.at.get((row, b, k), 0) for k in range(min(self.depth, rf))) <= self.held[row, b])
        for position, b in enumerate(problem.current[row]):
            if b >= 0 and problem.pinned[row, position]:
                cp.add(self.held[row, int(b)] == 1)
        self.add_rack_rule(row, allowed)
        if problem.request.max_changes_per_partition is not None:
            cp.add(self.arrivals(row) <= problem.request.max_changes_per_partition)

    def add_rack_rule(self, row: int, allowed: list[int]) -> None:
        problem = self.problem
        now = replicas_per_rack(problem.current[row : row + 1], problem.rack_idx, problem.n_racks)[0]
        growth = int(problem.rf[row]) - int(now.sum())
        for rack in range(problem.n_racks):
            count = sum(self.held[row, b] for b in allowed if problem.rack_idx[b] == rack)
            if problem.n_racks > 1:
                kept = 0 if problem.request.rack_rule == "strict" else int(now[rack])
                self.cp.add(count <= max(int(problem.limit[row]), kept))
            if problem.request.stay_in_rack and problem.n_racks > 1:
                if growth >= 0:
                    self.cp.add(count >= int(now[rack]))
                if growth <= 0:
                    self.cp.add(count <= int(now[rack]))

    def arrivals(self, row: int) -> Any:
        new = [var for (r, b), var in self.held.items() if r == row and b not in self.before[row]]
        return sum(new) if self.before[row] else 0

    def add_budgets(self) -> None:
        request = self.problem.request
        if request.max_moves is not None:
            self.cp.add(sum(self.arrivals(row) for row in self.rows) <= request.max_moves)
        if request.max_bytes is not None:
            size = np.nan_to_num(self.problem.cluster.size_bytes)
            self.cp.add(sum(int(size[row]) * self.arrivals(row) for row in self.rows) <= request.max_bytes)

    # what the goals count

    def replica_count(self, b: int, topic: int | None = None) -> Any:
        return sum(
            var
            for (row, at), var in self.held.items()
            if at == b and (topic is None or self.problem.cluster.topic_idx[row] == topic)
        )

    def position_count(self, b: int, k: int, topic: int | None = None) -> Any:
        return sum(
            var
            for (row, at, place), var in self.at.items()
            if at == b and place == k and (topic is None or self.problem.cluster.topic_idx[row] == topic)
        )

    def square(self, count: Any, low: int, high: int) -> Any:
        """Squared distance of a count from its band, by its tangents at whole numbers."""
        most = len(self.rows) * int(self.problem.rf.max(initial=1)) + abs(int(low)) + 1
        if high < measure.ANYTHING // 2:
            most += abs(int(high))
        distance, squared = self.cp.new_int_var(0, most, ""), self.cp.new_int_var(0, most * most, "")
        self.cp.add(distance >= int(low) - count)
        if high < measure.ANYTHING // 2:
            self.cp.add(distance >= count - int(high))
        for k in range(most):
            self.cp.add(squared >= (2 * k + 1) * distance - k * (k + 1))
        return squared

    def value(self, goal: str) -> Any:
        """The expression of a goal, as `goals.evaluate` counts it."""
        return getattr(self, "value_of_" + goal.replace("-", "_"))()

    def fixed(self) -> IntArray:
        """The lists of partitions that may not change."""
        return self.problem.current[~self.problem.movable]

    def value_of_racks(self) -> Any:
        excess = []
        for row in self.rows:
            for rack in range(self.problem.n_racks):
                over = self.cp.new_int_var(0, 1000, "")
                count = sum(
                    v for (r, b), v in self.held.items() if r == row and self.problem.rack_idx[b] == rack
                )
                self.cp.add(over >= count - int(self.problem.limit[row]))
                excess.append(over)
        return sum(excess)

    def value_of_moves(self) -> Any:
        return sum(self.arrivals(row) for row in self.rows)

    def value_of_elections(self) -> Any:
        """`elections`: one for each partition that had a leader and is no longer led by it."""
        return sum(1 - self.at.get((row, self.before[row][0], 0), 0) for row in self.rows if self.before[row])

    def value_of_replicas(self) -> Any:
        problem = self.problem
        base = np.bincount(self.fixed()[self.fixed() >= 0], minlength=problem.cluster.n_brokers)
        total = int(base[problem.eligible].sum() + problem.rf[self.rows].sum())
        low, high = measure.open_band(
            total, measure.weights(problem, problem.eligible), problem.request.tolerance or (0.0, 0.0)
        )
        return sum(
            self.square(self.replica_count(int(b)) + int(base[b]), low[b], high[b])
            for b in np.flatnonzero(problem.eligible)
        )

    def by_topic(self, allowed: Any, base: Any, total: Any, count: Any) -> Any:
        whole = measure.weights(self.problem, allowed)
        terms = []
        for topic in range(len(self.problem.cluster.topics)):
            low, high = measure.open_band(int(total[topic] + base[topic][allowed].sum()), whole)
            terms += [
                self.square(count(int(b), topic) + int(base[topic][b]), low[b], high[b])
                for b in np.flatnonzero(allowed)
            ]
        return sum(terms)

    def value_of_topics(self) -> Any:
        problem, lists = self.problem, self.problem.current
        row, position = np.nonzero((lists >= 0) & ~problem.movable[:, None])
        base = measure.table(problem, row, lists[row, position])
        total = np.bincount(
            problem.cluster.topic_idx[self.rows],
            weights=problem.rf[self.rows],
            minlength=len(problem.cluster.topics),
        )
        return self.by_topic(problem.eligible, base, total, self.replica_count)

    def led_for_good(self) -> Any:
        fixed = self.fixed()
        return np.bincount(
            fixed[:, 0] if len(fixed) else [], minlength=self.problem.cluster.n_brokers
        ).astype(int)

    def value_of_leaders(self) -> Any:
        base, leads = self.led_for_good(), self.problem.leads
        low, high = measure.open_band(
            int(base[leads].sum()) + len(self.rows), measure.weights(self.problem, leads)
        )
        return sum(
            self.square(self.position_count(int(b), 0) + int(base[b]), low[b], high[b])
            for b in np.flatnonzero(leads)
        )

    def value_of_rack_leaders(self) -> Any:
        problem, base = self.problem, self.led_for_good()
        weight = np.bincount(
            problem.rack_idx, weights=measure.weights(problem, problem.leads), minlength=problem.n_racks
        ).astype(np.int64)
        low, high = measure.open_band(int(base[problem.leads].sum()) + len(self.rows), weight)
        terms = []
        for rack in range(problem.n_racks):
            members = np.flatnonzero(problem.rack_idx == rack)
            count = sum(self.position_count(int(b), 0) for b in members) + int(base[members].sum())
            terms.append(self.square(count, low[rack], high[rack]))
        return sum(terms)

    def value_of_topic_leaders(self) -> Any:
        problem = self.problem
        fixed = np.flatnonzero(~problem.movable)
        base = measure.table(problem, fixed, problem.current[fixed, 0])
        total = np.bincount(problem.cluster.topic_idx[self.rows], minlength=len(problem.cluster.topics))
        return self.by_topic(problem.leads, base, total, lambda b, topic: self.position_count(b, 0, topic))

    def value_of_failover(self) -> Any:
        problem, n = self.problem, self.problem.cluster.n_brokers
        fixed, base = self.fixed(), self.led_for_good()
        led = [self.position_count(b, 0) + int(base[b]) for b in range(n)]
        low, high = measure.failover_bands(problem, int(base[problem.leads].sum()) + len(self.rows))
        heirs: dict[tuple[int, int], list[Any]] = {}
        for (row, b, k), leads in self.at.items():
            for s in range(n) if k == 0 else ():
                follows = self.at.get((row, s, 1))
                if follows is not None and s != b:
                    both = self.cp.new_bool_var("")
                    self.cp.add(both >= leads + follows - 1)
                    self.cp.add(both <= leads)
                    self.cp.add(both <= follows)
                    heirs.setdefault((b, s), []).append(both)
        terms = []
        for lost in range(n):
            for s in range(n):
                if s == lost or (low[lost, s] <= 0 and high[lost, s] >= measure.ANYTHING // 2):
                    continue
                gained = sum(1 for entry in fixed if len(entry) > 1 and entry[0] == lost and entry[1] == s)
                count = led[s] + sum(heirs.get((lost, s), [])) + gained
                terms.append(self.square(count, low[lost, s], high[lost, s]))
        return sum(terms)

    def value_of_positions(self) -> Any:
        problem, terms = self.problem, []
        for k in range(1, max(self.depth, self.fixed().shape[1])):
            fixed = self.fixed()[:, k] if k < self.fixed().shape[1] else np.zeros(0, dtype=np.int32)
            base = np.bincount(fixed[fixed >= 0], minlength=problem.cluster.n_brokers)
            total = int(base[problem.eligible].sum()) + sum(1 for row in self.rows if problem.rf[row] > k)
            low, high = measure.open_band(total, measure.weights(problem, problem.eligible))
            terms += [
                self.square(self.position_count(int(b), k) + int(base[b]), low[b], high[b])
                for b in np.flatnonzero(problem.eligible)
            ]
        return sum(terms)

    def value_of_reorders(self) -> Any:
        terms = []
        for row in self.rows:
            before = self.before[row]
            if len(before) != int(self.problem.rf[row]) or not before:
                continue
            reorder = self.cp.new_bool_var("")
            stays = sum(self.held.get((row, b), 0) for b in before) - len(before)
            for k in range(min(self.depth, len(before))):
                # every broker stays and position k differs
                self.cp.add(reorder >= stays + 1 - self.at.get((row, before[k], k), 0))
            terms.append(reorder)
        return sum(terms)

    # from and to lists

    def suggest(self, lists: IntArray) -> None:
        self.cp.clear_hints()
        for (row, b), var in self.held.items():
            self.cp.add_hint(var, int(b in lists[row]))
        for (row, b, k), var in self.at.items():
            self.cp.add_hint(var, int(k < lists.shape[1] and lists[row, k] == b))

    def keep(self, solver: Any) -> None:
        """Read the lists of a solution: arrivals take the places of what left, then the decided order."""
        for row in self.rows:
            held = [b for (r, b), var in self.held.items() if r == row and solver.value(var)]
            new = [b for b in held if b not in self.current[row]]
            entry = [b if b in held else (new.pop(0) if new else -1) for b in self.current[row]]
            entry = [b for b in entry if b >= 0] + new
            for k in range(min(self.depth, len(held))):
                chosen = next(b for b in held if (row, b, k) in self.at and solver.value(self.at[row, b, k]))
                entry.remove(chosen)
                entry.insert(k, chosen)
            self.solution[row] = entry

    def lists(self) -> IntArray:
        """``(n_partitions, max_rf)``."""
        width = max(self.problem.current.shape[1], int(self.problem.rf.max(initial=1)))
        lists = np.full((len(self.problem.current), width), -1, dtype=np.int32)
        lists[:, : self.problem.current.shape[1]] = self.problem.current
        for row, entry in self.solution.items():
            lists[row] = -1
            lists[row, : len(entry)] = entry
        return lists[:, : max(1, int((lists >= 0).sum(axis=1).max(initial=1)))]
