"""What else a partition's list could be, and what that would break or cost: why the plan has this one."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from equipoise.cluster import measures
from equipoise.cluster.brokers import IntArray
from equipoise.planning.goals import is_known, value_of, weighs
from equipoise.planning.loads import weighed_goals, weighed_value
from equipoise.planning.problem.problem import Problem
from equipoise.planning.rules import RULES
from equipoise.planning.rules.answer import Answer


@dataclass(frozen=True)
class Otherwise:
    """Another list for a partition, all others as they are in the plan."""

    positions: tuple[int, ...]
    """Broker positions, the preferred leader first."""
    rule: str = ""
    """The first rule that it breaks; then no goal was measured."""
    goal: str = ""
    """The first goal at which it differs from the plan; "" where it is as good at all."""
    value: int = 0
    """Of that goal with this list."""
    planned: int = 0
    """Of that goal in the plan."""

    @property
    def is_worse(self) -> bool:
        return bool(self.rule) or self.value > self.planned


def otherwise(problem: Problem, lists: IntArray, row: int) -> list[Otherwise]:
    """Every other list that differs in one place: first the one from before, then others near the plan's.

    ``lists`` are those of the plan, ``(n_partitions, max_rf)``. On clusters so large that not all can be
    measured, targets that hold the fewest replicas come first.
    """
    before, after = held(problem.cluster.replicas[row]), held(lists[row])
    tried = list(dict.fromkeys(others(problem, lists, before, after)))
    values, goals = measured(problem)
    planned, left = values(lists), max(2, problem.params.other_replicas // max(1, lists.size))
    found = []
    for one, rule in zip(tried, broken_rules(problem, lists, row, tried), strict=True):
        if rule:
            found.append(Otherwise(one, rule))
        elif left > 0:
            left -= 1
            found.append(differs(one, goals, planned, values(with_list(lists, row, one))))
    return found


def held(positions: IntArray) -> tuple[int, ...]:
    return tuple(positions[positions >= 0].tolist())


def others(
    problem: Problem, lists: IntArray, before: tuple[int, ...], after: tuple[int, ...]
) -> Iterator[tuple[int, ...]]:
    """The list before; another target for each replica that comes; another leader where none comes."""
    if before and before != after:
        yield before
    count = measures.replicas_per_broker(lists, problem.cluster.n_brokers)
    by_load = np.lexsort((np.arange(len(count)), count)).tolist()
    come = [broker for broker in after if broker not in before]
    for broker in come:
        for other in by_load:
            if other not in after:
                yield tuple(other if one == broker else one for one in after)
    if not come:
        for broker in after[1:]:
            yield (broker, *(other for other in after if other != broker))


def broken_rules(problem: Problem, lists: IntArray, row: int, tried: Sequence[tuple[int, ...]]) -> list[str]:
    """For each list the first rule that it breaks, or ""."""
    if not tried:
        return []
    table = np.full((len(tried), max(lists.shape[1], max(map(len, tried)))), -1, dtype=np.int32)
    for at, one in enumerate(tried):
        table[at, : len(one)] = one
    answer = Answer(problem, table, np.full(len(tried), row, dtype=np.int64))
    found = [""] * len(tried)
    for rule in RULES:
        for at in np.flatnonzero(rule.broken(answer)).tolist():
            found[at] = found[at] or rule.name
    return found


def with_list(lists: IntArray, row: int, one: tuple[int, ...]) -> IntArray:
    """The plan's lists with another one for a partition."""
    made = lists.copy()
    made[row] = -1
    made[row, : len(one)] = one
    return made


def measured(problem: Problem) -> tuple[Callable[[IntArray], list[int]], list[str]]:
    """What measures lists at every goal that is known, in their order, and the names of those goals."""
    weighed = weighs(problem)
    wanted = weighed_goals(problem) if weighed else problem.goals
    goals = [goal for goal in wanted if is_known(problem.cluster, goal)]
    value = weighed_value if weighed else value_of
    return lambda lists: [value(problem, lists, goal) for goal in goals], goals


def differs(
    one: tuple[int, ...], goals: Sequence[str], planned: Sequence[int], values: Sequence[int]
) -> Otherwise:
    """The first goal at which a list differs from the plan's."""
    for goal, plans, has in zip(goals, planned, values, strict=True):
        if plans != has:
            return Otherwise(one, "", goal, has, plans)
    return Otherwise(one)
