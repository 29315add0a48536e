"""Values of the goals, written a second time: plain loops over lists and exact fractions, no arrays.

What the planner reaches and what the 0-1 program of `exact.py` reaches are both measured here.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from math import ceil, floor

import numpy as np

from equipoise.planning import Problem

Lists = Sequence[Sequence[int]]
Band = tuple[int, int | None]
"""Lowest and highest count without cost; None where there is no highest."""
OPEN: Band = (0, None)


def as_lists(table: Iterable[Iterable[int]]) -> list[list[int]]:
    """Replica lists without their padding, from a ``(n_partitions, max_rf)`` array."""
    return [[int(broker) for broker in row if broker >= 0] for row in table]


def weights_of(problem: Problem, brokers: Sequence[bool]) -> dict[int, Fraction]:
    """Weight of each broker that may take part."""
    weight = problem.cluster.brokers.weight
    return {b: Fraction(float(weight[b])).limit_denominator(1000) for b, may in enumerate(brokers) if may}


def bands(
    total: int, weight: Mapping[int, Fraction], tolerance: tuple[float, float] = (0, 0)
) -> dict[int, Band]:
    """Floor and ceiling of each one's share of the total, widened by percents below and above."""
    below, above = (Fraction(str(side)) / 100 for side in tolerance)
    whole = sum(weight.values())
    shares = {node: total * w / whole for node, w in weight.items()}
    return {node: (max(0, floor(s * (1 - below))), ceil(s * (1 + above))) for node, s in shares.items()}


def distance(count: int, band: Band) -> int:
    """How far a count is outside its band."""
    low, high = band
    return max(low - count, 0, 0 if high is None else count - high)


def squared(counts: Mapping[int, int], band: Mapping[int, Band], nodes: int) -> int:
    """Sum of squared distances over nodes 0, 1, 2...; a node without a band may hold anything."""
    return sum(distance(counts.get(node, 0), band.get(node, OPEN)) ** 2 for node in range(nodes))


def value(problem: Problem, lists: Lists, goal: str) -> int:
    """The value of one goal for replica lists of broker positions."""
    return VALUES[goal](problem, lists)


def racks(problem: Problem, lists: Lists) -> int:
    total = 0
    for row, held in enumerate(lists):
        if problem.movable[row]:
            in_rack = Counter(int(problem.rack_idx[b]) for b in held)
            total += sum(max(0, count - int(problem.limit[row])) for count in in_rack.values())
    return total


def replicas(problem: Problem, lists: Lists) -> int:
    counts = Counter(b for held in lists for b in held)
    weight = weights_of(problem, problem.eligible)
    band = bands(sum(counts[b] for b in weight), weight, problem.request.tolerance or (0, 0))
    return squared(counts, band, len(problem.eligible))


def before_of(problem: Problem) -> list[list[int]]:
    return as_lists(problem.cluster.replicas)


def moved(problem: Problem, lists: Lists, row: int) -> int:
    """Data moves of one partition."""
    before = [int(b) for b in problem.cluster.replicas[row] if b >= 0]
    return len(set(lists[row]) - set(before)) if before else 0


def moves(problem: Problem, lists: Lists) -> int:
    return sum(moved(problem, lists, row) for row in range(len(lists)))


def by_topic(problem: Problem, rows: Sequence[Sequence[int]], brokers: Sequence[bool]) -> int:
    """Squared distances of each topic's counts; ``rows`` are the brokers that count for a partition."""
    weight, total = weights_of(problem, brokers), 0
    for topic in range(len(problem.cluster.topics)):
        mine = np.flatnonzero(problem.cluster.topic_idx == topic)
        counts = Counter(b for row in mine for b in rows[row])
        total += squared(counts, bands(sum(counts[b] for b in weight), weight), len(brokers))
    return total


def topics(problem: Problem, lists: Lists) -> int:
    return by_topic(problem, lists, problem.eligible)


def topic_leaders(problem: Problem, lists: Lists) -> int:
    return by_topic(problem, [held[:1] for held in lists], problem.leads)


def led(lists: Lists) -> Counter[int]:
    return Counter(held[0] for held in lists)


def leaders(problem: Problem, lists: Lists) -> int:
    weight, counts = weights_of(problem, problem.leads), led(lists)
    return squared(counts, bands(sum(counts[b] for b in weight), weight), len(problem.leads))


def rack_leaders(problem: Problem, lists: Lists) -> int:
    weight, counts = weights_of(problem, problem.leads), led(lists)
    by_rack: Counter[int] = Counter()
    for broker, count in counts.items():
        by_rack[int(problem.rack_idx[broker])] += count
    return squared(by_rack, rack_bands(problem, sum(counts[b] for b in weight)), problem.n_racks)


def rack_bands(problem: Problem, n_led: int) -> dict[int, Band]:
    """Bands of the racks for so many leaders in all."""
    weight: dict[int, Fraction] = {}
    for broker, w in weights_of(problem, problem.leads).items():
        rack = int(problem.rack_idx[broker])
        weight[rack] = weight.get(rack, Fraction(0)) + w
    return bands(n_led, weight)


def elections(problem: Problem, lists: Lists) -> int:
    pairs = zip(before_of(problem), lists, strict=True)
    return sum(bool(before) and before[0] != held[0] for before, held in pairs)


def failover_band(problem: Problem, lost: int, n_led: int) -> dict[int, Band]:
    """Bands of the survivors when ``lost`` is gone; empty where there is nothing to level."""
    weight = weights_of(problem, problem.leads)
    if weight.pop(lost, None) is None or not weight:
        return {}
    share = bands(n_led, weight)
    return {b: share.get(b, (0, 0)) for b in range(len(problem.leads)) if b != lost}


def failover(problem: Problem, lists: Lists) -> int:
    counts, total, n = led(lists), 0, len(problem.leads)
    n_led = sum(counts[b] for b in range(n) if problem.leads[b])
    for lost in range(n):
        after = Counter({b: c for b, c in counts.items() if b != lost})
        after.update(held[1] for held in lists if held[0] == lost and len(held) > 1)
        total += squared(after, failover_band(problem, lost, n_led), n)
    return total


def positions(problem: Problem, lists: Lists) -> int:
    weight, total = weights_of(problem, problem.eligible), 0
    for place in range(1, max(map(len, lists))):
        counts = Counter(held[place] for held in lists if len(held) > place)
        total += squared(counts, bands(sum(counts[b] for b in weight), weight), len(problem.eligible))
    return total


def reorders(problem: Problem, lists: Lists) -> int:
    pairs = list(zip(before_of(problem), lists, strict=True))
    return sum(before != list(held) and sorted(before) == sorted(held) for before, held in pairs)


VALUES = {
    "racks": racks,
    "replicas": replicas,
    "moves": moves,
    "topics": topics,
    "leaders": leaders,
    "rack-leaders": rack_leaders,
    "elections": elections,
    "topic-leaders": topic_leaders,
    "failover": failover,
    "positions": positions,
    "reorders": reorders,
}
