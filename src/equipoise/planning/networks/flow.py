"""Minimum-cost flow with convex arcs, level after level, each with its dual proof.

The only file that knows OR-Tools' flow solver. A goal is an objective on a network; solving it
gives a flow and potentials whose Lagrangian bound equals the value. `narrow` then keeps the optimal
face: by complementary slackness every optimal flow lies in the narrowed intervals, and every flow
in them is optimal, so the next goal is solved there without big weights (R. K. Ahuja, T. L. Magnanti,
J. B. Orlin, "Network Flows", chapters 9 and 14).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

Int64 = npt.NDArray[np.int64]
Int32 = npt.NDArray[np.int32]

UNIT_STEPS = 16
"""Steps of width one on each side of the guess; wider ones follow, and are refined where they matter."""


class Infeasible(Exception):
    """No flow meets the supplies within the arc bounds."""


@dataclass(frozen=True, eq=False)
class Network:
    """Nodes with a supply (outflow minus inflow) and arcs with integer bounds."""

    supply: Int64
    """``(n_nodes,)``, sums to 0."""
    tail: Int32
    head: Int32
    lower: Int64
    """``(n_arcs,)`` as ``tail``, ``head`` and ``upper``."""
    upper: Int64


@dataclass(frozen=True, eq=False)
class Objective:
    """``sum(linear * flow) + sum(distance(flow[convex], band) ** 2) + offset``."""

    linear: Int64
    """``(n_arcs,)``."""
    convex: Int32
    """Arcs whose flow is pulled into a band, ``(n_convex,)``."""
    band_low: Int64
    band_high: Int64
    offset: int = 0

    @classmethod
    def of_linear(cls, linear: Int64, offset: int = 0) -> Objective:
        none = np.zeros(0, dtype=np.int64)
        return cls(linear.astype(np.int64), none.astype(np.int32), none, none, offset)

    @classmethod
    def of_bands(cls, n_arcs: int, arcs: Int32, low: Int64, high: Int64, offset: int = 0) -> Objective:
        return cls(np.zeros(n_arcs, dtype=np.int64), arcs.astype(np.int32), low, high, offset)

    def value(self, flow: Int64) -> int:
        return int((self.linear * flow).sum() + (self.distance(flow[self.convex]) ** 2).sum()) + self.offset

    def distance(self, x: Int64) -> Int64:
        """How far each convex arc's flow is outside its band, ``(n_convex,)``."""
        return np.maximum(np.maximum(self.band_low - x, x - self.band_high), 0)


@dataclass(frozen=True, eq=False)
class Optimum:
    """A flow of least cost and the potentials that prove it."""

    flow: Int64
    potential: Int64
    value: int


def solve(network: Network, objective: Objective, guess: Int64 | None = None) -> Optimum:
    """The least cost and its proof; ``guess`` is a likely flow (``(n_arcs,)``). Raises `Infeasible`."""
    bounded = network.lower[objective.convex], network.upper[objective.convex]
    near = np.zeros(len(network.tail), dtype=np.int64) if guess is None else guess
    centre = np.clip(np.clip(near[objective.convex], objective.band_low, objective.band_high), *bounded)
    best: Int64 | None = None
    while True:
        flow, exact = solve_stepwise(network, objective, centre)
        # A wider step costs what its ends cost, so the true cost can only fall from round to round;
        # where it no longer does, the steps around the last flow were exact and it was optimal.
        if best is not None and objective.value(flow) >= objective.value(best):
            break
        best = flow
        if exact:
            break
        centre = flow[objective.convex]
    return Optimum(best, potentials(network, objective, best), objective.value(best))


def solve_stepwise(network: Network, objective: Objective, centre: Int64) -> tuple[Int64, bool]:
    """Least-cost flow with convex costs cut into steps around ``centre``; True if no wide step mattered."""
    from ortools.graph.python.min_cost_flow import SimpleMinCostFlow

    series = join_series(network, objective)
    lower, upper = series.lower[objective.convex], series.upper[objective.convex]
    step = steps(objective, lower, upper, np.clip(centre, lower, upper))
    is_convex = np.zeros(len(network.tail), dtype=bool)
    is_convex[objective.convex] = True
    plain = np.flatnonzero(~is_convex & (series.upper > series.lower) & ~series.follows)
    arc = np.concatenate([plain, objective.convex[step.owner]])
    width = np.concatenate([(series.upper - series.lower)[plain], step.width])
    cost = objective.linear[arc]
    cost[len(plain) :] += step.slope
    cost = np.where(series.reversed[arc], -cost, cost) + series.extra[arc]

    supply = network.supply.copy()
    np.subtract.at(supply, network.tail, series.start)
    np.add.at(supply, network.head, series.start)
    # Only nodes with arcs left: the solver's effort grows with all it is given.
    joined = np.zeros(len(supply), dtype=bool)
    joined[series.tail[arc]] = joined[series.head[arc]] = True
    if np.any(supply[~joined]):
        raise Infeasible
    number = (np.cumsum(joined) - 1).astype(np.int32)
    solver = SimpleMinCostFlow()
    if len(arc):
        solver.add_arcs_with_capacity_and_unit_cost(
            number[series.tail[arc]], number[series.head[arc]], width, cost
        )
        solver.set_nodes_supplies(np.arange(joined.sum(), dtype=np.int32), supply[joined])
    status = solver.solve()
    if status != solver.OPTIMAL:
        if status == solver.INFEASIBLE:
            raise Infeasible
        raise RuntimeError(f"the flow solver ended with {status}")
    used = np.asarray(solver.flows(np.arange(len(arc), dtype=np.int32)), dtype=np.float64)
    change = np.bincount(arc, weights=used, minlength=len(network.tail)).astype(np.int64)
    flow = series.start + np.where(series.reversed, -change, change)
    flow[series.second] += change[series.first]
    x = flow[objective.convex]
    return flow, bool(np.all((x < step.exact_below) & (x > step.exact_above)))


@dataclass(frozen=True, eq=False)
class Series:
    """A network in which two arcs that meet at a node of their own are one arc.

    All columns are ``(n_arcs,)`` but for ``first`` and ``second``: the pairs, of which the first
    arc stands for both, from ``tail`` to ``head``, ``reversed`` where the pair's flow grows as its
    own falls, at ``extra`` cost for the second.
    """

    tail: Int64
    head: Int64
    lower: Int64
    upper: Int64
    start: Int64
    """Flow from which the changes are counted."""
    reversed: npt.NDArray[np.bool_]
    extra: Int64
    follows: npt.NDArray[np.bool_]
    """Second arcs, which the solver need not see."""
    first: Int64
    second: Int64


def join_series(network: Network, objective: Objective) -> Series:
    """Join arcs at nodes that have just two with room; most nodes of a large network are such."""
    n_arcs, n_nodes = len(network.tail), len(network.supply)
    tail, head = network.tail.astype(np.int64), network.head.astype(np.int64)
    lower, upper, start = network.lower.copy(), network.upper.copy(), network.lower.copy()
    reverse, follows = np.zeros(n_arcs, dtype=bool), np.zeros(n_arcs, dtype=bool)
    extra = np.zeros(n_arcs, dtype=np.int64)

    free = np.flatnonzero(upper > lower)
    degree = np.bincount(tail[free], minlength=n_nodes) + np.bincount(head[free], minlength=n_nodes)
    joint = degree == 2
    # of two such nodes side by side only one goes
    joint[head[free][joint[tail[free]] & joint[head[free]]]] = False
    ends = np.concatenate([tail[free], head[free]])
    mine = np.flatnonzero(joint[ends])
    mine = mine[np.argsort(ends[mine], kind="stable")]
    pairs = np.concatenate([free, free])[mine].reshape(-1, 2)
    outward = (mine < len(free)).reshape(-1, 2)
    node = ends[mine][::2]
    is_convex = np.zeros(n_arcs, dtype=bool)
    is_convex[objective.convex] = True
    keep = ~is_convex[pairs].all(axis=1) & (pairs[:, 0] != pairs[:, 1])
    pairs, outward, node = pairs[keep], outward[keep], node[keep]
    swap = is_convex[pairs[:, 1]]
    pairs[swap], outward[swap] = pairs[swap][:, ::-1], outward[swap][:, ::-1]
    a, b = pairs.T
    out_a, out_b = outward.T

    spare = network.supply - np.bincount(tail, weights=lower, minlength=n_nodes).astype(np.int64)
    spare += np.bincount(head, weights=lower, minlength=n_nodes).astype(np.int64)
    rest = np.where(out_a, 1, -1) * spare[node]
    room_a, room_b = upper[a] - lower[a], upper[b] - lower[b]
    through = out_a != out_b
    least = np.maximum(0, np.where(through, rest, rest - room_b))
    most = np.minimum(room_a, np.where(through, rest + room_b, rest))
    if np.any(least > most):
        raise Infeasible
    upper[a], lower[a] = lower[a] + most, lower[a] + least
    start[a] = np.where(through, lower[a], upper[a])
    start[b] += np.where(through, least - rest, rest - most)
    reverse[a] = ~through
    extra[a] = objective.linear[b]
    follows[b] = True
    w, z = np.where(out_a, head[a], tail[a]), np.where(out_b, head[b], tail[b])
    # out of z through b and a to w, or the other way; two arcs that both leave (or enter) trade flow
    forward = np.where(through, ~out_a, out_a)
    tail[a], head[a] = np.where(forward, w, z), np.where(forward, z, w)
    return Series(tail, head, lower, upper, start, reverse, extra, follows, a, b)


@dataclass(frozen=True, eq=False)
class Steps:
    """Convex costs as parallel arcs: step i of arc ``owner[i]`` has room ``width`` at ``slope`` each."""

    owner: Int64
    width: Int64
    slope: Int64
    exact_below: Int64
    """``(n_convex,)``: marginal costs are exact at flows strictly between the two."""
    exact_above: Int64


def steps(objective: Objective, lower: Int64, upper: Int64, centre: Int64) -> Steps:
    """Cut each convex cost outward from ``centre``: unit steps first, then doubling ones.

    A step never crosses an edge of the band, so its slope is a whole number and, inside the band, 0.
    """
    low, high = objective.band_low, objective.band_high
    pieces: list[tuple[Int64, Int64, Int64]] = []
    far = np.int64(2**62)
    exact_below, exact_above = np.full(len(low), far), np.full(len(low), -far)
    for sign, bound in ((1, upper), (-1, lower)):
        owner = np.flatnonzero(sign * bound > sign * centre)
        at, turn = centre[owner].copy(), 0
        while len(owner):
            size = 1 if turn < UNIT_STEPS else 2 ** (turn - UNIT_STEPS + 1)
            reach = sign * np.minimum(sign * (at + sign * size), sign * bound[owner])
            inside = (sign * at >= sign * (low if sign > 0 else high)[owner]) & (
                sign * at < sign * (high if sign > 0 else low)[owner]
            )
            edge = (high if sign > 0 else low)[owner]
            reach = np.where(inside, sign * np.minimum(sign * edge, sign * bound[owner]), reach)
            for border in (low[owner], high[owner]):
                crosses = (sign * at < sign * border) & (sign * border < sign * reach)
                reach = np.where(crosses, border, reach)
            wide = ~inside & (np.abs(reach - at) > 1)
            limit = exact_below if sign > 0 else exact_above
            limit[owner[wide]] = sign * np.minimum(sign * limit[owner[wide]], sign * at[wide])
            first, last = np.minimum(at, reach), np.maximum(at, reach)
            # (last - e)^2 - (first - e)^2 over (last - first), e the edge of the band on that side
            slope = np.where(
                first >= high[owner],
                first + last - 2 * high[owner],
                np.where(last <= low[owner], first + last - 2 * low[owner], 0),
            )
            pieces.append((owner, last - first, slope))
            left = sign * reach < sign * bound[owner]
            owner, at, turn = owner[left], reach[left], turn + 1
    if not pieces:
        empty = np.zeros(0, dtype=np.int64)
        return Steps(empty, empty, empty, exact_below, exact_above)
    owners, widths, slopes = (np.concatenate(column) for column in zip(*pieces, strict=True))
    return Steps(owners, widths, slopes, exact_below, exact_above)


def marginals(objective: Objective, flow: Int64) -> tuple[Int64, Int64]:
    """Cost of one unit more, and of the last unit, on every arc."""
    more, last = objective.linear.copy(), objective.linear.copy()
    x = flow[objective.convex]
    low, high = objective.band_low, objective.band_high

    def square(y: Int64) -> Int64:
        return np.maximum(np.maximum(low - y, y - high), 0) ** 2

    here = square(x)
    more[objective.convex] += square(x + 1) - here
    last[objective.convex] += here - square(x - 1)
    return more, last


def potentials(network: Network, objective: Objective, flow: Int64) -> Int64:
    """Potentials under which no residual arc has a negative reduced cost, ``(n_nodes,)``.

    Shortest distances in the residual network from a node joined to all (Bellman and Ford); the
    flow being optimal, there is no negative cycle.
    """
    more, last = marginals(objective, flow)
    up, down = np.flatnonzero(flow < network.upper), np.flatnonzero(flow > network.lower)
    tail = np.concatenate([network.tail[up], network.head[down]])
    head = np.concatenate([network.head[up], network.tail[down]])
    cost = np.concatenate([more[up], -last[down]])
    order = np.argsort(head, kind="stable")
    tail, head, cost = tail[order], head[order], cost[order]
    starts = np.flatnonzero(np.r_[True, head[1:] != head[:-1]]) if len(head) else np.zeros(0, dtype=np.int64)
    ends = head[starts]
    distance = np.zeros(len(network.supply), dtype=np.int64)
    for _ in range(len(distance) + 1):
        if not len(starts):
            break
        reached = np.minimum.reduceat(distance[tail] + cost, starts)
        closer = reached < distance[ends]
        if not closer.any():
            break
        distance[ends[closer]] = reached[closer]
    return -distance


def narrow(network: Network, objective: Objective, potential: Int64) -> Network:
    """The network with each arc's interval cut to what is optimal under ``potential``."""
    reduced = objective.linear - potential[network.tail] + potential[network.head]
    lower, upper = network.lower.copy(), network.upper.copy()
    upper[reduced > 0] = network.lower[reduced > 0]
    lower[reduced < 0] = network.upper[reduced < 0]
    arcs, pull = objective.convex, reduced[objective.convex]
    push = np.maximum(-pull, 0)
    first = np.where(
        pull < 0, objective.band_high + push // 2, objective.band_low - (np.maximum(pull, 0) + 1) // 2
    )
    end = np.where(
        pull > 0, objective.band_low - np.maximum(pull, 0) // 2, objective.band_high + (push + 1) // 2
    )
    lower[arcs] = np.clip(first, network.lower[arcs], network.upper[arcs])
    upper[arcs] = np.clip(end, network.lower[arcs], network.upper[arcs])
    return replace(network, lower=lower, upper=upper)


def dual_bound(network: Network, objective: Objective, potential: Int64) -> int:
    """The Lagrangian lower bound on the objective under any potentials."""
    face = narrow(network, objective, potential)
    reduced = objective.linear - potential[network.tail] + potential[network.head]
    # an interval's lower end is one of its minimisers
    least = (reduced * face.lower).sum() + (objective.distance(face.lower[objective.convex]) ** 2).sum()
    return int((network.supply * potential).sum() + least) + objective.offset
