"""One flow for replicas, one for leaders, one for first followers.

Appier, "Kafka reassignment 方案" (2022), sections "Pinterest 的演算法", "延伸到 partition" and
"再延伸到 1st-follower". All three use Pinterest's network with residue nodes. In the first, an extra
node feeds the partitions whose replication factor rises; in the third, pairs (leader, first
follower) stand where brokers stood. Residue nodes make a level cluster change places for nothing,
so each flow is left out where its start is already perfect (section "總結"); without that check a
second run moves data again.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import permutations

import numpy as np

from equipoise.cluster.brokers import IntArray
from equipoise.planning.problem.problem import Problem
from equipoise.planning.published.helpers import (
    Lists,
    counts,
    eligible_brokers,
    is_level,
    lists_of,
    matrix_of,
    mean,
    movable_rows,
)
from equipoise.planning.published.interface import NoPlan
from equipoise.planning.published.pinterest import leader_skew, swap_leaders
from equipoise.planning.published.residue import NEW, Handover, Skew, hand_over
from equipoise.planning.published.settings import FOLLOWERS, LEADERS, REPLICAS, Settings

name = "appier"


def run(problem: Problem, settings: Settings) -> IntArray:
    """Replicas (but with ``--leaders-only``), then leaders, then first followers, over all topics alike."""
    if ((problem.current >= 0).sum(axis=1) > problem.rf).any():
        raise NoPlan("it cannot lower a replication factor")
    lists, rows, brokers = lists_of(problem), movable_rows(problem), eligible_brokers(problem)
    steps = [step for step in settings.steps if step != REPLICAS or not problem.stays]
    if REPLICAS in steps:
        skew = replica_skew(problem, lists, rows)
        if not (settings.check_first and is_perfect(skew, brokers)):
            move_replicas(lists, rows, skew)
    if LEADERS in steps:
        # Partitions that may not change have leaders too, and those count for the mean.
        skew = leader_skew(lists, rows, brokers, counted=range(len(lists)))
        if not (settings.check_first and is_level([skew.counts[broker] for broker in brokers])):
            swap_leaders(lists, rows, hand_over(skew))
    if FOLLOWERS in steps:
        # With two replicas the leader leaves no choice of a first follower.
        rows = [row for row in rows if len(lists[row]) > 2]
        held = {broker for row in rows for broker in lists[row]}
        pairs = list(permutations(sorted(held | set(brokers)), 2))
        skew = pair_skew(lists, rows, pairs)
        if not (settings.check_first and is_level(skew.counts)):
            swap_first_followers(lists, rows, pairs, hand_over(skew))
    return matrix_of(lists)


def replica_skew(problem: Problem, lists: Lists, rows: Sequence[int]) -> Skew:
    """Holder -> partition -> every broker that does not hold it, against the mean of the brokers to stay."""
    held = counts((broker for replicas in lists for broker in replicas), problem.cluster.n_brokers)
    raised = {k: missing for k, row in enumerate(rows) if (missing := int(problem.rf[row]) - len(lists[row]))}
    total = sum(held) + sum(raised.values())
    share = Fraction(total, int(problem.eligible.sum()))
    shares = [share if stays else Fraction(0) for stays in problem.eligible.tolist()]
    holds = np.zeros((len(rows), len(held)), dtype=bool)
    for k, row in enumerate(rows):
        holds[k, lists[row]] = True
    return Skew(held, shares, np.argwhere(holds.T), np.argwhere(~holds & problem.receives), raised)


def is_perfect(skew: Skew, brokers: Sequence[int]) -> bool:
    """Level over the brokers to stay, nothing on the others, and no replication factor to raise."""
    kept = set(brokers)
    emptied = all(count == 0 for broker, count in enumerate(skew.counts) if broker not in kept)
    return emptied and not skew.raised and is_level([skew.counts[broker] for broker in brokers])


def move_replicas(lists: Lists, rows: Sequence[int], skew: Skew) -> None:
    """A moved replica takes the place of the one it replaces, a new one comes last."""
    for giver, k, taker in hand_over(skew):
        replicas = lists[rows[k]]
        if giver == NEW:
            replicas.append(taker)
        else:
            replicas[replicas.index(giver)] = taker


def pair_skew(lists: Lists, rows: Sequence[int], pairs: Sequence[tuple[int, int]]) -> Skew:
    """(leader, first follower) -> partition -> (leader, other follower), against the mean of all pairs."""
    number = {pair: k for k, pair in enumerate(pairs)}
    now = [number[lists[row][0], lists[row][1]] for row in rows]
    takes = [(k, number[lists[row][0], other]) for k, row in enumerate(rows) for other in lists[row][2:]]
    held = counts(now, len(pairs))
    return Skew(held, [mean(held)] * len(held),
                np.array([(pair, k) for k, pair in enumerate(now)], dtype=np.int64).reshape(-1, 2),
                np.array(takes, dtype=np.int64).reshape(-1, 2))


def swap_first_followers(
    lists: Lists, rows: Sequence[int], pairs: Sequence[tuple[int, int]], handovers: Sequence[Handover]
) -> None:
    """The follower that a pair names comes second; the one that was there takes its place."""
    for _, k, taker in handovers:
        replicas = lists[rows[k]]
        place = replicas.index(pairs[taker][1])
        replicas[1], replicas[place] = replicas[place], replicas[1]
