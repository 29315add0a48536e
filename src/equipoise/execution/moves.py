"""What is to be carried out: moves in the order in which they are admitted."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from equipoise.cluster import Cluster
from equipoise.cluster.brokers import IntArray
from equipoise.execution.drained import Drained, drained_by
from equipoise.execution.governing import Bounds
from equipoise.execution.hours import Hours
from equipoise.execution.port import Replica, TopicPartition
from equipoise.files.log_dirs import dirs_before, named_dirs
from equipoise.scheduling.rounds import ELECTION_BATCH, expected_s

if TYPE_CHECKING:
    from equipoise.scheduling import Schedule


@dataclass(frozen=True, slots=True)
class Move:
    """One partition's change; lists are broker ids in preference order."""

    partition: TopicPartition
    before: tuple[int, ...]
    after: tuple[int, ...]
    size_bytes: float = math.nan
    """Bytes of one replica, NaN where unknown."""
    adding: tuple[int, ...] = field(init=False)
    """Brokers that get a copy; none for a reorder or a smaller replication factor."""

    def __post_init__(self) -> None:
        adding = tuple(broker for broker in self.after if broker not in self.before)
        object.__setattr__(self, "adding", adding)

    @property
    def reversed(self) -> Move:
        return Move(self.partition, self.after, self.before, self.size_bytes)


@dataclass(frozen=True)
class Job:
    """A plan, or the way back from it, ready to be carried out."""

    operation: str
    """"apply" or "rollback"."""
    plan: str
    """Digest of the plan, which a journal must share."""
    cluster_id: str | None
    """None where the plan was made from files that do not tell."""
    moves: tuple[Move, ...]
    racks: Mapping[int, str | None] = field(default_factory=dict)
    eligible: frozenset[int] = frozenset()
    """Brokers that may hold replicas afterwards: where a stuck move may be sent instead."""
    dirs: Mapping[Replica, str] = field(default_factory=dict)
    """Log dirs that replicas are to end in, where that was asked for."""
    dirs_before: Mapping[Replica, str] = field(default_factory=dict)
    """Log dirs that replicas go back to on the way back."""
    drained: Drained = field(default_factory=Drained)
    """Brokers that are to be empty at the end."""

    @cached_property
    def n_elections(self) -> int:
        """Leaders to be elected at the end, as `elections` counts them."""
        return sum(m.before[0] != m.after[0] and m.before[0] in m.after for m in self.moves)

    def seconds(self, throttle: float | None, max_inflight: int) -> float:
        """Expected time at so many bytes a second of each broker: the busiest link, rounds and elections; NaN
        where the rate or a size is not known."""
        copies = [move for move in self.moves if move.adding]
        if throttle is None or any(math.isnan(move.size_bytes) for move in copies):
            return math.nan
        carried: defaultdict[tuple[str, int], float] = defaultdict(float)
        for move in copies:
            for broker in move.adding:
                carried["out", move.before[0]] += move.size_bytes
                carried["in", broker] += move.size_bytes
        copy_s = max(carried.values(), default=0.0) / throttle
        return expected_s(copy_s, len(self.moves), self.n_elections, max_inflight)

    @property
    def topics(self) -> tuple[str, ...]:
        return tuple(sorted({move.partition.topic for move in self.moves}))

    @property
    def dirs_of_staying(self) -> dict[Replica, str]:
        """The log dirs of replicas that are on their broker already: what no copy between brokers brings."""
        coming = {Replica(*move.partition, broker) for move in self.moves for broker in move.adding}
        return {replica: path for replica, path in self.dirs.items() if replica not in coming}

    @property
    def way_back(self) -> Job:
        """The job that restores the lists from before, last moved first."""
        moves = tuple(move.reversed for move in reversed(self.moves))
        dirs = self.dirs_before, self.dirs
        return Job("rollback", self.plan, self.cluster_id, moves, self.racks, self.eligible, *dirs)


@dataclass(frozen=True)
class Options:
    """How a job is carried out; times in seconds, rates in bytes a second."""

    throttle: int | None = None
    """For each broker, each way; None sets no throttle."""
    bounds: Bounds | None = None
    """Where the throttle goes up and down by itself; None: it stays."""
    hours: Hours = field(default_factory=Hours)
    """When moves may begin."""
    max_inflight: int = 50
    inflight_bounds: Bounds | None = None
    """Where that goes up and down by itself; None: it stays."""
    health: str | None = None
    """Where figures of brokers are read that hold these down, for whoever takes the run up."""
    metrics_file: str | None = None
    """Where a picture of the run is written, likewise."""
    tells_events: bool = False
    """A command is run for each event. It may hold a secret, so nobody is told which."""
    per_broker: int | None = None
    """Partitions that one broker may send, and receive, at a time; None: as many as are in flight."""
    chunk: int = 500
    """Partitions in one request, far below the 10,000 that KRaft takes."""
    election_batch: int = ELECTION_BATCH
    poll_s: float = 1.0
    grace_s: float = 10.0
    """How long brokers may show different states before one is taken for a fact."""
    stuck_after_s: float = 120.0
    if_stuck: str = "wait"
    """"wait", "skip" (cancel the move, restore the order, go on) or "retarget" (another broker)."""
    disk_reserve: float = 0.05
    """Share of a broker's disks that is never filled."""
    despite_sick: bool = False
    """Start although partitions are under-replicated or offline; never while one is under its min ISR."""
    keep_rates: bool = False
    """Put back at the end the rates that stood before, whoever set them; else the run does not begin."""
    adopt: bool = False
    """Take for its own what it finds and its journal does not know: moves to the plan's lists, throttles."""


def job_of(schedule: Schedule, digest: str) -> Job:
    """The job of a schedule: its order, with broker ids."""
    plan = schedule.plan
    cluster, rows = plan.cluster, schedule.order
    before = cluster.ids_of(cluster.replicas[rows]).tolist()
    after = cluster.ids_of(plan.target[rows]).tolist()
    numbers, topics = cluster.partition[rows].tolist(), cluster.topic_idx[rows].tolist()
    moves = tuple(
        Move(TopicPartition(cluster.topics[t], p), held(old), held(new), size)
        for t, p, old, new, size in zip(
            topics, numbers, before, after, cluster.size_bytes[rows].tolist(), strict=True
        )
    )
    ids = cluster.brokers.ids.tolist()
    return Job(
        "apply",
        digest,
        cluster.cluster_id,
        moves,
        dict(zip(ids, cluster.brokers.racks, strict=True)),
        frozenset(cluster.brokers.ids[plan.eligible].tolist()),
        placed(cluster, plan.target, named_dirs(plan)),
        placed(cluster, cluster.replicas, dirs_before(plan)),
        drained_by(plan),
    )


def partitions_of(schedule: Schedule) -> list[list[TopicPartition]]:
    """The partitions of each wave, as its plan directory numbers them."""
    cluster = schedule.plan.cluster
    return [
        [
            TopicPartition(cluster.topics[t], p)
            for t, p in zip(cluster.topic_idx[rows].tolist(), cluster.partition[rows].tolist(), strict=True)
        ]
        for rows in schedule.waves
    ]


def placed(cluster: Cluster, lists: IntArray, dirs: IntArray | None) -> dict[Replica, str]:
    """The log dir of each replica in ``lists`` (positions) that has one in ``dirs``."""
    if cluster.dirs is None or dirs is None:
        return {}
    ids, paths = cluster.ids_of(lists), cluster.dirs.paths
    found = {}
    for row, at in np.argwhere(dirs >= 0).tolist():
        topic, number = cluster.topics[cluster.topic_idx[row]], int(cluster.partition[row])
        found[Replica(topic, number, int(ids[row, at]))] = paths[dirs[row, at]]
    return found


def held(padded: Iterable[int]) -> tuple[int, ...]:
    """A replica list without its padding."""
    return tuple(broker for broker in padded if broker >= 0)
