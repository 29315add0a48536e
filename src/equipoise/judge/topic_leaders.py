"""Each topic's leaders in any placement: a bound by prices on what leaders add up to.

A topic has as many leaders as partitions, a broker as many as the face of the leader network lets it
have, and there are no more elections than the plan has. With a price on each of these sums the cells
(topic, broker) do not depend on each other any more, and their cheapest numbers are a bound (weak
duality), whatever the prices are and wherever replicas come to stand.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from equipoise.judge.bands import topic_leader_bands
from equipoise.judge.duality import FlowProblem, exact_dot, within
from equipoise.judge.goals.elections import Elections
from equipoise.judge.goals.leaders import Leaders
from equipoise.judge.relaxation import Int64, Relaxation
from equipoise.judge.violations import Case

ELECTIONS, LEADERS = Elections(), Leaders()
FINENESS = 8
"""Parts of one that prices are whole numbers of."""
HIGHEST_PRICE = 2**28
"""Far above any that is of use; sums of ten million partitions on hundreds of brokers stay within 64 bits."""


def topic_leaders_bound(
    case: Case, before: Sequence[str], leaders: tuple[Relaxation, FlowProblem], prices: Int64
) -> int:
    """The bound on ``topic-leaders`` of plans as good as this one at the goals ``before`` it.

    ``prices``: of an election, of a leader on each broker that may lead, and of one of each topic, in
    parts of `FINENESS`. Raises ``ValueError`` for unusable ones.
    """
    cluster, rules = case.cluster, case.rules
    may, n_topics = np.flatnonzero(rules.leads), len(cluster.topics)
    if prices.shape != (1 + len(may) + n_topics,) or not within(prices, HIGHEST_PRICE):
        raise ValueError(f"prices of shape {prices.shape}, or too high")
    election, of_broker, of_topic = int(prices[0]), prices[1 : 1 + len(may)], prices[1 + len(may) :]
    # Only a goal before limits elections; without one a
    # price of them would take off what no plan has to keep.
    if election < 0 or (election > 0 and ELECTIONS.name not in before):
        raise ValueError("a price of elections that are not limited, or one below 0")

    topic, first = cluster.topic_idx[rules.movable].astype(np.int64), case.before[rules.movable, 0]
    size = np.bincount(topic, minlength=n_topics)
    keeps = (first >= 0) & rules.leads[first]
    key = topic[keeps] * cluster.n_brokers + first[keeps]
    held = np.bincount(key, minlength=n_topics * cluster.n_brokers)
    low, high, held = (cells.reshape(n_topics, -1)[:, may] for cells in (*topic_leader_bands(case), held))
    allowed = ELECTIONS.value(case) - int(((first >= 0) & ~keeps).sum())
    least, most = leaders_within(case, before, leaders)
    cells = cheapest(of_topic[:, None] + of_broker, low, high, held, size[:, None], election)
    bound = (
        exact_dot(of_topic, size)
        # each price is paid for the number within the bounds that is worst for the bound
        + int(np.minimum(of_broker * least[may], of_broker * most[may]).sum())
        + int(cells.sum())
        - election * allowed
    )
    return -(-bound // FINENESS)


def leaders_within(
    case: Case, before: Sequence[str], leaders: tuple[Relaxation, FlowProblem]
) -> tuple[Int64, Int64]:
    """Fewest and most leaders of each broker, ``(n_brokers,)``, among partitions that may change."""
    relaxation, face = leaders
    # A level `leaders` of value 0 has every broker within its band, whether its prices show that or not.
    least, most = face.lower.copy(), face.upper.copy()
    if LEADERS.name in before and LEADERS.value(case) == 0:
        level = relaxation.problem(LEADERS.name, face)
        least[level.convex] = np.maximum(least[level.convex], level.band_low)
        most[level.convex] = np.minimum(most[level.convex], level.band_high)
    n_racks = len(case.cluster.brokers.rack_names)
    brokers = n_racks + np.arange(case.cluster.n_brokers)  # their arcs come after those of the racks
    return least[brokers], most[brokers]


def cheapest(price: Int64, low: Int64, high: Int64, held: Int64, size: Int64, election: int) -> Int64:
    """For each cell the least of what its leaders x can cost, with x from 0 to ``size``.

    That is ``FINENESS * distance(x) ** 2`` from the band, less ``price`` for each of them, and
    ``election`` for each of the ``held`` ones given up: two convex parts, which meet where x is ``held``.
    """

    def turning(price: Int64) -> Int64:
        """Where the squares alone, less the price, are least: units outside cost 1, 3, 5, ..."""
        units = (np.abs(price) // FINENESS + 1) // 2
        return np.where(price >= 0, high + units, low - units)

    def cost(x: Int64) -> Int64:
        outside = np.maximum(np.maximum(low - x, x - high), 0)
        total: Int64 = FINENESS * outside**2 - price * x + election * np.maximum(held - x, 0)
        return total

    # At and above `held` no leader is given up, below it each one less is an election. Both parts are convex,
    # and the smaller of their least is the least of all.
    more = np.clip(turning(price), held, size)
    fewer = np.clip(turning(price + election), 0, held)
    return np.minimum(cost(more), cost(fewer))
