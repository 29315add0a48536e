"""What the machine asks for, and what it is told in return.

Every instruction has one answer; ``Record``, ``Say`` and ``Wait`` are answered with None, ``End`` with
nothing at all.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from equipoise.execution.port import (
    ClusterState,
    Failure,
    LogDir,
    PartitionState,
    Reassignment,
    Replica,
    Resource,
    TopicPartition,
)


@dataclass(frozen=True)
class Survey:
    """Read everything that the whole job touches; answered by :class:`Surveyed`."""

    topics: tuple[str, ...]
    receivers: tuple[int, ...]
    """Brokers whose log dirs matter: those that get copies."""


@dataclass(frozen=True)
class Surveyed:
    now: float
    """Seconds on a clock that never goes back."""
    cluster: ClusterState
    partitions: Mapping[TopicPartition, PartitionState]
    reassignments: Mapping[TopicPartition, Reassignment]
    """All in flight, anyone's."""
    dirs: Mapping[int, tuple[LogDir, ...] | Failure]


@dataclass(frozen=True)
class Observe:
    """Look at what is in flight; answered by :class:`Observed`."""

    partitions: tuple[TopicPartition, ...]
    holders: tuple[int, ...]
    """Brokers to be asked for the sizes of these partitions: where copies come from and go to."""


@dataclass(frozen=True)
class Observed:
    now: float
    cluster: ClusterState
    partitions: Mapping[TopicPartition, PartitionState]
    reassignments: Mapping[TopicPartition, Reassignment]
    stored: Mapping[Replica, int]
    """Bytes of each copy that its broker tells."""
    usable: Mapping[int, tuple[int, int]]
    """Usable and total bytes of each broker's disks, where told."""
    silent: frozenset[int] = frozenset()
    """Brokers that did not answer."""
    cordoned: frozenset[int] = frozenset()
    """Brokers none of whose log dirs takes new replicas."""
    failed_dirs: Mapping[int, str] = field(default_factory=dict)
    """Brokers with a log dir that has failed, and its path."""

    @cached_property
    def down(self) -> frozenset[int]:
        """Brokers that are fenced or do not answer."""
        return self.silent | {broker.id for broker in self.cluster.brokers if broker.fenced}


@dataclass(frozen=True)
class FindHeld:
    """Look for all that some brokers hold; answered by ``{broker: partitions}``, sorted."""

    brokers: tuple[int, ...]


@dataclass(frozen=True)
class CheckHealth:
    """Look at every partition of the cluster; answered by :class:`Health`."""


@dataclass(frozen=True)
class Health:
    """What is not well, anywhere; replicas that are only being added are no fault."""

    under_replicated: Mapping[TopicPartition, tuple[int, ...]]
    """Each with the replicas that are not in the ISR."""
    under_min_isr: frozenset[TopicPartition] = frozenset()
    at_min_isr: frozenset[TopicPartition] = frozenset()
    """Under-replicated, and one replica more out of the ISR would stop writes."""
    offline: frozenset[TopicPartition] = frozenset()
    topic_ids: Mapping[str, str] = field(default_factory=dict)
    """Of every topic that tells its own: what waits for a topic with another one waits for nothing."""


@dataclass(frozen=True)
class ReadConfigs:
    """Answered by ``{Resource: {key: ConfigValue} | Failure}``."""

    keys: tuple[str, ...]
    resources: tuple[Resource, ...]


@dataclass(frozen=True)
class FindLists:
    """Read the lists of throttled replicas of every topic; answered like :class:`ReadConfigs`."""


@dataclass(frozen=True)
class AlterConfigs:
    """Set keys, delete those that are None; answered by ``{Resource: Failure | None}``."""

    changes: Mapping[Resource, Mapping[str, str | None]]


@dataclass(frozen=True)
class Submit:
    """Start, redirect or (None) cancel moves; answered by ``{TopicPartition: Failure | None}``."""

    targets: Mapping[TopicPartition, tuple[int, ...] | None]


@dataclass(frozen=True)
class PlaceInDirs:
    """Choose log dirs; answered by ``{Replica: Failure | None}``.

    For a replica that is still to come the answer is a failure, and the choice is remembered.
    """

    dirs: Mapping[Replica, str]


@dataclass(frozen=True)
class LookIntoDirs:
    """Answered by ``{broker: log dirs | Failure}`` with what they hold of these partitions (None: of all)."""

    brokers: tuple[int, ...]
    partitions: tuple[TopicPartition, ...] | None


@dataclass(frozen=True)
class Elect:
    """Preferred leader elections; answered by ``{TopicPartition: Failure | None}``."""

    partitions: tuple[TopicPartition, ...]


@dataclass(frozen=True)
class Confirm:
    """Ask the operator whether to begin; answered by True or False."""

    pending: int
    flying: int
    """Submitted by an earlier run and still in flight."""
    done: int
    dirs: int = 0
    """Replicas that stay on their broker and change their log dir."""
    left_over: tuple[str, ...] = ()
    """Throttles that nothing needs, a line each: whether they are to be cleared is all that is asked then."""


@dataclass(frozen=True)
class Record:
    """Write an entry to the journal, on the disk before the next instruction is carried out."""

    entry: Mapping[str, Any]


@dataclass(frozen=True)
class Say:
    """Tell the operator."""

    text: str
    about: str = "note"
    """The event that it tells of ("stuck", "held", "released", "throttle"), else "note"."""


@dataclass(frozen=True)
class Wait:
    seconds: float


@dataclass(frozen=True)
class End:
    """The run is over."""

    outcome: str
    """"finished" or "incomplete" (something was given up), "stopped", "cancelled", "left", "lost", "failed";
    "refused" and "declined" before anything began."""
    reasons: tuple[str, ...] = ()
    """Why it was refused, or what is left to be done."""
    figures: Mapping[str, int] = field(default_factory=dict)
    """How many moves are done, gone, skipped, pending, in flight."""


Instruction = (
    Survey
    | Observe
    | FindHeld
    | CheckHealth
    | ReadConfigs
    | FindLists
    | AlterConfigs
    | Submit
    | Elect
    | PlaceInDirs
    | LookIntoDirs
    | Confirm
    | Record
    | Say
    | Wait
    | End
)
