"""The topics of a large cluster, solved near prices that a few of them tell.

A broker's place costs about the same in every topic: what the others could do with it. A sample of the
topics, solved exactly, tells these prices; they tell for each topic how far each of its counts can be
from where it ends; and with everything else left out the whole network is a fraction of its size. The
answer is kept only if potentials for all of the network prove it, so a bad sample costs time alone.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from equipoise.planning.networks.flow import (
    NotOptimal,
    Optimum,
    cheapest,
    held_between,
    least_flow,
    narrow,
    potentials,
    solve,
)
from equipoise.planning.networks.network import Infeasible, Int64, Network, Objective
from equipoise.planning.networks.placement import PlacementNetwork

MIN_CELLS = 100_000
"""Topics times brokers, from which on a sample pays."""
EVERY = 8
"""One topic in so many is in the sample."""
REACHES = (2, 4, 8)
"""How far prices may be off, tried in order; in units of cost, of which the next unit in a cell is 2 more."""
ROUNDS = 200
"""In which potentials are found, or the answer is taken for a wrong one: some tens are usual."""


def solve_topics(
    net: PlacementNetwork, network: Network, objective: Objective, guess: Int64 | None = None
) -> Optimum:
    """As `flow.solve`, where only cells have a rising cost; ``network`` is a face of that of ``net``."""
    if len(objective.convex) < MIN_CELLS:
        return solve(network, objective, guess)
    try:
        pull = pulls(net, network, objective, prices(net, network, objective))
    except Infeasible:
        return solve(network, objective, guess)
    for reach in REACHES:
        try:
            flow = least_flow(near(network, objective, pull, reach), objective, guess)
            return Optimum(flow, potentials(network, objective, flow, ROUNDS), objective.value(flow))
        except (Infeasible, NotOptimal):
            continue
    return solve(network, objective, guess)


def near(network: Network, objective: Objective, pull: Int64, reach: int) -> Network:
    """The network with each cell held to what is cheapest where prices are off by ``reach`` at most."""
    first, end = cheapest(objective, pull + reach)[0], cheapest(objective, pull - reach)[1]
    return held_between(network, objective.convex, first, end)


def prices(net: PlacementNetwork, network: Network, objective: Objective) -> Int64:
    """What a place on each eligible broker costs, ``(n_eligible,)``: the potentials of the sample.

    Each broker takes as near to its part of what it gains or loses as the sample allows.
    """
    n_eligible = len(net.material.brokers)
    chosen = np.arange(len(net.cell.unit) // n_eligible) % EVERY == 0
    node = sampled_nodes(net, chosen)
    arcs = np.flatnonzero(node[network.tail] & node[network.head])
    number, at = np.cumsum(node) - 1, np.full(len(network.tail), -1, dtype=np.int32)
    at[arcs] = np.arange(len(arcs))
    supply = network.supply[node]
    supply[0] = -supply[1:].sum()
    upper = network.upper.copy()
    upper[net.sink.index] = -supply[0]
    ends = number[network.tail[arcs]].astype(np.int32), number[network.head[arcs]].astype(np.int32)
    sample = Network(supply, *ends, np.where(arcs < n_eligible, 0, network.lower[arcs]), upper[arcs])
    parts = Objective.of_bands(len(arcs), at[net.sink.index], *parts_of_sinks(net, network, chosen))
    some = at[objective.convex] >= 0
    bands = objective.band_low[some], objective.band_high[some]
    topics = Objective.of_bands(len(arcs), at[objective.convex[some]], *bands)
    shared = solve(sample, parts, net.guess()[arcs])
    best = solve(narrow(sample, parts, shared.potential), topics, shared.flow)
    return best.potential[1 : 1 + n_eligible]


def sampled_nodes(net: PlacementNetwork, chosen: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
    """``(n_nodes,)``: sink, brokers, and what belongs to the chosen families."""
    n_eligible, n_racks = len(net.material.brokers), net.material.problem.n_racks
    of_unit = chosen[net.family_of]
    n_pools = len(net.network.supply) - 1 - n_eligible - len(net.cell.unit) - len(of_unit) * (n_racks > 1)
    pools = np.tile(np.repeat(of_unit, n_racks), n_pools // (len(of_unit) * n_racks))
    parts = [np.ones(1 + n_eligible, dtype=bool), np.repeat(chosen, n_eligible), pools]
    return np.concatenate([*parts, of_unit] if n_racks > 1 else parts)


def parts_of_sinks(
    net: PlacementNetwork, network: Network, chosen: npt.NDArray[np.bool_]
) -> tuple[Int64, Int64]:
    """Least and most replicas of chosen families that each broker ends with, ``(n_eligible,)``, if what it
    gains or loses is spread over all alike."""
    n_eligible, sink = len(net.material.brokers), net.sink.index
    here = net.guess()[net.cell.index].reshape(-1, n_eligible)
    part = chosen[net.family_of[net.unit_of]].mean()
    low, high = ((bound[sink] - here.sum(axis=0)) * part for bound in (network.lower, network.upper))
    held = here[chosen].sum(axis=0)
    return held + np.floor(low).astype(np.int64), held + np.ceil(high).astype(np.int64)


def pulls(net: PlacementNetwork, network: Network, objective: Objective, price: Int64) -> Int64:
    """What a unit in each cell costs beside its distance, ``(n_cells,)``, given the ``price`` of the brokers.

    What stands in a topic's racks is to stand there afterwards too: that settles the price in each rack.
    """
    n_eligible, n_racks = len(net.material.brokers), net.material.problem.n_racks
    n_families = len(net.cell.unit) // n_eligible
    first_cell, n_groups = 1 + n_eligible, n_families * n_racks
    first_pool = first_cell + len(net.cell.unit)
    group = net.cell.unit * n_racks + net.material.rack[net.cell.broker]
    pool = (net.family_of[:, None] * n_racks + np.arange(n_racks)).ravel()
    supplied = network.supply[first_cell:first_pool], network.supply[first_pool : first_pool + len(pool)]
    stands = np.bincount(group, supplied[0], n_groups) + np.bincount(pool, supplied[1], n_groups)
    least, most = network.lower[objective.convex], network.upper[objective.convex]
    off = np.maximum(np.abs(most - objective.band_low), np.abs(objective.band_high - least)).max(initial=0)
    end = int(np.abs(price).max(initial=0)) + 2 * int(off) + 1  # prices at which every cell is at its bound
    low, high = np.full(n_groups, -end), np.full(n_groups, end)
    while np.any(high - low > 1):
        middle = (low + high) // 2
        fits = np.clip(cheapest(objective, price[net.cell.broker] - middle[group])[1], least, most)
        enough = np.bincount(group, fits, n_groups) >= stands
        low, high = np.where(enough, low, middle), np.where(enough, middle, high)
    return price[net.cell.broker] - high[group]
