"""One Kafka cluster at one moment: who holds what, and what is known of it."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from equipoise.cluster.brokers import Brokers, FloatArray, IntArray, frozen
from equipoise.cluster.log_dirs import LogDirs
from equipoise.wording import plural

BoolArray = npt.NDArray[np.bool_]

FIGURES = (
    "size_bytes", "bytes_in_per_s", "bytes_out_per_s", "cpu_percent", "min_isr", "retention_s",
    "retention_bytes",
)  # fmt: skip
"""Columns of what is known of each partition beside who holds it."""
IN_SYNC = ("isr", "isr_told")
"""Columns of who is in sync."""


class Lack(NamedTuple):
    """Something that a cluster must have and the sources do not tell."""

    sentence: str
    partitions: int
    """How many partitions are known to be missing; at least 1."""


COLUMN_OF_LOAD = {
    "disk": "size_bytes",
    "network-in": "bytes_in_per_s",
    "network-out": "bytes_out_per_s",
    "cpu": "cpu_percent",
}
"""Loads that are no counts, and the columns of a cluster that tell them."""


@dataclass(frozen=True)
class LoadSource:
    """Of how many partitions a source tells a load."""

    load: str
    """As in ``--balance``; ``network-out`` is here what consumers read."""
    source: str
    partitions: int


@dataclass(frozen=True, eq=False, repr=False)
class Cluster:
    """Partitions in (topic name, partition number) order; columns have shape ``(n_partitions,)``.

    Build one with :func:`build_cluster`, which sorts the rows; the constructor only checks.
    Raises ``ValueError`` where a rule is broken (a replica twice in a list, an empty list, a
    partition twice, rows out of order).
    """

    name: str
    brokers: Brokers
    topics: tuple[str, ...]
    """Topic names, ascending."""
    topic_idx: IntArray
    """Position in ``topics``, int32."""
    partition: IntArray
    """Partition number within its topic, int32."""
    replicas: IntArray
    """``(n_partitions, max_rf)`` int32: broker positions in preference order, -1 beyond the end.

    While a reassignment is in flight this is the true list: the union without what is being added.
    """
    leader: IntArray
    """Position of the broker that leads at the moment, int32, -1 where none or unknown."""
    size_bytes: FloatArray
    """Size of one replica in bytes, NaN where unknown."""
    bytes_in_per_s: FloatArray
    """Producer bytes a second, NaN where unknown."""
    bytes_out_per_s: FloatArray
    """Consumer bytes a second, NaN where unknown."""
    min_isr: IntArray
    """min.insync.replicas, int32, -1 where unknown."""
    retention_s: FloatArray
    """Seconds until a record is deleted, inf where age deletes none, NaN where unknown."""
    cpu_percent: FloatArray = None  # type: ignore[assignment]  # set when built
    """Percent of a broker's CPU that leading costs, NaN where unknown; None: of no partition is it known."""
    retention_bytes: FloatArray = None  # type: ignore[assignment]
    """Bytes of a replica from which on Kafka deletes the oldest, NaN where there is no such limit; None: none
    has one."""
    isr: IntArray = None  # type: ignore[assignment]  # set when built
    """``(n_partitions, width)`` int32: broker positions of the in-sync replicas, those that are being added
    among them, -1 beyond the end."""
    isr_told: BoolArray = None  # type: ignore[assignment]
    """True where a source told the ISR; there a leader of -1 is none. None, as ``isr``: of no partition."""
    dirs: LogDirs | None = None
    """Where replicas lie on their brokers; None where no broker is known to have more than one log dir."""
    cluster_id: str | None = None
    files: tuple[str, ...] = ()
    """Names of the sources that it was read from."""
    missing: tuple[str, ...] = ()
    """What no source told: any of "racks", "sizes", "rates", "configs", "capacities"."""
    notes: tuple[str, ...] = ()
    """Findings worth a line in a report (topics of mixed replication factor, moves in flight...)."""
    loads_from: tuple[LoadSource, ...] = ()
    """Where figures of loads come from; of what was not read from sources nothing is said."""
    doubts: tuple[str, ...] = ()
    """Loads that cannot be so, and those of which sources contradict each other: a warning of every plan."""
    lacks: tuple[Lack, ...] = ()
    """What shows that this is a part of a cluster; a plan for it has to be asked for as one."""
    allow_empty_lists: bool = False
    """True only for a planning state in which partitions are still to be created."""

    def __post_init__(self) -> None:
        put = object.__setattr__
        for name in ("cpu_percent", "retention_bytes"):
            if getattr(self, name) is None:
                put(self, name, np.full(len(self.topic_idx), np.nan))
        for name, dtype in (
            ("topic_idx", np.int32),
            ("partition", np.int32),
            ("replicas", np.int32),
            ("leader", np.int32),
            ("size_bytes", np.float64),
            ("bytes_in_per_s", np.float64),
            ("bytes_out_per_s", np.float64),
            ("min_isr", np.int32),
            ("retention_s", np.float64),
            ("cpu_percent", np.float64),
            ("retention_bytes", np.float64),
        ):
            put(self, name, frozen(getattr(self, name), dtype))
        n = len(self.topic_idx)
        if self.isr is None or self.isr_told is None:
            put(self, "isr", np.full((n, 1), -1))
            put(self, "isr_told", np.zeros(n, dtype=bool))
        put(self, "isr", frozen(self.isr, np.int32))
        put(self, "isr_told", frozen(self.isr_told, np.bool_))
        if self.isr.ndim != 2 or len(self.isr) != n:
            raise ValueError(f"isr must have shape ({n}, width), not {self.isr.shape}")
        if self.replicas.ndim != 2 or len(self.replicas) != n:
            raise ValueError(f"replicas must have shape ({n}, max_rf), not {self.replicas.shape}")
        for name in ("partition", "leader", "isr_told", *FIGURES):
            if getattr(self, name).shape != (n,):
                raise ValueError(f"{name} must have shape ({n},), not {getattr(self, name).shape}")
        if self.dirs is not None and len(self.dirs.row) and self.dirs.row[-1] >= n:
            raise ValueError("a replica in a log dir points outside the partitions")
        check_rows(self.topics, self.topic_idx, self.partition)
        check_lists(self, self.replicas, allow_empty=self.allow_empty_lists)

    def __repr__(self) -> str:
        return (
            f"<Cluster {self.name}: {plural(self.n_brokers, 'broker')}, {plural(len(self.topics), 'topic')}, "
            f"{plural(self.n_partitions, 'partition')}>"
        )

    @property
    def n_partitions(self) -> int:
        return len(self.topic_idx)

    @property
    def n_brokers(self) -> int:
        return len(self.brokers)

    @cached_property
    def rf(self) -> IntArray:
        """True replication factor of each partition, int32."""
        return frozen((self.replicas >= 0).sum(axis=1), np.int32)

    @cached_property
    def topic_start(self) -> npt.NDArray[np.int64]:
        """``(n_topics + 1,)`` int64: rows of topic t are ``topic_start[t]:topic_start[t + 1]``."""
        return np.searchsorted(self.topic_idx, np.arange(len(self.topics) + 1)).astype(np.int64)

    @cached_property
    def fingerprint(self) -> str:
        """``sha256:`` and the digest of every topic, partition and replica list (broker ids)."""
        digest = hashlib.sha256()
        digest.update("\n".join(self.topics).encode())
        for array in (
            self.topic_idx,
            self.partition,
            self.rf,
            self.ids_of(self.replicas)[self.replicas >= 0],
        ):
            digest.update(b"|")
            digest.update(np.ascontiguousarray(array, dtype="<i4").tobytes())
        return "sha256:" + digest.hexdigest()

    def ids_of(self, positions: npt.NDArray[np.int32]) -> IntArray:
        """Broker ids of broker positions, -1 staying -1; same shape."""
        if len(self.brokers) == 0:
            return np.full(positions.shape, -1, dtype=np.int32)
        return np.where(positions >= 0, self.brokers.ids[positions], -1).astype(np.int32)

    def label(self, row: int) -> str:
        """``topic-partition`` of a row, as Kafka's own tools print it."""
        return f"{self.topics[self.topic_idx[row]]}-{self.partition[row]}"


def check_rows(topics: Sequence[str], topic_idx: IntArray, partition: IntArray) -> None:
    """Raise ``ValueError`` unless rows are in strict (topic, partition) order."""
    if any(a >= b for a, b in pairwise(topics)):
        raise ValueError("topic names must be ascending without repeats")
    if len(topic_idx) == 0:
        return
    if topic_idx.min() < 0 or topic_idx.max() >= len(topics):
        raise ValueError("topic_idx points outside the topics")
    same = np.diff(topic_idx) == 0
    step = np.diff(partition)
    if np.any(np.diff(topic_idx) < 0) or np.any(same & (step < 0)):
        raise ValueError("rows must be in (topic, partition) order")
    twice = np.flatnonzero(same & (step == 0))
    if len(twice):
        row = int(twice[0])
        raise ValueError(f"partition {topics[topic_idx[row]]}-{partition[row]} is given twice")


def check_lists(cluster: Cluster, replicas: IntArray, *, allow_empty: bool = False) -> None:
    """Raise ``ValueError`` for a replica list that is empty, has a gap, a repeat or no such broker."""
    if replicas.size == 0:
        if len(replicas) and not allow_empty:
            raise ValueError(f"partition {cluster.label(0)} has no replicas")
        return
    held = replicas >= 0
    if replicas.max() >= cluster.n_brokers or replicas.min() < -1:
        raise ValueError("a replica points outside the brokers")

    def first(bad: npt.NDArray[np.bool_], what: str) -> None:
        rows = np.flatnonzero(bad)
        if len(rows):
            raise ValueError(f"partition {cluster.label(int(rows[0]))} {what}")

    first(np.any(~held[:, :-1] & held[:, 1:], axis=1), "has a gap in its replica list")
    if not allow_empty:
        first(~held[:, 0], "has no replicas")
    for a in range(replicas.shape[1]):
        for b in range(a + 1, replicas.shape[1]):
            first(held[:, a] & (replicas[:, a] == replicas[:, b]), "has a broker twice in its replica list")


def build_cluster(
    name: str,
    brokers: Brokers,
    topic: Sequence[str] | npt.NDArray[np.object_],
    partition: npt.ArrayLike,
    replica_ids: npt.ArrayLike | Sequence[Sequence[int]],
    *,
    leader_id: npt.ArrayLike | None = None,
    size_bytes: npt.ArrayLike | None = None,
    bytes_in_per_s: npt.ArrayLike | None = None,
    bytes_out_per_s: npt.ArrayLike | None = None,
    min_isr: npt.ArrayLike | None = None,
    cpu_percent: npt.ArrayLike | None = None,
    retention_s: npt.ArrayLike | None = None,
    retention_bytes: npt.ArrayLike | None = None,
    isr_ids: Sequence[Sequence[int] | None] | None = None,
    **facts: object,
) -> Cluster:
    """A cluster from rows in any order.

    ``topic`` is one name a row; ``replica_ids`` broker ids, either ``(n, max_rf)`` with -1 beyond
    the end or a list of lists; ``isr_ids`` lists, None where nothing is told. ``facts`` are the other
    fields of :class:`Cluster` (``cluster_id``, ``files``, ``missing``, ``notes``). Raises ``ValueError``
    for an unknown broker and for what :class:`Cluster` refuses.
    """
    names, topic_of = np.unique(np.asarray(topic, dtype=object).astype(str), return_inverse=True)
    numbers = np.asarray(partition, dtype=np.int32)
    n = len(numbers)
    if not isinstance(replica_ids, np.ndarray):
        replica_ids = pad_lists(replica_ids)  # type: ignore[arg-type]
    ids = np.asarray(replica_ids, dtype=np.int32)
    positions = brokers.index_of(ids)
    unknown = np.argwhere((ids >= 0) & (positions < 0))
    if len(unknown):
        row, at = unknown[0]
        raise ValueError(
            f"partition {names[topic_of[row]]}-{numbers[row]} has a replica on unknown broker {ids[row, at]}"
        )
    order = np.lexsort((numbers, topic_of))

    def column(values: npt.ArrayLike | None, dtype: npt.DTypeLike, fill: float) -> np.ndarray:
        if values is None:
            return np.full(n, fill, dtype=dtype)
        return np.asarray(values, dtype=dtype)[order]

    leaders = column(leader_id, np.int32, -1)
    in_sync = [None] * n if isr_ids is None else list(isr_ids)
    isr = pad_lists([ids or () for ids in in_sync])[order]
    return Cluster(
        name=name,
        brokers=brokers,
        topics=tuple(str(t) for t in names),
        topic_idx=topic_of[order].astype(np.int32),
        partition=numbers[order],
        replicas=positions[order],
        leader=brokers.index_of(leaders),
        size_bytes=column(size_bytes, np.float64, np.nan),
        bytes_in_per_s=column(bytes_in_per_s, np.float64, np.nan),
        bytes_out_per_s=column(bytes_out_per_s, np.float64, np.nan),
        min_isr=column(min_isr, np.int32, -1),
        cpu_percent=column(cpu_percent, np.float64, np.nan),
        retention_s=column(retention_s, np.float64, np.nan),
        retention_bytes=column(retention_bytes, np.float64, np.nan),
        isr=brokers.index_of(isr),
        isr_told=np.array([ids is not None for ids in in_sync], dtype=bool)[order],
        **facts,  # type: ignore[arg-type]
    )


def pad_lists(lists: Sequence[Sequence[int]]) -> IntArray:
    """``(n, longest)`` int32 from lists of different lengths, -1 beyond each end."""
    lengths = np.fromiter((len(entry) for entry in lists), dtype=np.int64, count=len(lists))
    width = int(lengths.max(initial=0))
    padded = np.full((len(lists), width), -1, dtype=np.int32)
    flat = np.fromiter((i for entry in lists for i in entry), dtype=np.int32, count=int(lengths.sum()))
    padded[np.arange(width) < lengths[:, None]] = flat
    return padded
