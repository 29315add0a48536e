"""Counts and bands, written a second time: plain loops over lists and exact fractions, no arrays."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from math import ceil, floor, isnan

import numpy as np

from equipoise.planning import Problem

Lists = Sequence[Sequence[int]]
Band = tuple[int, int | None]
"""Lowest and highest count without cost; None where there is no highest."""
OPEN: Band = (0, None)
LEADS = ("leaders-in", "replication-out", "network-out", "cpu")
"""What leaders alone bear."""
CAPACITY = {
    "disk": "disk_bytes", "network-in": "bytes_in_per_s", "leaders-in": "bytes_in_per_s",
    "network-out": "bytes_out_per_s", "replication-out": "bytes_out_per_s",
}  # fmt: skip


def as_lists(table: Iterable[Iterable[int]]) -> list[list[int]]:
    """Replica lists without their padding, from a ``(n_partitions, max_rf)`` array."""
    return [[int(broker) for broker in row if broker >= 0] for row in table]


def sides(problem: Problem, load: str) -> tuple[float, float]:
    """Percent below and above that the band of a load in ``--balance`` reaches; 0 for what is not in it."""
    mix = {spec.split(":")[0]: spec.split(":")[1:] for spec in problem.request.balance}
    if load not in mix:
        return 0, 0
    if mix[load]:
        return float(mix[load][0]), float(mix[load][-1])
    return problem.request.tolerance or ((0, 0) if list(mix) == ["count"] else (5, 5))


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


def before_of(problem: Problem) -> list[list[int]]:
    return as_lists(problem.cluster.replicas)


def moved(problem: Problem, lists: Lists, row: int) -> int:
    """Data moves of one partition."""
    before = [int(b) for b in problem.cluster.replicas[row] if b >= 0]
    return len(set(lists[row]) - set(before)) if before else 0


def size_of(problem: Problem, row: int) -> int:
    """Bytes of one replica; what is unknown counts as nothing."""
    size = float(problem.cluster.size_bytes[row])
    return 0 if isnan(size) else round(size)


def weight_of(problem: Problem, goal: str, row: int) -> int:
    """What one replica (or the leader) of a partition weighs."""
    cluster = problem.cluster
    if cluster.rf[row] == 0:
        return 0
    if goal == "disk":
        return int(cluster.size_bytes[row])
    if goal == "cpu":
        return round(cluster.cpu_percent[row] * 1_000_000)
    inward = int(cluster.bytes_in_per_s[row])
    if goal in ("network-in", "leaders-in"):
        return inward
    to_followers = inward * (int(problem.rf[row]) - 1)
    return to_followers if goal == "replication-out" else to_followers + int(cluster.bytes_out_per_s[row])


def by_topic(problem: Problem, rows: Sequence[Sequence[int]], brokers: Sequence[bool]) -> int:
    """Squared distances of each topic's counts; ``rows`` are the brokers that count for a partition."""
    weight, total = weights_of(problem, brokers), 0
    for topic in range(len(problem.cluster.topics)):
        mine = np.flatnonzero(problem.cluster.topic_idx == topic)
        counts = Counter(b for row in mine for b in rows[row])
        total += squared(counts, bands(sum(counts[b] for b in weight), weight), len(brokers))
    return total


def led(lists: Lists) -> Counter[int]:
    return Counter(held[0] for held in lists)
