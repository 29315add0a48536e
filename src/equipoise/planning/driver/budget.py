"""Plans within a budget of data moves, for clusters too large for the 0-1 program.

A price on every move (a Lagrangian multiplier) makes the flow weigh balance against moves; the best
balance within a budget is where the price just brings the moves down to it. Between two prices lies a
face of equally good flows, on which the budget is met exactly.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from equipoise.cluster import measures
from equipoise.cluster.brokers import IntArray
from equipoise.cluster.proofs import NetworkName
from equipoise.planning.certificate import ProvedLevel
from equipoise.planning.flow.convex import narrow, solve
from equipoise.planning.flow.network import Int64, Network, Objective
from equipoise.planning.networks.place import merged_network, place
from equipoise.planning.networks.placement_data import gather
from equipoise.planning.problem.problem import Problem
from equipoise.planning.rules.max_moves import MaxMoves

MAX_PRICE = 2**30
"""64 bits have to hold what all moves cost; where a move is that dear, no more of them are saved."""


def arrivals_by_row(problem: Problem, lists: IntArray) -> Int64:
    """Data moves of each partition, ``(n_partitions,)``."""
    return measures.arrivals(problem.cluster.replicas, lists).sum(axis=1)


def needed_moves(problem: Problem) -> int:
    """The fewest data moves that the rules alone allow."""
    free = replace(problem, request=replace(problem.request, max_moves=None))
    return next(level.value for level in place(free, ("moves",)).levels if level.goal == "moves")


@dataclass(frozen=True, eq=False)
class Balanced:
    """The broker counts of the best balance within a budget."""

    held: Int64
    """``(n_brokers,)``: replicas of each broker afterwards."""
    level: ProvedLevel
    """The bound on ``replicas`` within the budget: the price of a move, and potentials that go with it."""
    price: int
    """Of a move, in squared replicas."""
    kind: Int64
    """``(n_rows,)``: the unit of each movable row in the merged network."""

    def of_moves(self, allowed: int, reached: int) -> ProvedLevel:
        """The fewest moves of plans whose ``replicas`` are no worse than ``reached``.

        With m moves they are at least the bound with all ``allowed``, and the price of each that is not made.
        """
        spared = (reached - self.level.value) // self.price if self.price else allowed
        return replace(self.level, goal="moves", value=max(0, allowed - spared))


def best_counts(problem: Problem) -> Balanced:
    """The most level broker counts within ``--max-moves``; raises `ImpossibleRequest` if it is too low."""
    allowed = int(problem.request.max_moves or 0)
    MaxMoves().refuse(needed_moves(problem), problem.request)
    data = gather(problem)
    net = merged_network(data)
    moves, level = net.objective("moves"), net.objective("replicas")

    def priced(price: int) -> Objective:
        return replace(level, linear=moves.linear * price)

    def count(flow: Int64) -> int:
        return moves.value(flow)

    low, high = 0, 1
    while high < MAX_PRICE and count(solve(net.network, priced(high), net.guess()).flow) > allowed:
        low, high = high, high * 2
    while high - low > 1:
        middle = (low + high) // 2
        if count(solve(net.network, priced(middle), net.guess()).flow) > allowed:
            low = middle
        else:
            high = middle
    for price in (low, high):  # the lower one may have made more moves than its best flows need
        best = solve(net.network, priced(price), net.guess())
        face = narrow(net.network, priced(price), best.potential)
        fewest = solve(face, moves, net.guess()).flow
        if count(fewest) <= allowed:
            break
    flow = spend(face, moves, fewest, allowed, problem.params.budget_nodes)
    bound = best.value + price * (moves.offset - allowed)
    held = np.zeros(problem.cluster.n_brokers, dtype=np.int64)
    held[data.brokers] = flow[net.sink.index] + data.base
    prices = np.concatenate([[price], best.potential]).astype(np.int64)
    level_of_all = ProvedLevel("replicas", bound, NetworkName.MERGED_BUDGET, prices)
    return Balanced(held, level_of_all, price, data.kind)


def spend(face: Network, moves: Objective, fewest: Int64, allowed: int, nodes: int) -> Int64:
    """The flow of the face with the most moves that the budget allows; ``fewest`` has no more.

    An integer program of the few arcs whose flow differs among equally good ones; what it is not done with
    near its root stays as it is.
    """
    from equipoise.planning.linear.highs import Rows, integer  # SciPy, where it is needed

    free = np.flatnonzero(face.upper > face.lower)
    left = allowed - moves.value(fewest)
    if not len(free) or not left:
        return fewest
    arc, n_nodes, price = np.arange(len(free)), len(face.supply), moves.linear[free]
    least, most = np.r_[np.zeros(n_nodes), -np.inf], np.r_[np.zeros(n_nodes), left]
    rows = Rows.of(
        (n_nodes + 1, len(free)), least, most,
        (face.tail[free], arc, 1), (face.head[free], arc, -1), (np.full(len(free), n_nodes), arc, price),
    )  # fmt: skip
    room = face.lower[free] - fewest[free], face.upper[free] - fewest[free]
    answer = integer(-price, rows, *room, nodes=nodes)
    flow = fewest.copy()
    if answer is not None:
        flow[free] += np.rint(answer.x).astype(np.int64)
    return flow


def pinned_to(problem: Problem, lists: IntArray) -> Problem | None:
    """The problem with those replicas pinned that would be one change too many; None if none are."""
    limit = problem.request.max_changes_per_partition
    if limit is None:
        return None
    pinned = problem.pinned.copy()
    for row in np.flatnonzero(arrivals_by_row(problem, lists) > limit):
        current = problem.current[row]
        leaves = [k for k, b in enumerate(current) if b >= 0 and b not in lists[row] and problem.eligible[b]]
        kept = int(((current >= 0) & problem.eligible[np.maximum(current, 0)]).sum())
        taken_over = measures.data_moves(problem.cluster.replicas[[row]], problem.current[[row]])
        forced = int(problem.rf[row]) - kept + taken_over
        pinned[row, leaves[max(0, limit - max(0, forced)) :]] = True
    return None if np.array_equal(pinned, problem.pinned) else replace(problem, pinned=pinned)
