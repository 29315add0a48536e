"""Room on the brokers' disks while both copies of a moving partition exist."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from equipoise.cluster import Plan
from equipoise.cluster.measures import bytes_per_broker
from equipoise.scheduling.copies import Copies
from equipoise.scheduling.result import FloatArray


class Room:
    """Bytes that still fit on each broker.

    Only tight brokers are watched: those that could not hold everything they are to receive on
    top of everything they have. What leaves a broker makes room once its whole partition is done.
    """

    def __init__(self, plan: Plan, copies: Copies, limit: float, seconds: float) -> None:
        """``limit`` is the share of a disk that may be used; partitions grow for ``seconds``."""
        cluster, n = plan.cluster, plan.cluster.n_brokers
        growth = np.nan_to_num(cluster.bytes_in_per_s) * (seconds if np.isfinite(seconds) else 0.0)
        self.size: FloatArray = np.nan_to_num(cluster.size_bytes) + growth
        self.incoming: FloatArray = self.size[copies.row]
        disk = cluster.brokers.disk_bytes
        capacity = np.where(np.isfinite(disk), disk * limit, np.inf)
        self.free: FloatArray = capacity - bytes_per_broker(cluster.replicas, self.size, n)
        arriving = np.bincount(copies.target, weights=self.incoming, minlength=n)
        self.tight: npt.NDArray[np.bool_] = (arriving > self.free) & (arriving > 0)
        self.leaving = leaving(plan, self.tight)
        self.open = np.bincount(copies.row, minlength=cluster.n_partitions)
        # A partition that only loses replicas waits for no copy.
        for row in self.leaving:
            if self.open[row] == 0:
                self.done(row)

    def copied(self, row: int) -> list[int]:
        """One copy of a partition has ended; returns the tight brokers that gained room by it."""
        self.open[row] -= 1
        return self.done(row) if self.open[row] == 0 else []

    def done(self, row: int) -> list[int]:
        """The old replicas of a partition go; returns the tight brokers among theirs."""
        brokers = self.leaving.get(row, [])
        for broker in brokers:
            self.free[broker] += self.size[row]
        return brokers


def leaving(plan: Plan, tight: npt.NDArray[np.bool_]) -> dict[int, list[int]]:
    """For each changed row the tight brokers (positions) that its partition leaves."""
    if not tight.any():
        return {}
    before, after = plan.cluster.replicas[plan.changed], plan.target[plan.changed]
    gone = (before >= 0) & tight[np.maximum(before, 0)]
    for k in range(after.shape[1]):
        gone &= before != after[:, k : k + 1]
    result: dict[int, list[int]] = {}
    for at, place in np.argwhere(gone).tolist():
        result.setdefault(int(plan.changed[at]), []).append(int(before[at, place]))
    return result
