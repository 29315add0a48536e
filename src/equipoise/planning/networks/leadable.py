"""Every partition keeps a replica on a broker that may lead it.

Placement networks count replicas and do not know which of them may lead. Where several brokers lead
nothing (`--no-leaders-on`) a partition can come to stand on those alone; one replica is then exchanged.
The bounds of the placement stay what they are: of all placements, these among them.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from equipoise.cluster.brokers import IntArray
from equipoise.cluster.measures import replicas_per_broker, replicas_per_rack
from equipoise.planning.networks.network import Infeasible, Int64
from equipoise.planning.problem import Problem


def with_leaders(problem: Problem, lists: IntArray) -> IntArray:
    """The lists, with one replica exchanged where no broker may lead; `Infeasible` where that cannot be.

    Exchanges that cost the fewest data moves are taken, of those the one that levels best.
    """
    may_lead = ((lists >= 0) & problem.leads[np.maximum(lists, 0)]).any(axis=1)
    leaderless = np.flatnonzero(problem.movable & ~may_lead)
    if not len(leaderless):
        return lists
    if problem.request.leaders_only:
        raise Infeasible
    lists = lists.copy()
    held = replicas_per_broker(lists, problem.cluster.n_brokers)
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
    before = set(problem.cluster.replicas[row].tolist())
    pinned = set(problem.current[row][problem.pinned[row]].tolist())
    for place in np.flatnonzero(after >= 0):
        for broker in newcomers(problem, row, after, held) if after[place] not in pinned else ():
            tried = after.copy()
            tried[place] = broker
            moves = len(set(tried[tried >= 0].tolist()) - before)
            if keeps_rules(problem, row, tried, moves):
                yield moves, int(held[broker] - held[after[place]]), int(place), int(broker)


def newcomers(problem: Problem, row: int, after: IntArray, held: Int64) -> Iterator[int]:
    """Brokers that may lead: those the partition had, and of each rack the one that holds least."""
    yield from (int(b) for b in problem.current[row] if b >= 0 and problem.leads[b])
    others = np.flatnonzero(problem.leads & problem.receives)
    others = others[~np.isin(others, after)]
    others = others[np.argsort(held[others], kind="stable")]
    _, least = np.unique(problem.rack_idx[others], return_index=True)
    yield from others[least].tolist()


def keeps_rules(problem: Problem, row: int, tried: IntArray, moves: int) -> bool:
    """Limit on changes and rack rule of one partition."""
    request = problem.request
    if request.max_changes_per_partition is not None and moves > request.max_changes_per_partition:
        return False
    now, then = (
        replicas_per_rack(lists[None, :], problem.rack_idx, problem.n_racks)[0]
        for lists in (problem.current[row], tried)
    )
    most = problem.limit[row] if request.rack_rule == "strict" else np.maximum(problem.limit[row], now)
    if np.any(then > most):
        return False
    growth = int(problem.rf[row]) - now.sum()
    shrunk, grown = bool(np.any(then < now)), bool(np.any(then > now))
    return not request.stay_in_rack or not ((shrunk and growth >= 0) or (grown and growth <= 0))
