"""Minimum-cost flow with convex arcs, level after level, each with its dual proof.

A goal is an objective on a network; solving it gives a flow and potentials whose Lagrangian bound
equals the value. `narrow` then keeps the optimal face: by complementary slackness every optimal flow
lies in the narrowed intervals, and every flow in them is optimal, so the next goal is solved there
without big weights (R. K. Ahuja, T. L. Magnanti, J. B. Orlin, "Network Flows", chapters 9 and 14).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from equipoise.planning.flow.joining import join
from equipoise.planning.flow.network import Infeasible, Int32, Int64, Network, Objective
from equipoise.planning.flow.solver import least_cost


class NotOptimal(Exception):
    """No potentials were found that go with a flow."""


@dataclass(frozen=True, eq=False)
class Optimum:
    """A flow of least cost and the potentials that prove it."""

    flow: Int64
    potential: Int64
    value: int


def solve(network: Network, objective: Objective, guess: Int64 | None = None) -> Optimum:
    """The least cost and its proof; ``guess`` is a likely flow (``(n_arcs,)``). Raises `Infeasible`."""
    flow, prices = proved_flow(network, objective, guess)
    # The flow solver sees a smaller network with costs cut into steps, so its own potentials prove nothing
    # here. Those of the whole network follow from the flow alone.
    if prices is None:
        prices = potentials(network, objective, flow)
    return Optimum(flow, prices, objective.value(flow))


def solve_from(network: Network, linear: Int64, flow: Int64) -> Optimum:
    """As `solve`, of costs of units alone, from a flow that there is, which may be the best already.

    Where every arc carries as little as it may of what costs, prices of 0 prove that there is no better.
    """
    objective = Objective.of_linear(linear)
    least = np.where(linear > 0, network.lower, np.where(linear < 0, network.upper, flow))
    if np.array_equal(flow, least):
        return Optimum(flow, np.zeros_like(network.supply), objective.value(flow))
    prices = soon_proved(network, objective, flow)
    if prices is None:
        return solve(network, objective, flow)
    return Optimum(flow, prices, objective.value(flow))


def least_flow(network: Network, objective: Objective, guess: Int64 | None = None) -> Int64:
    """A flow of least cost, ``(n_arcs,)``; see `solve`."""
    return proved_flow(network, objective, guess)[0]


def proved_flow(
    network: Network, objective: Objective, guess: Int64 | None
) -> tuple[Int64, Int64 | None]:
    """A flow of least cost, and its potentials where only they told that it is."""
    bounded = network.lower[objective.convex], network.upper[objective.convex]
    near = np.zeros(len(network.tail), dtype=np.int64) if guess is None else guess
    # Marginal costs are exact near the centre alone, so it lies where an optimum is likely: at the end of the
    # band that is nearer to the guess.
    centre = np.clip(np.clip(near[objective.convex], objective.band_low, objective.band_high), *bounded)
    best: Int64 | None = None
    while True:
        flow, exact = solve_stepwise(network, objective, centre)
        # A wider step costs what its ends cost, so the true cost can only fall from round to round;
        # where it no longer does, the steps around the last flow were exact and it was optimal.
        if best is not None and objective.value(flow) >= objective.value(best):
            return best, None
        best = flow
        # Prices are sought first: that takes a fraction of the next round.
        prices = None if exact else soon_proved(network, objective, flow)
        if exact or prices is not None:
            return best, prices
        centre = flow[objective.convex]


def soon_proved(network: Network, objective: Objective, flow: Int64) -> Int64 | None:
    """The potentials that prove that no flow costs less, None where some rounds do not find them."""
    try:
        return potentials(network, objective, flow, network.params.price_rounds)
    except NotOptimal:
        return None


def solve_stepwise(network: Network, objective: Objective, centre: Int64) -> tuple[Int64, bool]:
    """Least-cost flow with convex costs cut into steps around ``centre``; True if no wide step mattered."""
    joined = join(network, objective)
    lower, upper = joined.bounds(objective.convex)
    units = network.params.unit_steps
    step = steps(objective, lower, upper, np.clip(centre, lower, upper), units)
    bundled = joined.bundle_steps()
    owner = np.concatenate([objective.convex[step.owner], bundled[0]])
    width, slope = np.concatenate([step.width, bundled[1]]), np.concatenate([step.slope, bundled[2]])
    plain = joined.plain
    arc = np.concatenate([plain, joined.carrier[owner]])
    room = np.concatenate([joined.room[plain], width])
    cost = joined.cost[arc]
    # Slopes of a convex cost rise with the flow, so a least-cost flow fills
    # the steps of an arc in their order without being told to. On a carrier
    # that runs against its arc a unit takes one away, and saves the slope.
    cost[len(plain) :] += joined.sign[owner] * slope

    # Only nodes with arcs left: the solver's effort grows with all it is given.
    tail, head, supply = joined.tail[arc], joined.head[arc], joined.supply
    used = np.zeros(len(supply), dtype=bool)
    used[tail] = used[head] = True
    if np.any(supply[~used]):
        raise Infeasible
    number = (np.cumsum(used) - 1).astype(np.int32)
    taken = least_cost(number[tail], number[head], room, cost, supply[used], network.params)
    flow = joined.flow(np.bincount(arc, weights=taken, minlength=len(joined.room)).astype(np.int64))
    x = flow[objective.convex]
    return flow, bool(np.all((x < step.exact_below) & (x > step.exact_above)))


@dataclass(frozen=True, eq=False)
class Steps:
    """Convex costs as parallel arcs: step i of arc ``owner[i]`` has room ``width`` at ``slope`` each."""

    owner: Int64
    width: Int64
    slope: Int64
    exact_below: Int64
    """``(n_convex,)``: marginal costs are exact at flows strictly between the two."""
    exact_above: Int64


def steps(objective: Objective, lower: Int64, upper: Int64, centre: Int64, units: int) -> Steps:
    """Cut each convex cost outward from ``centre``: so many unit steps first, then doubling ones.

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
            size = 1 if turn < units else 2 ** (turn - units + 1)
            reach = sign * np.minimum(sign * (at + sign * size), sign * bound[owner])
            # Units inside the band cost nothing, so one step to its edge is exact however wide it is.
            inside = (sign * at >= sign * (low if sign > 0 else high)[owner]) & (
                sign * at < sign * (high if sign > 0 else low)[owner]
            )
            edge = (high if sign > 0 else low)[owner]
            reach = np.where(inside, sign * np.minimum(sign * edge, sign * bound[owner]), reach)
            for border in (low[owner], high[owner]):
                crosses = (sign * at < sign * border) & (sign * border < sign * reach)
                reach = np.where(crosses, border, reach)
            wide = ~inside & (np.abs(reach - at) > 1)
            # At the near end of a wide step the next unit already costs an average of several, not its own.
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


def potentials(network: Network, objective: Objective, flow: Int64, rounds: int | None = None) -> Int64:
    """Potentials under which no residual arc has a negative reduced cost, ``(n_nodes,)``.

    Shortest distances in the residual network from a node joined to all (Bellman and Ford): there are
    some where the flow is optimal, else a cycle of negative cost. Raises `NotOptimal` where ``rounds``
    did not find them.
    """
    more, last = marginals(objective, flow)
    # A unit taken back from an arc is one that goes the other way, and saves what the last one cost.
    up, down = np.flatnonzero(flow < network.upper), np.flatnonzero(flow > network.lower)
    tail = np.concatenate([network.tail[up], network.head[down]])
    head = np.concatenate([network.head[up], network.tail[down]])
    cost = np.concatenate([more[up], -last[down]])
    # Every node starts at 0, as if an arc of cost 0 led to it from one more node. With π = -distance the
    # reduced cost, cost - π[tail] + π[head], is cost + distance[tail] - distance[head]: shortest ways leave
    # none below 0. They have fewer arcs than nodes, so more rounds than that mean a cycle of negative cost.
    distance = np.zeros(len(network.supply), dtype=np.int64)
    closer = np.ones(len(distance), dtype=bool)
    for _ in range(rounds or len(distance) + 1):
        arcs = np.flatnonzero(closer[tail])  # a way that is shorter now leads by a node that is closer now
        if not len(arcs):
            return -distance
        ends, reached = head[arcs], distance[tail[arcs]] + cost[arcs]
        shorter = np.flatnonzero(reached < distance[ends])
        ends = ends[shorter]
        np.minimum.at(distance, ends, reached[shorter])
        closer[:] = False
        closer[ends] = True
    raise NotOptimal


def narrow(network: Network, objective: Objective, potential: Int64) -> Network:
    """The network with each arc's interval cut to what is optimal under ``potential``."""
    reduced, arcs = reduced_costs(network, objective, potential), objective.convex
    held = held_between(network, arcs, *cheapest(objective, reduced[arcs]))
    # The interval of a convex arc has its reduced cost in it already; the others are full, empty or free by
    # the sign alone (complementary slackness).
    reduced[arcs] = 0
    np.copyto(held.lower, network.upper, where=reduced < 0)
    np.copyto(held.upper, network.lower, where=reduced > 0)
    return held


def is_settled(network: Network, objective: Objective) -> bool:
    """True where all flows cost the same: arcs that differ cost nothing, or stay in their bands."""
    lower, upper = network.lower[objective.convex], network.upper[objective.convex]
    differs = lower < upper
    if np.any(differs & ((lower < objective.band_low) | (upper > objective.band_high))):
        return False
    return not np.any(objective.linear[network.lower < network.upper])


def reduced_costs(network: Network, objective: Objective, potential: Int64) -> Int64:
    """``(n_arcs,)``: what a unit costs beside the prices of its nodes, without what rises."""
    reduced = potential[network.head]
    reduced -= potential[network.tail]
    reduced += objective.linear
    return reduced


def held_between(network: Network, arcs: Int32, least: Int64, most: Int64) -> Network:
    """The network with some arcs' flow between ``least`` and ``most``, as near as the arcs' bounds allow."""
    lower, upper = network.lower.copy(), network.upper.copy()
    # A convex cost is least, within bounds, at the point
    # of them that is nearest to where it is least without.
    lower[arcs] = np.clip(least, network.lower[arcs], network.upper[arcs])
    upper[arcs] = np.clip(most, network.lower[arcs], network.upper[arcs])
    return replace(network, lower=lower, upper=upper)


def cheapest(objective: Objective, pull: Int64, weight: int = 1) -> tuple[Int64, Int64]:
    """Least and most flow of each convex arc that is cheapest where a unit costs ``pull`` besides.

    ``weight``: of the squares. The n-th unit beyond the band costs (2 n - 1) times that.
    """
    # Beyond the band the n-th unit pays while (2 n - 1) weight is at most the push: one that earns just what
    # it costs is in the longest of the cheapest flows and not in the shortest, hence the two roundings.
    push, drag = np.maximum(-pull, 0), np.maximum(pull, 0)
    high, low = objective.band_high, objective.band_low
    first = np.where(pull < 0, high + -(-push // weight) // 2, low - (drag // weight + 1) // 2)
    end = np.where(pull > 0, low - -(-drag // weight) // 2, high + (push // weight + 1) // 2)
    return first, end


def dual_bound(network: Network, objective: Objective, potential: Int64) -> int:
    """The Lagrangian lower bound on the objective under any potentials."""
    face = narrow(network, objective, potential)
    reduced = reduced_costs(network, objective, potential)
    # an interval's lower end is one of its minimisers
    least = (reduced * face.lower).sum() + (objective.distance(face.lower[objective.convex]) ** 2).sum()
    return int((network.supply * potential).sum() + least) + objective.offset
