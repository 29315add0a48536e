"""The copies that a plan asks for: from each partition's leader to every broker that is new to it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from equipoise.cluster import Plan
from equipoise.cluster.measures import arrivals, most_in_one_rack, position, rack_limits
from equipoise.scheduling.result import FloatArray, RowArray


@dataclass(frozen=True, eq=False)
class Copies:
    """One element a new replica, by row, then place in the list; columns have shape ``(n_copies,)``."""

    row: RowArray
    source: RowArray
    """The leader's position: Kafka's new replicas fetch from the leader alone."""
    target: RowArray
    amount: FloatArray
    """Bytes to copy, or 1 where no size is known."""
    unit: str
    """"bytes" or "partitions"."""

    def __len__(self) -> int:
        return len(self.row)

    def only(self, chosen: npt.NDArray[np.bool_]) -> Copies:
        """The copies that a mask ``(n_copies,)`` chooses."""
        return Copies(
            self.row[chosen], self.source[chosen], self.target[chosen], self.amount[chosen], self.unit
        )

    def per_link(self, n_brokers: int) -> tuple[FloatArray, FloatArray]:
        """What each broker sends and receives in all, two arrays ``(n_brokers,)`` in ``unit``."""
        sent, received = (
            np.bincount(side, weights=self.amount, minlength=n_brokers).astype(np.float64)
            for side in (self.source, self.target)
        )
        return sent, received


def copies_of(plan: Plan, notes: list[str]) -> Copies:
    """Every copy of ``plan``; appends to ``notes`` how unknown sizes were counted.

    Partitions that do not exist yet (no list before) are created, not copied.
    """
    cluster = plan.cluster
    before = cluster.replicas[plan.changed]
    new = arrivals(before, plan.target[plan.changed]) & (cluster.rf[plan.changed] > 0)[:, None]
    at, place = np.nonzero(new)
    rows = plan.changed[at]
    first = position(cluster.replicas, 0)[rows]
    # Where nobody tells who leads, the first of the list does in quiet times.
    leader = np.where(cluster.leader[rows] >= 0, cluster.leader[rows], first)
    amount, unit = amounts(cluster.size_bytes, rows, notes)
    return Copies(rows, leader.astype(np.int64), plan.target[rows, place].astype(np.int64), amount, unit)


def amounts(size_bytes: FloatArray, rows: RowArray, notes: list[str]) -> tuple[FloatArray, str]:
    """What each copy weighs, and the unit."""
    known = np.isfinite(size_bytes)
    if not len(rows):
        return np.zeros(0), "bytes" if known.any() else "partitions"
    if not known[rows].any():
        notes.append("no sizes are known: partitions are counted instead of bytes, and no time is told")
        return np.ones(len(rows)), "partitions"
    unknown = int((~known[rows]).sum())
    if unknown:
        notes.append(f"{unknown} copies of unknown size are counted at the mean of the known ones")
    return np.where(known[rows], size_bytes[rows], np.nanmean(size_bytes[rows])), "bytes"


def urgent(plan: Plan) -> npt.NDArray[np.bool_]:
    """``(n_partitions,)``: rows whose move mends something: too many replicas in a rack, or a replica
    on a broker that must be emptied. They go before rows that only level the cluster."""
    cluster = plan.cluster
    held = cluster.replicas >= 0
    leaves: npt.NDArray[np.bool_] = np.any(held & ~plan.eligible[np.maximum(cluster.replicas, 0)], axis=1)
    if not cluster.brokers.has_racks:
        return leaves
    rack_idx, usable = cluster.brokers.rack_idx, plan.eligible & cluster.brokers.racked
    limit = rack_limits(cluster.rf, rack_idx, usable, strict=plan.strict_racks)
    return leaves | (most_in_one_rack(cluster.replicas, rack_idx) > limit)
