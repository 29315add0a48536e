"""A bound on `topic-leaders` in any placement, on clusters of any size: prices in place of a flow.

Leaders are counted in cells, by topic and broker. A topic has as many as it has partitions, a broker as
many as the goals before leave it, and what cells have given up are elections, of which there are no more
than in the plan. Where replicas stand is forgotten. With a price on each of these sums every cell is a
question of its own (Lagrangian relaxation: R. K. Ahuja, T. L. Magnanti, J. B. Orlin, "Network Flows",
chapter 16). The prices of all topics are made best for those of the brokers, then the other way round, and so
on (coordinate ascent), for rising and falling prices of elections. With one price of elections the rest is a
flow, whose potentials are the best prices. Coordinate ascent ends within a hundredth of that where the price
of an election begins low, and up to a third below it where that begins with what eight leaders cost.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from equipoise.cluster.brokers import IntArray
from equipoise.cluster.proofs import NetworkName, ProofKind
from equipoise.planning.basis.certificate import Proof, ProvedLevel
from equipoise.planning.bounds.leaders import free_leaders
from equipoise.planning.flow.convex import narrow, solve
from equipoise.planning.flow.network import Int32, Int64, Network, Objective
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
from equipoise.planning.goals import goals_before, value_of
from equipoise.planning.goals.elections import Elections
from equipoise.planning.goals.leaders import Leaders
from equipoise.planning.goals.topic_leaders import TopicLeaders
from equipoise.planning.problem import shares as measure
from equipoise.planning.problem.params import Params
from equipoise.planning.problem.problem import Problem

LOG = logging.getLogger(__name__)
ELECTION = 1
"""The first price of an election that is tried, in parts of `FINENESS`.

It begins low: the ascent is stuck where prices of topics and brokers have gone too far; one that rises
takes them no farther than they need to go.
"""


@dataclass(frozen=True, eq=False)
class LeaderCells:
    """Some topics on all brokers that may lead, ``(n_topics, n_brokers)`` each."""

    low: Small
    high: Small
    held: Small
    """Leaders that are there and may stay."""
    size: Small
    """Partitions of each topic that may change, ``(n_topics, 1)``; the bands are beside the others."""

    def some(self, topics: Int64 | slice, brokers: Int64 | slice) -> LeaderCells:
        """Those of some topics on some brokers; themselves where these are all."""
        if isinstance(topics, slice) and isinstance(brokers, slice):
            return self
        low, high, held = (part(table, topics, brokers) for table in (self.low, self.high, self.held))
        return LeaderCells(low, high, held, self.size[topics])

    def price(self, topic: Int32, broker: Int32, election: int) -> Small:
        """What a leader in each cell is paid."""
        return added(topic[:, None], broker, self.low.dtype, election)

    def leaders(self, price: Small, election: int) -> Small:
        """How many leaders each cell would have at these prices; most of them where it does not care."""
        chosen = turning(self.low, self.high, price)
        if election:
            # Up to those that it holds one fewer costs an election besides.
            kept = turning(self.low, self.high, price + price.dtype.type(election))
            np.maximum(chosen, np.minimum(kept, self.held, out=kept), out=chosen)
        return np.minimum(np.maximum(chosen, 0, out=chosen), self.size, out=chosen)

    def cost(self, price: Small, election: int) -> int:
        """What the cells cost at the least."""
        x = self.leaders(price, election)
        outside = np.maximum(np.maximum(self.low - x, x - self.high), 0).astype(np.int64)
        # A leader given up costs the price of an election, whose limit the bound takes off again as a whole.
        given = int(np.maximum(self.held - x, 0).sum(dtype=np.int64))
        paid = int((price.astype(np.int64) * x).sum())
        return FINENESS * int((outside * outside).sum()) + election * given - paid


@dataclass(frozen=True, eq=False)
class SumPrices:
    """Of an election, of a leader on each broker that may lead, of one of each topic; and their bound."""

    election: int
    broker: Int32
    topic: Int32
    bound: int = -(2**62)
    """In parts of `FINENESS`."""


@dataclass(frozen=True, eq=False)
class LeaderSums:
    """What leaders add up to."""

    blocks: tuple[LeaderCells, ...]
    least: Int64
    """``(n_brokers,)`` of those that may lead."""
    most: Int64
    allowed: int
    """Elections of leaders that could stay."""
    params: Params

    @property
    def together(self) -> tuple[Int64, ...]:
        """The arrays of all blocks: low, high, held and size."""
        blocks = [(cells.low, cells.high, cells.held, cells.size) for cells in self.blocks]
        return tuple(np.concatenate(arrays).astype(np.int64) for arrays in zip(*blocks, strict=True))

    def of_topics(self, topic: Int32) -> Iterator[tuple[LeaderCells, Int32]]:
        """The blocks with the rows of an array of topics that they have."""
        first = 0
        for cells in self.blocks:
            yield cells, topic[first : first + len(cells.size)]
            first += len(cells.size)

    def highest(self, election: int) -> int:
        """No price of topics need be farther from 0: it gives a broker all partitions of any topic."""
        return FINENESS * (2 * max(int(cells.size.max()) for cells in self.blocks) + 2) + election

    def shifted(self, prices: SumPrices, election: int) -> SumPrices:
        """The prices at another price of elections: brokers that give leaders away pay the difference.

        Without that they would be a place to be stuck in.
        """
        gives = sum(cells.held.sum(axis=0, dtype=np.int64) for cells in self.blocks) > self.most
        less = np.where(gives, np.int32(election - prices.election), 0).astype(np.int32)
        return SumPrices(election, prices.broker - less, prices.topic)

    def counts(self, prices: SumPrices, broker: Int32, brokers: Int64 | slice) -> Int64:
        """Leaders of some brokers at other prices of these."""
        counts = np.zeros(len(broker), dtype=np.int64)
        for every, topic in self.of_topics(prices.topic):
            cells = every.some(ALL, brokers)
            price = cells.price(topic, broker, prices.election)
            counts += cells.leaders(price, prices.election).sum(axis=0, dtype=np.int32)
        return counts

    def better(self, prices: SumPrices, reach: int) -> SumPrices:
        """The best prices of topics for these of brokers, then of brokers for those of topics."""
        topics = []
        for cells, topic in self.of_topics(prices.topic):

            def led(tried: Int32, rows: Int64 | slice, cells: LeaderCells = cells) -> Int64:
                some = cells.some(rows, ALL)
                price = some.price(tried, prices.broker, prices.election)
                return some.leaders(price, prices.election).sum(axis=1, dtype=np.int32)

            topics.append(reached(led, cells.size[:, 0], topic, reach))
        prices = replace(prices, topic=np.concatenate(topics))
        ends = self.least, self.most
        broker = within(partial(self.counts, prices), ends, prices.broker, reach)
        prices = replace(prices, broker=broker)
        return replace(prices, bound=self.bound(prices))

    def bound(self, prices: SumPrices) -> int:
        """What is proved at these prices, in parts of `FINENESS`."""
        broker = prices.broker.astype(np.int64)
        # A price of a broker is paid for the number within its bounds for which it is least: so the bound
        # holds whatever number a plan has.
        total = int(np.minimum(broker * self.least, broker * self.most).sum())
        for cells, topic in self.of_topics(prices.topic):
            total += int((topic.astype(np.int64) * cells.size[:, 0]).sum())
            total += cells.cost(cells.price(topic, prices.broker, prices.election), prices.election)
        return total - prices.election * self.allowed


def with_topic_leaders(problem: Problem, lists: IntArray, proofs: list[Proof]) -> list[Proof]:
    """The proofs of a plan, `topic-leaders` bounded over placements where nothing is known of those."""
    proof = next((proof for proof in proofs if proof.goal == TopicLeaders.name), None)
    # A bound that is claimed holds of any placement already, and below 0 nothing can be proved.
    if proof is None or proof.claims or not proof.value:
        return proofs
    sums = sums_of(problem, lists, proofs)
    if sums is None:
        return proofs
    priced = Elections.name in goals_before(problem.goals, TopicLeaders.name)
    level = bounded(sums, proof.value, priced=priced)
    if level.value <= 0:
        return proofs
    return [with_bound(old, level) if old is proof else old for old in proofs]


def with_bound(proof: Proof, level: ProvedLevel) -> Proof:
    """The proof with a bound of all placements, beside what is known of the plan's own, or in its place."""
    if proof.kind == ProofKind.GIVEN_PLACEMENT and level.value < proof.value:
        return replace(proof, global_bound=level, note="least for where the replicas stand")
    return Proof(proof.goal, proof.value, min(proof.value, level.value), ProofKind.FLOW_DUAL, level=level)


def bounded(sums: LeaderSums, value: int, *, priced: bool) -> ProvedLevel:
    """The best bound found on ``value``; ``priced``: elections are limited."""
    LOG.info("how level the leaders of topics could be elsewhere")
    best = by_ascent(sums, value, priced=priced)
    if sum(cells.low.size for cells in sums.blocks) <= sums.params.bound_flow_cells:
        best = max(best, by_flow(sums, best), key=lambda prices: prices.bound)
    prices = np.concatenate([[best.election], best.broker, best.topic]).astype(np.int64)
    return ProvedLevel(TopicLeaders.name, -(-best.bound // FINENESS), NetworkName.TOPIC_LEADERS, prices)


def by_flow(sums: LeaderSums, near: SumPrices) -> SumPrices:
    """The best prices of some flows, with prices of elections from near one that is nearly right."""
    election = near.election
    led = [
        cells.leaders(cells.price(topic, near.broker, election), election)
        for cells, topic in sums.of_topics(near.topic)
    ]
    likely = np.concatenate(led).astype(np.int64)
    held = np.concatenate([cells.held for cells in sums.blocks])

    def tried(election: int) -> tuple[SumPrices, Int64]:
        best, led, centre = *flow_near(sums, likely, election), likely
        # Wide steps are wrong in between: steps around what a flow found with some are better.
        while np.abs(led - centre).max() >= sums.params.bound_steps:
            other, found = flow_near(sums, led, election)
            if other.bound <= best.bound:
                break
            best, led, centre = other, found, led
        return best, led

    def over(led: Int64) -> int:
        return int(np.maximum(held - led, 0).sum()) - sums.allowed

    # The flow knows whole prices alone. Where ascent ends they are too low rather than too high.
    best, likely = tried(-(-2 * near.election // FINENESS) * FINENESS)
    for _ in range(sums.params.bound_flows - 1):
        too_many = over(likely)
        if not (near.election and too_many):
            break
        # The bound is concave in this price: more elections than
        # the plan has mean that it is too low, fewer too high.
        half = best.election // 2 // FINENESS * FINENESS
        other, likely = tried(2 * best.election if too_many > 0 else half)
        if other.bound <= best.bound:
            break
        best = other
        if (over(likely) > 0) != (too_many > 0):  # the best price lies between the last two
            break
    return best


def flow_near(sums: LeaderSums, likely: Int64, election: int) -> tuple[SumPrices, Int64]:
    """The prices of a flow with a price of elections, and its leaders, ``(n_topics, n_brokers)``.

    A topic has an arc to each broker for each step by which its leaders there rise. Steps are units near to
    what is ``likely`` and wide ones farther off: those cost their mean, which makes some prices less good
    and no bound wrong. Nodes: sink, brokers, topics.
    """
    low, high, held, size = sums.together
    n_topics, n_brokers = low.shape
    brokers, topics = 1 + np.arange(n_brokers), 1 + n_brokers + np.arange(n_topics)
    units = range(-sums.params.bound_steps, sums.params.bound_steps + 1)
    ends = np.stack([np.clip(likely + unit, 0, size) for unit in units])
    ends = np.concatenate([np.zeros_like(ends[:1]), ends, np.broadcast_to(size, ends[:1].shape)])
    outside = np.maximum(np.maximum(low - ends, ends - high), 0)
    cost = outside**2 + election // FINENESS * np.maximum(held - ends, 0)
    wide = ends[1:] - ends[:-1]
    step, topic, broker = np.nonzero(wide)
    wide, slope = wide[step, topic, broker], (cost[1:] - cost[:-1])[step, topic, broker]
    network = Network(
        np.concatenate([[-size.sum()], np.zeros(n_brokers), size[:, 0]]).astype(np.int64),
        np.concatenate([brokers, topics[topic]]).astype(np.int32),
        np.concatenate([0 * brokers, brokers[broker]]).astype(np.int32),
        np.concatenate([sums.least, 0 * wide]),
        np.concatenate([sums.most, wide]),
        sums.params,
    )
    best = solve(network, Objective.of_linear(np.concatenate([0 * brokers, slope // wide])))
    led = np.bincount(topic * n_brokers + broker, weights=best.flow[n_brokers:], minlength=likely.size)
    # The bound has no price of the sink, so prices are measured from it.
    stands = FINENESS * (best.potential - best.potential[0])
    prices = SumPrices(election, -stands[brokers].astype(np.int32), stands[topics].astype(np.int32))
    return replace(prices, bound=sums.bound(prices)), led.astype(np.int64).reshape(likely.shape)


def by_ascent(sums: LeaderSums, value: int, *, priced: bool) -> SumPrices:
    """The best prices found in some rounds, for rising and for falling prices of elections.

    The bound and what is left of its gap to ``value`` say when another price is no longer worth its round.
    """
    n_topics = sum(len(cells.size) for cells in sums.blocks)
    election, reach = ELECTION if priced else 0, FINENESS * sums.params.bound_reach
    start = SumPrices(election, np.zeros(len(sums.least), dtype=np.int32), np.zeros(n_topics, dtype=np.int32))
    # A first round may move prices anywhere; from then on a short reach takes fewer halvings to the same end.
    best = sums.better(sums.better(start, sums.highest(election)), reach)
    for up, down in ((2, 1), (3, 4), (9, 8), (8, 9)) if priced else ():
        tried = best
        for _ in range(sums.params.bound_tries):
            tried = sums.better(sums.shifted(tried, tried.election * up // down), reach)
            gain, best = tried.bound - best.bound, max(best, tried, key=lambda prices: prices.bound)
            if gain * sums.params.bound_gain <= min(FINENESS * value - best.bound, best.bound):
                break
    return best


def sums_of(problem: Problem, lists: IntArray, proofs: list[Proof]) -> LeaderSums | None:
    """The sums of a plan with its proofs, None where there is nothing to count or far too much."""
    cluster = problem.cluster
    leads, rows = np.flatnonzero(problem.leads), np.flatnonzero(problem.movable)
    n_cells = len(cluster.topics) * len(leads)
    if not 0 < n_cells <= problem.params.bound_cells:
        return None
    first = cluster.replicas[rows, 0]
    keeps = (first >= 0) & problem.leads[np.maximum(first, 0)]
    held = measure.table(problem, rows[keeps], first[keeps])
    size = np.bincount(cluster.topic_idx[rows], minlength=len(held))
    tables = (*measure.topic_leader_bands(problem), held)
    columns = smallest(*(table[:, leads] for table in tables), size[:, None])
    # A block has some topics on all brokers: it fits the cache, and counts of brokers add up over blocks.
    n_blocks = min(-(-n_cells // BLOCK), len(cluster.topics))
    blocks = zip(*(np.array_split(column, n_blocks) for column in columns), strict=True)
    least, most = leaders_within(problem, proofs)
    forced = int(((first >= 0) & ~keeps).sum())
    return LeaderSums(
        tuple(LeaderCells(*block) for block in blocks),
        least[leads],
        most[leads],
        value_of(problem, lists, Elections.name) - forced,
        problem.params,
    )


def leaders_within(problem: Problem, proofs: list[Proof]) -> tuple[Int64, Int64]:
    """Fewest and most leaders of each broker, ``(n_brokers,)``, among partitions that may change.

    That is in plans as good as this one at the goals before.
    """
    first = goals_before(problem.goals, TopicLeaders.name)
    before = [proof for proof in proofs if proof.goal in first]
    free = free_leaders(problem)
    network, brokers = free.network, free.n_racks + np.arange(free.n_brokers)
    for proof in before:
        # Only such a level has prices of this network, and only a closed one has the plan on its face.
        if proof.level is not None and proof.level.network == NetworkName.LEADERS and proof.closes:
            network = narrow(network, free.objective(proof.goal), proof.level.potential)
    least, most = network.lower[brokers].copy(), network.upper[brokers].copy()
    if any(proof.goal == Leaders.name and proof.value == 0 for proof in before):
        level = free.objective(Leaders.name)
        least, most = np.maximum(least, level.band_low), np.minimum(most, level.band_high)
    return least, most
