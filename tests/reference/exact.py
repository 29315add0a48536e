"""The true lexicographic optimum of a small cluster, by 0-1 programs and nothing of the planner.

``stands[row][broker]`` says that a partition has a replica on a broker, ``at[row][place][broker]``
that it is there at one place of the list: the preferred leader, the first follower where ``failover``
asks for it, every place where ``positions`` does. Goals are minimised in order with HiGHS, each with
the values of those before it held.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np
from tests.reference import racks, values
from tests.reference.counting import OPEN, Band, as_lists, bands, size_of, weights_of
from tests.reference.goals.registry import GOALS
from tests.reference.program import ONE, ZERO, Program, Sum, total
from tests.reference.rules import broken_rules

from equipoise.planning import Problem

SCALE = 1_000_000
"""Sizes in the tests are whole megabytes: smaller numbers for the solver."""


@dataclass(frozen=True)
class Optimum:
    """The best values in the order of the goals, and lists that reach them."""

    values: dict[str, int]
    lists: list[list[int]]


def optimum(problem: Problem) -> Optimum | None:
    """The lexicographic optimum, or None where the rules leave no assignment."""
    model = Model(problem)
    reached: dict[str, int] = {}
    best = model.program.minimum(ZERO)
    for goal in problem.goals:
        objective = model.objective(goal)
        best = model.program.minimum(objective)
        if best is not None and best[0] != values.value(problem, model.lists(best[1]), goal):
            # HiGHS has been seen to end with a value above that of its own answer
            best = model.program.minimum(objective, presolve=False)
        if best is None:
            break
        reached[goal] = best[0]
        model.program.require(objective, high=best[0])
    if best is None:
        assert not reached, f"the program lost its optimum after {reached}"
        return None
    lists = model.lists(best[1])
    assert not broken_rules(problem, lists)
    assert reached == {goal: values.value(problem, lists, goal) for goal in problem.goals}
    return Optimum(reached, lists)


def least(problem: Problem, held: Mapping[str, int]) -> dict[str, int]:
    """The least value of each goal where those before it may be as large as in ``held``."""
    model, result = Model(problem), {}
    for goal in problem.goals:
        objective = model.objective(goal)
        best = model.program.minimum(objective)
        assert best is not None, f"{goal}: {held} cannot be had"
        result[goal] = best[0]
        model.program.require(objective, high=held[goal])
    return result


class Model:
    """The program of one problem."""

    def __init__(self, problem: Problem) -> None:
        self.problem, self.program = problem, Program()
        self.n = problem.cluster.n_brokers
        self.before = as_lists(problem.cluster.replicas)
        self.current = as_lists(problem.current)
        self.rows = range(len(self.before))
        self.rf = [self._rf(row) for row in self.rows]
        self.stands = [self._stands(row) for row in self.rows]
        self.at = [self._places(row) for row in self.rows]
        for row in self.rows:
            if problem.movable[row] and not problem.request.leaders_only:
                self._placement_rules(row)
        if problem.request.max_moves is not None:
            self.program.require(total(self.moves(row) for row in self.rows), high=problem.request.max_moves)
        if problem.request.max_bytes is not None:
            moving = total(size_of(problem, row) // SCALE * self.moves(row) for row in self.rows)
            self.program.require(moving, high=problem.request.max_bytes // SCALE)

    def _rf(self, row: int) -> int:
        fixed = not self.problem.movable[row] or self.problem.request.leaders_only
        return len(self.current[row]) if fixed else int(self.problem.rf[row])

    def _stands(self, row: int) -> list[Sum]:
        problem = self.problem
        if not problem.movable[row] or problem.request.leaders_only:
            return [ONE if b in self.current[row] else ZERO for b in range(self.n)]
        may = [problem.eligible[b] and (problem.receives[b] or b in self.current[row]) for b in range(self.n)]
        return [self.program.variable() if allowed else ZERO for allowed in may]

    def _places(self, row: int) -> list[list[Sum]]:
        """One of the brokers that hold the partition at each place that a goal looks at."""
        if not self.problem.movable[row]:
            return [[ONE if b == at else ZERO for b in range(self.n)] for at in self.before[row]]
        stands, places = self.stands[row], []
        asked = (GOALS[goal].places(self.rf[row]) for goal in self.problem.goals)
        for place in range(max(asked, default=1)):
            may = [place > 0 or bool(self.problem.leads[b]) for b in range(self.n)]
            held = [(stands[b].terms or stands[b].constant) and may[b] for b in range(self.n)]
            places.append([self.program.variable() if held[b] else ZERO for b in range(self.n)])
            self.program.require(total(places[-1]), 1, 1)
        for b in range(self.n):
            self.program.require(stands[b] - total(place[b] for place in places), low=0)
        return places

    def _placement_rules(self, row: int) -> None:
        problem, stands = self.problem, self.stands[row]
        self.program.require(total(stands), self.rf[row], self.rf[row])
        for broker, pinned in zip(problem.current[row], problem.pinned[row], strict=True):
            if pinned:
                self.program.require(stands[broker], low=1)
        now = Counter(int(problem.rack_idx[b]) for b in self.current[row])
        if problem.cluster.brokers.has_racks:
            most = racks.allowed(problem, self.current[row])
            self.program.require(self.excess(row), high=most)
        for rack in range(problem.n_racks):
            if problem.request.stay_in_rack:
                grows, shrinks = self.rf[row] > len(self.current[row]), self.rf[row] < len(self.current[row])
                low, high = (-np.inf if shrinks else now[rack]), (np.inf if grows else now[rack])
                self.program.require(self.in_rack(row, rack), low, high)
        if problem.request.max_changes_per_partition is not None:
            self.program.require(self.moves(row), high=problem.request.max_changes_per_partition)

    def in_rack(self, row: int, rack: int) -> Sum:
        return total(self.stands[row][b] for b in range(self.n) if self.problem.rack_idx[b] == rack)

    def excess(self, row: int) -> Sum:
        """What stands above the limit of its rack, or more."""
        limit = racks.limit(self.problem, self.rf[row])
        return total(self.over(self.in_rack(row, rack), limit) for rack in range(self.problem.n_racks))

    def moves(self, row: int) -> Sum:
        before = self.before[row]
        return total(self.stands[row][b] for b in range(self.n) if before and b not in before)

    def over(self, what: Sum, high: int) -> Sum:
        """A sum of variables that is at least what stands above ``high``; each has cost one."""
        extra = total(self.program.variable() for _ in range(self.most(what) - high))
        self.program.require(what - extra, high=high)
        return extra

    @staticmethod
    def most(what: Sum) -> int:
        return what.constant + sum(max(0, factor) for factor in what.terms.values())

    def squared(self, what: Sum, band: Band) -> Sum:
        """The squared distance from a band: the j-th unit of distance costs 2j - 1, so they fill in order."""
        low, high = band
        reach = 0 if high is None else self.most(what) - high
        below = [self.program.variable() for _ in range(low)]
        above = [self.program.variable() for _ in range(reach)]
        if below:
            self.program.require(what + total(below), low=low)
        if above:
            self.program.require(what - total(above), high=high)
        return total((2 * j + 1) * unit for steps in (below, above) for j, unit in enumerate(steps))

    def level(self, counts: Iterable[Sum], band: dict[int, Band]) -> Sum:
        return total(self.squared(count, band.get(node, OPEN)) for node, count in enumerate(counts))

    def count(self, brokers: Iterable[list[Sum]]) -> list[Sum]:
        """How many of the given 0-1 rows are at each broker."""
        rows = list(brokers)
        return [total(row[b] for row in rows) for b in range(self.n)]

    def known_total(self, rows: Iterable[list[Sum]], size: Iterable[int], among: Iterable[bool]) -> int:
        """How many of the rows' brokers are in ``among``, where no decision changes that."""
        inside, result = list(among), 0
        for brokers, held in zip(rows, size, strict=True):
            if any(b.terms for b in brokers):
                assert not any(b.terms for b, may in zip(brokers, inside, strict=True) if not may)
                result += held
            else:
                result += sum(b.constant for b, may in zip(brokers, inside, strict=True) if may)
        return result

    def level_rows(
        self,
        rows: list[list[Sum]],
        size: list[int],
        among: Iterable[bool],
        tolerance: tuple[float, float] = (0, 0),
    ) -> Sum:
        """Squared distances of the brokers' counts from their share of the total over ``among``."""
        weight = weights_of(self.problem, list(among))
        return self.level(self.count(rows), bands(self.known_total(rows, size, among), weight, tolerance))

    def objective(self, goal: str) -> Sum:
        """A sum whose least value is the goal's."""
        return GOALS[goal].objective(self)

    def by_topic(self, rows: list[list[Sum]], size: list[int], among: Iterable[bool]) -> Sum:
        parts = []
        for topic in range(len(self.problem.cluster.topics)):
            mine = [row for row in self.rows if self.problem.cluster.topic_idx[row] == topic]
            parts.append(self.level_rows([rows[row] for row in mine], [size[row] for row in mine], among))
        return total(parts)

    def leading(self) -> tuple[list[list[Sum]], list[int]]:
        """Who leads each partition, and that it is one."""
        return [places[0] for places in self.at], [1 for _ in self.rows]

    def lists(self, answer: np.ndarray) -> list[list[int]]:
        """The lists of an answer; places that no goal looks at keep their order."""
        return [self.list_of(row, answer) for row in self.rows]

    def list_of(self, row: int, answer: np.ndarray) -> list[int]:
        def chosen(brokers: list[Sum]) -> list[int]:
            return [b for b, s in enumerate(brokers) if s.constant + sum(answer[v] for v in s.terms) > 0.5]

        front = [chosen(place)[0] for place in self.at[row]]
        held = chosen(self.stands[row])
        kept = [b for b in self.before[row] if b in held]
        rest = kept + [b for b in held if b not in kept]
        return front + [b for b in rest if b not in front]
