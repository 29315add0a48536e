"""Requests that nothing satisfies: a smallest set of rules that conflict, and the nearest ways out.

Bands are aims, never rules, so what can be impossible is one partition by itself (too few brokers or
racks for its replicas), or a budget below what the other rules need. The common conflicts are seen at
once (`Rule.conflict`); any other is found by solving for fewer and fewer partitions.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import NoReturn

import numpy as np
import numpy.typing as npt

from equipoise.cluster.brokers import IntArray
from equipoise.errors import ImpossibleRequest
from equipoise.planning.flow.network import Infeasible
from equipoise.planning.goals.moves import Moves
from equipoise.planning.networks.leadable import with_leaders
from equipoise.planning.networks.place import place
from equipoise.planning.problem.problem import Problem
from equipoise.planning.request.relaxations import Alone, together
from equipoise.planning.rules import BUDGETS, RULES, refuse_over_budget
from equipoise.planning.rules.answer import Answer
from equipoise.planning.rules.interface import Conflict
from equipoise.planning.rules.leaders_only import LeadersOnly
from equipoise.planning.rules.room import Room
from equipoise.planning.rules.ways import left_out

Int64 = npt.NDArray[np.int64]


def refuse(problem: Problem, row: int, reason: str) -> NoReturn:
    """Raise for a partition that cannot be placed."""
    raise ImpossibleRequest([reason], Alone.of(problem, row).ways_out())


def refuse_impossible(problem: Problem) -> None:
    """Raise `ImpossibleRequest` if some partition cannot be placed by the rules."""
    conflict = next(conflicts(problem), None)
    if conflict is not None:
        refuse(problem, *conflict)


def conflicts(problem: Problem) -> Iterator[Conflict]:
    """What is seen at once: of all partitions, then of one."""
    if not problem.movable.any():
        return
    most_replicas = int(np.where(problem.movable, problem.rf, -1).argmax())
    yield from (Conflict(most_replicas, words) for rule in RULES if (words := rule.closed(problem)))
    room = Room(problem)
    for rule in RULES:
        # Where nothing moves no rule about places can be in the way.
        if isinstance(rule, LeadersOnly) or not problem.stays:
            conflict = rule.conflict(room)
            if conflict is not None:
                yield conflict


def refuse_together(problem: Problem) -> NoReturn:
    """Raise for rules that each leave room and together leave none: a smallest set that conflicts."""
    row = culprit(problem)
    names = together(Alone.of(problem, row).conflicting()) or "the rules"
    refuse(problem, row, f"no place for partition {problem.cluster.label(row)} satisfies {names} together")


def culprit(problem: Problem) -> int:
    """A partition that cannot be placed by itself, found by halves; raises for a budget of all together."""
    rows = np.flatnonzero(problem.movable)
    try:
        lists = lists_of_fewest_moves(unlimited(problem))
    except Infeasible:
        while len(rows) > 1:
            half = rows[: len(rows) // 2]
            rows = rows[len(rows) // 2 :] if fits(problem, half) else half
        return int(rows[0])
    refuse_over_budget(problem, lists)
    return int(Answer(problem, lists).moves.argmax())  # it changes more than it may


def unlimited(problem: Problem) -> Problem:
    """The problem without budgets."""
    return replace(problem, request=left_out(problem.request, [budget.name for budget in BUDGETS]))


def lists_of_fewest_moves(problem: Problem) -> IntArray:
    """Lists that move no more than the rules need; raises `Infeasible`."""
    return with_leaders(problem, place(problem, (Moves.name,)).lists)


def fits(problem: Problem, rows: Int64) -> bool:
    """True where some partitions can be placed, the others as they are."""
    movable = np.zeros(len(problem.movable), dtype=bool)
    movable[rows] = True
    try:
        lists_of_fewest_moves(replace(problem, movable=movable))
    except Infeasible:
        return False
    return True
