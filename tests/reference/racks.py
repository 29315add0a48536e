"""The rack rule as the design states it: limit and excess of a partition, in plain loops."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from equipoise.planning import Problem


def limit(problem: Problem, factor: int) -> int:
    """Replicas of a partition of so many that a rack may hold: 1 if strict, else an even part of all of them.

    It is more only where a rack has fewer brokers that may hold something.
    """
    if not problem.cluster.brokers.has_racks:
        return factor
    if is_strict(problem):
        return 1
    brokers = Counter(
        int(rack) for rack, may in zip(problem.rack_idx, problem.eligible, strict=True) if may
    )
    high = -(-factor // max(1, len(brokers)))
    while high < factor and sum(min(high, n) for n in brokers.values()) < factor:
        high += 1
    return high


def excess(problem: Problem, brokers: Iterable[int], factor: int) -> int:
    """Replicas above the limit of so many, summed over racks."""
    inside, most = Counter(int(problem.rack_idx[b]) for b in brokers), limit(problem, factor)
    return sum(max(0, n - most) for n in inside.values())


def allowed(problem: Problem, current: Sequence[int]) -> int:
    """The excess that a partition may end with: today's, or none."""
    return 0 if is_strict(problem) else excess(problem, current, len(current))


def is_strict(problem: Problem) -> bool:
    return problem.request.rack_rule == "strict"
