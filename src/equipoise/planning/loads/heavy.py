"""What partitions heavier than any band leave outside, wherever they stand: in closed form.

Of one such partition every replica stands on some broker, which it takes above its band; and what these
brokers bear beyond their shares the others lack. What several bring to one broker is no less than the sum of
what each would bring alone, since a broker outside its band pays for each further unit in full.
"""

from __future__ import annotations

import numpy as np

from equipoise.cluster.measures import replicas_per_rack
from equipoise.planning.loads.weights import Int64, Load, borne, stays
from equipoise.planning.problem.problem import Problem
from equipoise.planning.rules import rack_span


def heavy_outside(problem: Problem, load: Load) -> int:
    """The least outside the bands of all brokers together, above and below."""
    banded = load.high < 2**61
    still = borne(stays(problem)[:, : 1 if load.of_leaders else None], load.weight, len(load.low))
    copies = (np.ones_like(problem.rf) if load.of_leaders else problem.rf).astype(np.int64)
    rows = heaviest(problem, load, still, copies)
    held = still + load.weight[rows, None]
    # Without the partition, and with it alone: the difference is the least that it brings to each broker.
    over, more = (np.maximum(some - load.high, 0) for some in (still, held))
    short, less = (np.where(banded, np.maximum(some - load.low, 0), 0) for some in (still, held))
    above = int(over[banded].sum()) + fewest(problem, load, rows, more - over)
    # What brokers lack below `low` is what they have above it, less all there is, plus the sum of `low`. So
    # what is outside on both sides is a sum that only rises with what each broker bears, as ``above`` is.
    beyond = int(over[banded].sum() + short.sum()) + fewest(problem, load, rows, more - over + less - short)
    whole = int(still[banded].sum()) + int((load.weight * copies)[problem.movable].sum())
    return max(above, beyond - (whole - int(load.low[banded].sum())))


def heaviest(problem: Problem, load: Load, still: Int64, copies: Int64) -> Int64:
    """Partitions that no few brokers have room for, as many as there are brokers, the heaviest first."""
    # Its replicas stand on different brokers: where too few
    # have room for it, one of them is outside for certain.
    room = np.sort((load.high - still)[problem.eligible])[::-1]
    rows = np.flatnonzero(problem.movable)
    rows = rows[load.weight[rows] > room[np.minimum(copies[rows], len(room)) - 1]]
    # A sum over fewer partitions is a bound as well, and the heaviest say most of it.
    return rows[np.argsort(-load.weight[rows], kind="stable")][: len(still)]


def fewest(problem: Problem, load: Load, rows: Int64, outside: Int64) -> int:
    """The sum of what each of ``rows`` brings outside where it does least; ``outside`` of each broker."""
    if load.of_leaders:
        return int(outside[:, problem.eligible].min(axis=1, initial=2**62).sum()) if len(rows) else 0
    now = replicas_per_rack(problem.current[rows], problem.rack_idx, problem.n_racks).astype(np.int64)
    most = np.broadcast_to(rack_span(problem, rows, now).most, now.shape)
    total = 0
    for row, each, room in zip(rows.tolist(), outside, most, strict=True):
        in_racks = (each[problem.eligible & (problem.rack_idx == rack)] for rack in range(problem.n_racks))
        best = np.concatenate([np.sort(some)[: room[rack]] for rack, some in enumerate(in_racks)])
        total += int(np.sort(best)[: problem.rf[row]].sum())
    return total
