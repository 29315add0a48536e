"""What a run takes beside copying: rounds of requests and looks, and elections at its end."""

from __future__ import annotations

import math

import numpy as np

from equipoise.cluster import Plan
from equipoise.cluster.measures import position
from equipoise.scheduling.result import RowArray

ROUND_S = 2.0
"""From one submission to the next where little is copied: throttles set and shown by brokers, moves begun and
carried out by controller and brokers, a look each second. Measured on five test brokers that shared two busy
cores, 50 partitions at a time: 600 of 20 kB took 22 and 27 s, 1,209 changes under traffic took 52 s."""
ELECTION_BATCH = 50
"""Partitions whose leaders `apply` elects at a time."""
BATCH_S = 1.0
"""From one batch of elections to the next: `apply` waits so long, for clients to learn of new leaders."""


def rounds_s(n_partitions: int, max_inflight: int) -> float:
    """Seconds in which so many partitions can be submitted however little is copied."""
    return ROUND_S * math.ceil(n_partitions / max_inflight)


def elections_s(n_elections: int) -> float:
    """Seconds of so many elections."""
    return BATCH_S * math.ceil(n_elections / ELECTION_BATCH)


def expected_s(copy_s: float, n_partitions: int, n_elections: int, max_inflight: int) -> float:
    """Seconds of a run: rounds go on beside the copies, all but the first; NaN where ``copy_s`` is."""
    first = rounds_s(min(n_partitions, max_inflight), max_inflight)
    later = rounds_s(n_partitions, max_inflight) - first
    # Nothing is copied before the first round, and leaders are
    # elected when all is copied; between, the slower counts.
    return first + float(np.maximum(copy_s, later)) + elections_s(n_elections)


def elections(plan: Plan, rows: RowArray) -> int:
    """How many rows need one: their first replica changes, and their leader stays in the list. Where it
    leaves, Kafka itself gives the lead to the first replica as the move ends."""
    before, after = position(plan.cluster.replicas, 0)[rows], plan.target[rows, 0]
    stays = (plan.target[rows] == before[:, None]).any(axis=1)
    return int(np.count_nonzero((before != after) & stays & (before >= 0)))
