"""Plans within a budget of data moves, for clusters too large for the 0-1 program.

A price on every move (a Lagrangian multiplier) makes the flow weigh balance against moves; the best
balance within a budget is where the price just brings the moves down to it. Between two prices lies a
face of equally good flows, on which the budget is met exactly.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import count
from math import isqrt
from typing import NamedTuple

import numpy as np

from equipoise.cluster import measures
from equipoise.cluster.brokers import IntArray
from equipoise.cluster.proofs import NetworkName
from equipoise.planning.basis.certificate import ProvedLevel
from equipoise.planning.flow.convex import narrow, solve
from equipoise.planning.flow.network import Infeasible, Int64, Network, Objective
from equipoise.planning.goals import goals_before
from equipoise.planning.goals.moves import Moves
from equipoise.planning.goals.racks import Racks
from equipoise.planning.goals.replicas import Replicas
from equipoise.planning.networks.faces import merged_network, solve_levels
from equipoise.planning.networks.place import place
from equipoise.planning.networks.placement import PlacementNetwork
from equipoise.planning.networks.placement_data import gather
from equipoise.planning.problem.problem import BoolArray, Problem
from equipoise.planning.rules.max_changes_per_partition import MAX_CHANGES
from equipoise.planning.rules.max_moves import MAX_MOVES

MAX_PRICE = 2**30
"""64 bits have to hold what all moves cost; where a move is that dear, no more of them are saved."""


def needed_moves(problem: Problem) -> int:
    """The fewest data moves that the rules alone allow."""
    free = MAX_MOVES.given(problem, None)
    return next(level.value for level in place(free, (Moves.name,)).levels if level.goal == Moves.name)


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
    racks: ProvedLevel | None = None
    """The level of ``racks`` that these counts keep, where it stands in front."""

    def of_moves(self, allowed: int, reached: int) -> ProvedLevel:
        """The fewest moves of plans whose ``replicas`` are no worse than ``reached``."""
        return fewest_moves(self.level, allowed, reached)


def fewest_moves(level: ProvedLevel, allowed: int, reached: int) -> ProvedLevel:
    """The fewest moves of plans that are no worse at the goal of a priced ``level`` than ``reached``.

    With m moves it is at least the bound with all ``allowed``, and the price of each that is not made.
    """
    price = int(level.potential[0])
    spared = (reached - level.value) // price if price else allowed
    return replace(level, goal=Moves.name, value=max(0, allowed - spared))


def racks_come_first(problem: Problem) -> bool:
    """True where the rack rule is mended before replicas are levelled."""
    goals = problem.goals
    first = all(Racks.name in goals_before(goals, goal) for goal in (Replicas.name, Moves.name))
    return problem.n_racks > 1 and first


def best_counts(problem: Problem, *, racks: bool = False, apart: BoolArray | None = None) -> Balanced:
    """The most level broker counts within ``--max-moves``; raises `Infeasible` if it is too low.

    ``racks``: among plans that mend the rack rule as far as it can be. ``apart``: ``(n_partitions,)``, never
    one unit with the others.
    """
    allowed = MAX_MOVES.allowed(problem.request) or 0
    data = gather(problem)
    # Kinds are units of the merged network; twice a kind's number leaves room for those of it that are apart.
    if apart is not None:
        kind = np.unique(2 * data.kind + apart[data.rows], return_inverse=True)[1]
        data = replace(data, kind=kind.astype(np.int64))
    net = merged_network(data)
    first: ProvedLevel | None = None
    if racks:
        levels, mended = solve_levels(net, net.network, (Racks.name,), NetworkName.MERGED)
        first, net = levels[0], replace(net, network=mended.network)
    spent = priced(net, net.objective(Replicas.name), allowed)
    held = np.zeros(problem.cluster.n_brokers, dtype=np.int64)
    held[data.brokers] = spent.flow[net.sink.index] + data.base
    return Balanced(held, spent.level(Replicas.name), spent.price, data.kind, first)


@dataclass(frozen=True, eq=False)
class Spent:
    """A goal on the merged network, as good as a budget of moves lets it be."""

    flow: Int64
    moves: int
    """Of the flow."""
    price: int
    """Of a move, as the goal counts."""
    bound: int
    potential: Int64

    def level(self, goal: str) -> ProvedLevel:
        """The bound on the goal within the budget."""
        prices = np.concatenate([[self.price], self.potential]).astype(np.int64)
        return ProvedLevel(goal, self.bound, NetworkName.MERGED_BUDGET, prices)


def priced(net: PlacementNetwork, goal: Objective, allowed: int) -> Spent:
    """The best of ``goal`` with so many moves, by the price of a move that brings them down to it.

    Raises `Infeasible` where no flow has so few.
    """
    moves, nodes = net.objective(Moves.name), net.data.problem.params.budget_nodes
    fewest = solve(net.network, moves, net.guess()).flow
    if moves.value(fewest) > allowed:
        raise Infeasible

    def with_price(price: int) -> Objective:
        return replace(goal, linear=goal.linear + moves.linear * price)

    def line(flow: Int64) -> Line:
        return Line(goal.value(flow), moves.value(flow))

    def best_line(price: int) -> Line:
        return line(solve(net.network, with_price(price), net.guess()).flow)

    for price in neighbours(best_line, line(fewest), allowed):
        best = solve(net.network, with_price(price), net.guess())
        face = narrow(net.network, with_price(price), best.potential)
        # the lower price may have made more moves than its best flows need
        fewest = solve(face, moves, net.guess()).flow
        if moves.value(fewest) <= allowed:
            break
    else:
        raise Infeasible
    flow = spend(face, moves, fewest, allowed, nodes)
    return Spent(
        # A plan with no more moves than allowed costs, at this price, no more than its value and the price of
        # the budget: so the least of both less the price of the budget is a bound on the value alone.
        flow, moves.value(flow), price, best.value + price * (moves.offset - allowed), best.potential
    )


class Line(NamedTuple):
    """What a flow costs at any price of a move: its value, and that price for each of its moves."""

    value: int
    moves: int


def neighbours(best_line: Callable[[int], Line], fewest: Line, allowed: int) -> tuple[int, int]:
    """The highest price of a move that is too low (or 0), and the next, which is high enough.

    ``best_line``: of a best flow at a price; ``fewest``: of one with the fewest moves.
    """
    # Moves fall as their price rises. Where the lines of a price too low and of one high enough cross, a flow
    # between the two pays off, or the moves pass the budget: a few crossings find what halving takes dozens
    # for. Every third price halves digits all the same, so that many lines close to each other do no harm.
    low, high, below, above = 0, MAX_PRICE, best_line(0), fewest
    if below.moves <= allowed:
        return 0, 1
    for turn in count(1):
        if high - low == 1:
            break
        crossing = (above.value - below.value) // max(1, below.moves - above.moves)
        price = crossing if turn % 3 else isqrt((low + 1) * high)
        price = min(max(price, low + 1), high - 1)
        found = best_line(price)
        if found.moves > allowed:
            low, below = price, found
        else:
            high, above = price, found
    return low, high


def spend(face: Network, moves: Objective, fewest: Int64, allowed: int, nodes: int) -> Int64:
    """The flow of the face with the most moves that the budget allows; ``fewest`` has no more.

    An integer program of the few arcs whose flow differs among equally good ones; what it is not done with
    near its root stays as it is.
    """
    from equipoise.planning.linear.highs import integer  # SciPy, where it is needed
    from equipoise.planning.linear.rows import Rows

    free = np.flatnonzero(face.upper > face.lower)
    left = allowed - moves.value(fewest)
    if not len(free) or left <= 0:
        return fewest
    # Columns are what differs from the flow with the fewest moves: nodes stay in balance, and all flows of
    # the face are equally good. So the only aim is to use the budget up.
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
    limit = MAX_CHANGES.allowed(problem.request)
    if limit is None:
        return None
    pinned = problem.pinned.copy()
    for row in np.flatnonzero(measures.arrivals_by_row(problem.cluster.replicas, lists) > limit):
        current = problem.current[row]
        leaves = [k for k, b in enumerate(current) if b >= 0 and b not in lists[row] and problem.eligible[b]]
        kept = int(((current >= 0) & problem.eligible[np.maximum(current, 0)]).sum())
        taken_over = measures.data_moves(problem.cluster.replicas[[row]], problem.current[[row]])
        # What has to come uses the limit up first; of what is
        # left each replica that may still leave takes one.
        forced = int(problem.rf[row]) - kept + taken_over
        pinned[row, leaves[max(0, limit - max(0, forced)) :]] = True
    return None if np.array_equal(pinned, problem.pinned) else replace(problem, pinned=pinned)
