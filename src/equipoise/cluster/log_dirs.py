"""Log dirs: which a broker has, which replica lies in which, and where a plan puts them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from equipoise.cluster.brokers import FloatArray, IntArray, frozen

if TYPE_CHECKING:
    from equipoise.cluster.cluster import Cluster
    from equipoise.cluster.plan import Level

RowArray = npt.NDArray[np.int64]
BoolArray = npt.NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class LogDirs:
    """The log dirs of a cluster's brokers; columns of dirs have shape ``(n_dirs,)``.

    Brokers stand here by id, so that brokers may join the cluster; replicas by the row of their partition.
    """

    broker: IntArray
    """Broker id of each dir, int32, ascending."""
    paths: tuple[str, ...]
    """Ascending within a broker."""
    total_bytes: FloatArray
    """Size of its volume, NaN where unknown."""
    usable: BoolArray
    """Neither failed nor cordoned: Kafka puts replicas there."""
    row: RowArray
    """``(n_replicas,)`` int64: the partition of each replica of which a source tells where it lies,
    ascending; of a partition by dir."""
    at: IntArray
    """``(n_replicas,)`` int32: the dir that it lies in."""

    def __post_init__(self) -> None:
        for name, dtype in (
            ("broker", np.int32), ("total_bytes", np.float64), ("usable", np.bool_), ("row", np.int64),
            ("at", np.int32),
        ):  # fmt: skip
            object.__setattr__(self, name, frozen(getattr(self, name), dtype))
        n = len(self.paths)
        if any(column.shape != (n,) for column in (self.broker, self.total_bytes, self.usable)):
            raise ValueError("columns of log dirs differ in length")
        names = list(zip(self.broker.tolist(), self.paths, strict=True))
        if any(a >= b for a, b in pairwise(names)):
            raise ValueError("log dirs must be ascending by broker and path without repeats")
        if self.row.shape != self.at.shape or self.row.ndim != 1:
            raise ValueError("columns of replicas in log dirs differ in length")
        if len(self.at) and (self.at.min() < 0 or self.at.max() >= n or self.row.min() < 0):
            raise ValueError("a replica points outside the log dirs")
        steps = np.diff(self.row)
        if np.any(steps < 0) or np.any((steps == 0) & (np.diff(self.broker[self.at]) <= 0)):
            raise ValueError("replicas in log dirs must be ascending, each of them in one dir")

    def __len__(self) -> int:
        return len(self.paths)

    def held(self, ids: IntArray) -> IntArray:
        """The dir of each replica in lists ``(n_partitions, max_rf)`` of broker ids, -1 where not known."""
        found = np.full(ids.shape, -1, dtype=np.int32)
        for k in range(ids.shape[1]):
            same = ids[self.row, k] == self.broker[self.at]
            found[self.row[same], k] = self.at[same]
        return found

    def position(self, broker: int, path: str) -> int:
        """The dir with this path, -1 where the broker has none."""
        mine = np.flatnonzero(self.broker == broker).tolist()
        return next((at for at in mine if self.paths[at] == path), -1)

    def label(self, at: int) -> str:
        """``7:/data2``."""
        return f"{self.broker[at]}:{self.paths[at]}"

    def renumbered(self, rows: RowArray) -> LogDirs:
        """The same where partition k stands in row ``rows[k]``; -1 for one that is left out."""
        new = rows[self.row]
        kept = new >= 0
        return replace(self, row=new[kept], at=self.at[kept])


@dataclass(frozen=True, eq=False)
class DirPlan:
    """The log dirs of every replica once a plan is carried out."""

    target: IntArray
    """``(n_partitions, max_rf)`` int32, as `Plan.target`: positions in `Cluster.dirs`, -1 where not known or
    left to Kafka."""
    certificate: tuple[Level, ...] = ()
    why: Mapping[int, str] = field(default_factory=dict)
    """A sentence for each broker, by id, of which replicas are moved between its dirs."""
    unknown: int = 0
    """Replicas of which no source tells where they lie, on brokers whose dirs were to be changed."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "target", frozen(self.target, np.int32))

    def check(self, cluster: Cluster, lists: IntArray) -> None:
        """Raise ``ValueError`` where a replica of ``lists`` (positions) is in a dir of another broker."""
        if cluster.dirs is None or self.target.shape != lists.shape:
            raise ValueError("log dirs are not those of the plan's lists")
        if self.target.size and not -1 <= self.target.min() <= self.target.max() < len(cluster.dirs):
            raise ValueError("a replica points outside the log dirs")
        there = self.target >= 0
        if np.any(cluster.dirs.broker[self.target[there]] != cluster.ids_of(lists)[there]):
            raise ValueError("a replica is in a log dir of another broker")

    def moved(self, cluster: Cluster, lists: IntArray) -> BoolArray:
        """``(n_partitions, max_rf)``: replicas that stay on their broker and change their dir."""
        if cluster.dirs is None:
            return np.zeros(lists.shape, dtype=bool)
        held = cluster.dirs.held(cluster.ids_of(lists))
        return (held >= 0) & (self.target >= 0) & (self.target != held)
