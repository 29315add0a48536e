"""Leaders of each topic levelled by a maximum flow, made cheap, then pruned.

Ping-Min Lin, Pinterest Engineering, "Using graph algorithms to optimize Kafka operations, part 2",
sections "One-shot leader rebalancing for a skewed topic: Maximum Flow Problem" and "Further
Improvements". No data moves. A component of the flow that helps is kept whole, with the see-saw
changes in it, so the number of changes stays above the least possible.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import partial

import numpy as np

from equipoise.cluster.brokers import IntArray
from equipoise.planning.problem.problem import Problem
from equipoise.planning.published.helpers import Lists, counts, mean, topic_by_topic
from equipoise.planning.published.residue import Handover, Skew, hand_over, prune
from equipoise.planning.published.settings import Settings

name = "pinterest"


def run(problem: Problem, settings: Settings) -> IntArray:
    """Level the leaders of one topic after the other."""
    return topic_by_topic(problem, partial(level, settings))


def level(settings: Settings, lists: Lists, rows: Sequence[int]) -> None:
    """Level the leaders of ``rows`` over the brokers that hold them."""
    skew = leader_skew(lists, rows, sorted({broker for row in rows for broker in lists[row]}))
    found = hand_over(skew, residue=settings.residue, costs=settings.costs)
    swap_leaders(lists, rows, prune(skew, found) if settings.prune else found)


def leader_skew(
    lists: Lists, rows: Sequence[int], brokers: Sequence[int], counted: Sequence[int] | None = None
) -> Skew:
    """Leader -> partition -> follower for ``rows``, against the mean number of leaders of ``brokers``.

    The leaders of ``counted`` rows count (the same rows if None); brokers beside ``brokers`` neither
    have too much nor too little.
    """
    size = 1 + max((broker for held in (*lists, brokers) for broker in held), default=0)
    leaders = counts((lists[row][0] for row in (rows if counted is None else counted)), size)
    shares = [Fraction(count) for count in leaders]
    average = mean([leaders[broker] for broker in brokers])
    for broker in brokers:
        shares[broker] = average
    gives = [(lists[row][0], k) for k, row in enumerate(rows)]
    takes = [(k, follower) for k, row in enumerate(rows) for follower in lists[row][1:]]
    return Skew(leaders, shares, np.array(gives, dtype=np.int64).reshape(-1, 2),
                np.array(takes, dtype=np.int64).reshape(-1, 2))


def swap_leaders(lists: Lists, rows: Sequence[int], handovers: Sequence[Handover]) -> None:
    """Each new leader changes places with the old one."""
    for _, k, taker in handovers:
        replicas = lists[rows[k]]
        place = replicas.index(taker)
        replicas[0], replicas[place] = replicas[place], replicas[0]
