"""Every partition keeps a replica on a broker that may lead it.

Placement networks count replicas and do not know which of them may lead. Where several brokers lead
nothing (`--no-leaders-on`) a partition can come to stand on those alone; one replica is then exchanged.
The bounds of the placement stay what they are: of all placements, these among them.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from equipoise.cluster.brokers import IntArray
from equipoise.cluster.measures import replicas_per_broker
from equipoise.planning.flow.network import Infeasible, Int64
from equipoise.planning.problem.problem import Problem
from equipoise.planning.rules import broken
from equipoise.planning.rules.answer import Answer


def with_leaders(problem: Problem, lists: IntArray) -> IntArray:
    """The lists, with one replica exchanged where no broker may lead; `Infeasible` where that cannot be.

    Exchanges that cost the fewest data moves are taken, of those the one that levels best.
    """
    may_lead = ((lists >= 0) & problem.leads[np.maximum(lists, 0)]).any(axis=1)
    leaderless = np.flatnonzero(problem.movable & ~may_lead)
    if not len(leaderless):
        return lists
    if problem.stays:
        raise Infeasible
    lists = lists.copy()
    held = replicas_per_broker(lists, problem.cluster.n_brokers)
    # One after the other, since each exchange changes what brokers hold for the next; such rows are few.
    for row in leaderless.tolist():
        best = min(exchanges(problem, row, lists[row], held), default=None)
        if best is None:
            raise Infeasible
        _, _, place, broker = best
        held[lists[row, place]] -= 1
        held[broker] += 1
        lists[row, place] = broker
    return lists


def exchanges(
    problem: Problem, row: int, after: IntArray, held: Int64
) -> Iterator[tuple[int, int, int, int]]:
    """What keeps the rules: data moves, how much more the new broker holds, place in the list, new broker."""
    tries = [
        (int(place), broker)
        for place in np.flatnonzero(after >= 0)
        for broker in newcomers(problem, row, after, held)
    ]
    # The one who comes may lead, so it is tried as the first of the list.
    lists = np.array([[broker, *np.delete(after, place)] for place, broker in tries], dtype=np.int32)
    answer = Answer(problem, lists.reshape(-1, len(after)), np.full(len(tries), row))
    for (place, broker), moves, bad in zip(tries, answer.moves.tolist(), broken(answer), strict=True):
        if not bad:
            yield moves, int(held[broker] - held[after[place]]), place, broker


def newcomers(problem: Problem, row: int, after: IntArray, held: Int64) -> Iterator[int]:
    """Brokers that may lead: those the partition had, and of each rack the one that holds least."""
    yield from (int(b) for b in problem.current[row] if b >= 0 and problem.leads[b])
    others = np.flatnonzero(problem.leads & problem.receives)
    others = others[~np.isin(others, after)]
    others = others[np.argsort(held[others], kind="stable")]
    _, least = np.unique(problem.rack_idx[others], return_index=True)
    yield from others[least].tolist()
