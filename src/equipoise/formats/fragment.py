"""What one source tells of a cluster, as columns with factorised topic names; sources are merged later."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from equipoise.cluster.brokers import FloatArray, IntArray

BoolArray = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class SetAside:
    """A piece of a source that could not be used, with the reason."""

    source: str
    line: int | None
    """Line number in the source, counted from 1; None where lines say nothing."""
    place: str
    """Where it stands, as a person would look for it: "line 12", "partitions[3]"."""
    text: str
    reason: str


@dataclass(frozen=True, eq=False)
class Rows:
    """Rows about partitions; columns have shape ``(n,)``, in the order of the source."""

    topics: tuple[str, ...]
    """Distinct topic names, in order of first appearance."""
    topic_idx: IntArray
    """Position in ``topics``, int32."""
    partition: IntArray
    """Partition number, int32."""

    def __len__(self) -> int:
        return len(self.topic_idx)

    def label(self, row: int) -> str:
        """``topic-partition``, as Kafka's own tools print it."""
        return f"{self.topics[self.topic_idx[row]]}-{self.partition[row]}"


@dataclass(frozen=True, eq=False)
class ReplicaLists(Rows):
    """Who holds what, as the source prints it: during a reassignment the union, target first."""

    replicas: IntArray
    """``(n, max_rf)`` int32 broker ids in preference order, -1 beyond the end."""
    leader: IntArray
    """``(n,)`` int32 broker id, -1 where none or not told."""
    place: IntArray
    """``(n,)`` int32: number for ``place_form``."""
    place_form: str
    """``"line {}"`` or ``"partitions[{}]"``."""
    isr: IntArray | None = None
    """``(n, width)`` int32 ids of the in-sync replicas, -1 beyond the end; None where the source does not
    tell them. Where it does, a leader of -1 is none."""
    dirs: tuple[str, ...] = ()
    """Log directories that the source asks for ("any" left out)."""
    dir_idx: IntArray | None = None
    """``(n, max_rf)`` int32 position in ``dirs``, -1 for any; None where nothing is asked."""

    def where(self, row: int) -> str:
        return self.place_form.format(int(self.place[row]))


@dataclass(frozen=True, eq=False)
class InFlight(Rows):
    """Reassignments that were under way."""

    adding: IntArray
    """``(n, width)`` int32 broker ids, -1 beyond the end."""
    removing: IntArray
    """``(n, width)`` int32 broker ids, -1 beyond the end."""


class LogDirFacts(NamedTuple):
    """What a broker tells of one of its log directories."""

    broker: int
    path: str
    total_bytes: float
    """Size of its volume, NaN where not told."""
    usable: bool
    """Neither failed nor cordoned."""


@dataclass(frozen=True, eq=False)
class LogDirReplicas(Rows):
    """Replicas as they lie in log directories; an intra-broker copy has two rows."""

    broker: IntArray
    """int32 broker id."""
    dirs: tuple[str, ...]
    dir_idx: IntArray
    """Position in ``dirs``, int32."""
    size_bytes: FloatArray
    is_future: BoolArray
    """True for a copy that is still being made; it is no replica yet."""
    each: tuple[LogDirFacts, ...] = ()
    """Every directory that was told of, those without replicas too."""


@dataclass(frozen=True, eq=False)
class Figures(Rows):
    """Figures of partitions, NaN where not told."""

    size_bytes: FloatArray
    """Bytes of one replica."""
    bytes_in_per_s: FloatArray
    """Producer bytes a second."""
    bytes_out_per_s: FloatArray
    """Consumer bytes a second."""
    min_isr: FloatArray
    """min.insync.replicas."""
    cpu_percent: FloatArray | None = None
    """Percent of a broker's CPU that leading costs; None where the source never tells it."""


@dataclass(frozen=True)
class BrokerFacts:
    """What a source tells of one broker, None where it does not."""

    rack: str | None = None
    disk_bytes: float | None = None
    bytes_in_per_s: float | None = None
    bytes_out_per_s: float | None = None
    cpu_percent: float | None = None
    weight: float | None = None
    is_up: bool | None = None
    state: str | None = None
    """The source's own word for a broker that is not up: "fenced", "DEAD"."""


class PartitionCount(NamedTuple):
    """How many partitions a topic has, and the line that says so."""

    n: int
    line: int


@dataclass(frozen=True, eq=False)
class Fragment:
    """Everything that one source tells; a format fills the fields that it knows of."""

    source: str
    format: str
    lists: ReplicaLists | None = None
    in_flight: InFlight | None = None
    log_dirs: LogDirReplicas | None = None
    figures: Figures | None = None
    brokers: Mapping[int, BrokerFacts] = field(default_factory=dict)
    brokers_role: str = ""
    """What its brokers are: "" some of the cluster, "up" all that are up, "answered" all that were asked and
    answered, "all" the whole cluster, "facts" perhaps not of the cluster at all."""
    default_capacity: BrokerFacts | None = None
    """Capacities of every broker for which no source has its own."""
    topic_configs: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    broker_configs: Mapping[int | None, Mapping[str, str]] = field(default_factory=dict)
    """Configs by broker id; under None the default of all brokers."""
    partition_counts: Mapping[str, PartitionCount] | None = None
    """Of each topic for which it says so; None where the format never does."""
    untold: tuple[str, ...] = ()
    """Topics that it names as there, and could tell no partition of."""
    cluster_id: str | None = None
    notes: tuple[str, ...] = ()
    quarantined: tuple[SetAside, ...] = ()
    """What was set aside; always empty when read strictly."""
