"""The topics of a large cluster, solved near prices of what their replicas add up to.

A topic keeps its replicas in each rack, and each broker ends with a number that the goals before decide:
prices on these sums say where each cell (topic, broker) ends, but for those that do not care at them. With
everything else left out the network is a fraction of its size. The answer is kept only if potentials for
all of the network prove it, so prices that are far off cost time alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from equipoise.planning.flow.convex import (
    Optimum,
    cheapest,
    held_between,
    least_flow,
    solve,
    soon_proved,
)
from equipoise.planning.flow.network import Infeasible, Int32, Int64, Network, Objective
from equipoise.planning.flow.prices import (
    ALL,
    BLOCK,
    FINENESS,
    Small,
    added,
    part,
    reached,
    smallest,
    turning,
    within,
)
from equipoise.planning.networks.placement import PlacementNetwork


def solve_topics(
    net: PlacementNetwork, network: Network, objective: Objective, guess: Int64 | None = None
) -> Optimum:
    """As `flow.solve`, where only cells have a rising cost; ``network`` is a face of that of ``net``."""
    params = network.params
    if len(objective.convex) <= params.flow_cells:
        return solve(network, objective, guess)
    pull = pulls(sums_of(net, network, objective), params.cell_steps)
    # The flow is best on a part of the network alone. Potentials of the whole prove that nothing outside is
    # better; where they are not found, more is let in, and in the end all.
    reaches = [(FINENESS * reach, FINENESS * reach) for reach in params.cell_reaches]
    if keeps_racks(net, network):  # then sums are all that binds cells, and prices are off on one side alone
        reaches.insert(0, (FINENESS // 2, FINENESS))
    for reach in reaches:
        try:
            flow = least_flow(near(network, objective, pull, *reach), objective, guess)
        except Infeasible:
            continue
        prices = soon_proved(network, objective, flow)
        if prices is not None:
            return Optimum(flow, prices, objective.value(flow))
    return solve(network, objective, guess)


def keeps_racks(net: PlacementNetwork, network: Network) -> bool:
    """Whether no replica may change its rack, which is what `Sums` take for granted."""
    return not any(network.upper[arcs.index].any() for arcs in (net.into, net.over))


def near(network: Network, objective: Objective, pull: Int64, dearer: int, cheaper: int) -> Network:
    """The network with each cell held to what is cheapest at prices off by at most so much, both ways."""
    # What a cell holds falls as a unit there becomes dearer, so the two ends of the reach bound all between.
    least, _ = cheapest(objective, pull + dearer, FINENESS)
    _, most = cheapest(objective, pull - cheaper, FINENESS)
    return held_between(network, objective.convex, least, most)


@dataclass(frozen=True, eq=False)
class Sums:
    """Cells ``(n_topics, n_brokers)``, brokers in the order of their racks, and what they add up to."""

    order: Int64
    """``(n_brokers,)``: which eligible broker each column is."""
    rack: Int64
    """``(n_brokers,)``, from 0 without a gap, as ``first``: the first column of each rack, ``(n_racks,)``."""
    first: Int64
    low: Small
    high: Small
    least: Small
    most: Small
    stands: Int32
    """``(n_topics, n_racks)``: what each topic has in each rack."""
    ends: tuple[Int64, Int64]
    """``(n_brokers,)`` each: fewest and most that a broker ends with."""

    def blocks(self) -> Iterator[slice]:
        """Topics that are worked on at a time."""
        size = max(1, BLOCK // len(self.order))
        for start in range(0, len(self.low), size):
            yield slice(start, start + size)

    def cells(self, topics: Int64 | slice, brokers: Int64 | slice, price: Small) -> Small:
        """What each of some cells, by topics and brokers, would hold at these prices."""
        # A convex cost within bounds is least at the bounded point nearest to its free minimum.
        low, high, least, most = (
            part(table, topics, brokers) for table in (self.low, self.high, self.least, self.most)
        )
        wanted = turning(low, high, price)
        return np.minimum(np.maximum(wanted, least, out=wanted), most, out=wanted)

    def of_topics(self, topic: Int32, broker: Int32, step: int) -> Int32:
        """The prices of topics in racks, ``(n_topics, n_racks)``, that are best for those of brokers."""
        found = []
        for block in self.blocks():

            def held(tried: Int32, rows: Int64 | slice, block: slice = block) -> Int64:
                some = block if isinstance(rows, slice) else block.start + rows
                cells = self.cells(some, ALL, added(part(tried, ALL, self.rack), broker, self.low.dtype))
                return np.add.reduceat(cells, self.first, axis=1, dtype=np.int32)

            # The number in a rack is an equation, no bound, so its price may have either sign.
            found.append(reached(held, self.stands[block], topic[block], step))
        return np.concatenate(found)

    def of_brokers(self, topic: Int32, broker: Int32, step: int) -> Int32:
        """The prices of brokers that are best for those of topics in racks."""

        def held(tried: Int32, brokers: Int64 | slice) -> Int64:
            counts = np.zeros(len(tried), dtype=np.int64)
            for block in self.blocks():
                price = added(part(topic, block, self.rack[brokers]), tried, self.low.dtype)
                counts += self.cells(block, brokers, price).sum(axis=0, dtype=np.int32)
            return counts

        return within(held, self.ends, broker, step)

    @property
    def highest(self) -> int:
        """No price of topics need be farther from 0: every cell is at its bound there."""
        off = np.maximum(np.abs(self.most - self.low), np.abs(self.high - self.least)).max(initial=0)
        return FINENESS * (2 * int(off) + 2)


def pulls(sums: Sums, steps: Sequence[int]) -> Int64:
    """What a unit in each cell costs beside its distance, ``(n_cells,)`` in parts of `FINENESS`.

    Prices move by ``steps`` after the first round, which brings them nearly where they end.
    """
    topic, broker = np.zeros_like(sums.stands), np.zeros(len(sums.order), dtype=np.int32)
    topic = sums.of_topics(topic, broker, sums.highest)
    broker = sums.of_brokers(topic, broker, sums.highest)
    for step in steps:
        topic = sums.of_topics(topic, broker, FINENESS * step)
        broker = sums.of_brokers(topic, broker, FINENESS * step)
    topic = sums.of_topics(topic, broker, FINENESS * steps[-1])
    pull = np.empty(sums.low.shape, dtype=np.int64)
    # A price is what a unit earns, a pull what it costs.
    pull[:, sums.order] = -(topic[:, sums.rack] + broker)
    return pull.ravel()


def sums_of(net: PlacementNetwork, network: Network, objective: Objective) -> Sums:
    """The sums of a placement network, where what stands in a topic's racks stands there afterwards too."""
    data, sink = net.data, net.sink.index
    n_brokers, n_racks = len(data.brokers), data.problem.n_racks
    order = np.argsort(data.rack, kind="stable")
    racks, first, rack = np.unique(data.rack[order], return_index=True, return_inverse=True)

    def table(of_cells: Int64) -> Int64:
        return of_cells.reshape(-1, n_brokers)[:, order]

    n_topics, first_cell = len(net.cell.unit) // n_brokers, 1 + n_brokers
    first_pool = first_cell + len(net.cell.unit)
    pool = (net.family_of[:, None] * n_racks + np.arange(n_racks)).ravel()
    coming = np.bincount(pool, network.supply[first_pool : first_pool + len(pool)], n_topics * n_racks)
    # Supplies are what stands in a rack, be it at cells or, where it has to leave, at pools.
    there = np.add.reduceat(table(network.supply[first_cell:first_pool]), first, axis=1)
    bands = objective.band_low, objective.band_high
    ends = network.lower[objective.convex], network.upper[objective.convex]
    low, high, least, most = smallest(*map(table, (*bands, *ends)))
    return Sums(
        order=order,
        rack=rack,
        first=first,
        low=low,
        high=high,
        least=least,
        most=most,
        stands=(there + np.take(coming.reshape(n_topics, n_racks), racks, axis=1)).astype(np.int32),
        ends=(network.lower[sink][order], network.upper[sink][order]),
    )
