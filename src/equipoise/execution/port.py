"""What carrying out a plan needs of a cluster: one protocol, met by real Kafka and by the simulated one.

The methods speak of partitions and brokers, never of wire formats. What went wrong with one
partition, one broker or one config is a :class:`Failure` in the answer; only what stops the whole
call is raised, as a :class:`PortError`.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple, Protocol

from equipoise.errors import EquipoiseError


class TopicPartition(NamedTuple):
    """One partition; sorts by topic, then number."""

    topic: str
    partition: int

    def __str__(self) -> str:
        return f"{self.topic}-{self.partition}"


class Replica(NamedTuple):
    """One copy of a partition: the one on ``broker``."""

    topic: str
    partition: int
    broker: int


class Resource(NamedTuple):
    """What a config belongs to."""

    kind: Literal["topic", "broker"]
    name: str
    """Topic name, or the broker id as text."""

    @classmethod
    def topic(cls, name: str) -> Resource:
        return cls("topic", name)

    @classmethod
    def broker(cls, broker_id: int) -> Resource:
        return cls("broker", str(broker_id))


@dataclass(frozen=True)
class Failure:
    """Why one partition, broker or config was not served."""

    code: str
    """Kafka's name (``INVALID_REPLICA_ASSIGNMENT``), or ``UNREACHABLE``: no answer came, so
    whether the request was carried out is not known and must be read back."""
    message: str = ""

    def __str__(self) -> str:
        return f"{self.code}: {self.message}" if self.message else self.code


@dataclass(frozen=True)
class BrokerState:
    """One registered broker."""

    id: int
    host: str = ""
    port: int = -1
    rack: str | None = None
    fenced: bool = False
    """Registered, but not serving. A killed broker becomes fenced only after its session ends
    (9 s by default); until then only asking it tells that it is dead."""


@dataclass(frozen=True)
class ClusterState:
    """The cluster's id and every registered broker, ascending by id.

    No controller is shown: with KRaft, brokers name any broker as one.
    """

    cluster_id: str
    brokers: tuple[BrokerState, ...]

    @property
    def ids(self) -> frozenset[int]:
        return frozenset(broker.id for broker in self.brokers)


@dataclass(frozen=True, slots=True)
class PartitionState:
    """One partition as the brokers see it now."""

    replicas: tuple[int, ...]
    """In preference order. While moving: the union, target first, then what is being removed."""
    isr: tuple[int, ...]
    leader: int
    """-1 where there is none."""
    offline: tuple[int, ...] = ()
    """Replicas on dead brokers or failed log dirs."""
    topic_id: str = field(default="", compare=False)
    """As Kafka prints it: a topic that is deleted and created anew has another. "" before Kafka 2.8."""


@dataclass(frozen=True, slots=True)
class Reassignment:
    """One move in flight.

    The true replication factor is ``len(replicas) - len(adding)``, but only of a first target: once
    a second has replaced it, replicas that the first was still adding may count as there.
    """

    replicas: tuple[int, ...]
    adding: tuple[int, ...]
    removing: tuple[int, ...]

    @property
    def target(self) -> tuple[int, ...]:
        """The list that is being moved to."""
        return tuple(i for i in self.replicas if i not in self.removing)


class StoredReplica(NamedTuple):
    """A copy in a log dir."""

    size_bytes: int
    lag: int
    """Messages behind. Reads 0 while a new replica catches up: follow ``size_bytes`` instead."""


@dataclass(frozen=True)
class LogDir:
    """One log dir of one broker; a failed one has an ``error`` and no replicas."""

    path: str
    error: Failure | None = None
    total_bytes: int | None = None
    """Size of its volume, None where the broker does not tell (before Kafka 3.3)."""
    usable_bytes: int | None = None
    cordoned: bool = False
    replicas: Mapping[TopicPartition, StoredReplica] = field(default_factory=dict)
    future: Mapping[TopicPartition, StoredReplica] = field(default_factory=dict)
    """Copies on their way in from another log dir of the same broker: no replicas yet."""


@dataclass(frozen=True, slots=True)
class ConfigValue:
    """The value in force, and where it comes from."""

    value: str | None
    """None where it is sensitive or not set."""
    source: str
    """Kafka's name: ``DYNAMIC_TOPIC_CONFIG``, ``DYNAMIC_BROKER_CONFIG``,
    ``DYNAMIC_DEFAULT_BROKER_CONFIG``, ``STATIC_BROKER_CONFIG`` or ``DEFAULT_CONFIG``."""
    sensitive: bool = False

    @property
    def set_here(self) -> bool:
        """True where it is set on this very resource, so that deleting it would change it."""
        return self.source in ("DYNAMIC_TOPIC_CONFIG", "DYNAMIC_BROKER_CONFIG")


class PortError(EquipoiseError):
    """The cluster could not be asked at all (exit 2)."""


class Unreachable(PortError):
    """No broker, or not the one asked, answers."""


class AuthenticationFailed(PortError):
    """Wrong credentials, or a certificate that is not trusted."""


class NotAuthorised(PortError):
    """The user may not do this."""


class RequestRefused(PortError):
    """The cluster answered with an error for the whole request; ``code`` is Kafka's name of it."""

    def __init__(self, code: str, message: str = "") -> None:
        self.code = code
        super().__init__(f"the cluster answered {code}" + (f": {message}" if message else ""))


class Port(Protocol):
    """A cluster that a plan can be carried out on.

    Every answer to a change has an entry for every key that was asked, None meaning accepted.
    """

    def cluster(self) -> ClusterState:
        """Id and registered brokers, fenced ones among them."""

    def partitions(self, topics: Collection[str] | None = None) -> Mapping[TopicPartition, PartitionState]:
        """Partitions of these topics (None: of all); topics that do not exist are left out."""

    def reassignments(
        self, partitions: Collection[TopicPartition] | None = None
    ) -> Mapping[TopicPartition, Reassignment]:
        """Moves in flight, anyone's, of these partitions (None: anywhere).

        The controller answers: a move that is over may show in :meth:`partitions` a moment longer.
        """

    def alter_reassignments(
        self, targets: Mapping[TopicPartition, Sequence[int] | None]
    ) -> Mapping[TopicPartition, Failure | None]:
        """Start moving partitions to these replica lists, or cancel where the list is None.

        Sent in chunks far below the 10,000 records that KRaft takes in one request.
        ``NO_REASSIGNMENT_IN_PROGRESS`` answers a cancel where nothing is in flight. A cancel does
        not restore the order of the replicas. A list that names a dead broker is accepted and hangs.

        Do not give a partition in flight a second target: cancel, wait until it is gone from
        :meth:`reassignments`, then submit. Kafka up to 4.3 keeps the first target's adding (removing)
        replicas where the second adds (removes) none: a broker that is then in both lists makes the
        move hang for ever, and one that was to stay after all is removed. The same list again is safe.
        """

    def elect_preferred(
        self, partitions: Collection[TopicPartition]
    ) -> Mapping[TopicPartition, Failure | None]:
        """Give the lead to the first replica of each; already leading counts as done (None)."""

    def log_dirs(
        self, brokers: Collection[int], partitions: Collection[TopicPartition] | None = None
    ) -> Mapping[int, tuple[LogDir, ...] | Failure]:
        """Log dirs of each broker with what they hold of these partitions (None: of all).

        Brokers are asked one by one, so a dead one is a :class:`Failure` of its own.
        """

    def alter_replica_log_dirs(self, dirs: Mapping[Replica, str]) -> Mapping[Replica, Failure | None]:
        """Move replicas to log dirs of their broker.

        A replica that is not there yet is answered with a failure, but the broker remembers the
        dir and puts the replica into it when it comes.
        """

    def configs(
        self, resources: Collection[Resource], keys: Collection[str] | None = None
    ) -> Mapping[Resource, Mapping[str, ConfigValue] | Failure]:
        """Values in force of these keys (None: all); keys that the broker does not list are left out."""

    def alter_configs(
        self, changes: Mapping[Resource, Mapping[str, str | None]]
    ) -> Mapping[Resource, Failure | None]:
        """Set keys, or delete them where the value is None; other keys stay as they are.

        A broker's configs are altered by that broker: a dead one is a :class:`Failure`. A change shows
        a moment later; a deleted value may until then be read with the source ``DEFAULT_CONFIG``.
        """

    def close(self) -> None:
        """End the connections."""
