"""A KRaft cluster of real brokers on loopback, and what tests do to it."""

from __future__ import annotations

import shutil
import signal
from base64 import urlsafe_b64encode
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from typing import Any
from uuid import uuid4

from kafka.errors import TopicAlreadyExistsError

from harness.admin import PatientAdmin
from harness.certificates import Certificates, make_certificates
from harness.jars import run
from harness.node import Node, java_command
from harness.ports import free_ports
from harness.settings import LISTENERS, USERS, client_properties, server_properties
from harness.waiting import wait_until
from kafka import KafkaAdminClient, TopicPartition

RACKS = ("a", "b", "c", "a", "b")
"""Rack of each of the five brokers; the first three are controllers too."""

RATES = ("leader.replication.throttled.rate", "follower.replication.throttled.rate")
BROKER_THROTTLES = (*RATES, "replica.alter.log.dirs.io.max.bytes.per.second")
TOPIC_THROTTLES = ("leader.replication.throttled.replicas", "follower.replication.throttled.replicas")


class KafkaCluster:
    """Five brokers of one Kafka version; use it as a context, so that no process is left."""

    def __init__(
        self,
        version: str,
        folder: Path,
        racks: Sequence[str] = RACKS,
        certificates: Certificates | None = None,
    ) -> None:
        self.version, self.folder = version, folder
        self.clients: dict[int, KafkaAdminClient] = {}
        folder.mkdir(parents=True, exist_ok=True)
        self.certificates = certificates or make_certificates(folder)
        ports = iter(free_ports(len(racks) * (len(LISTENERS) + 1)))
        self.nodes = [
            Node(
                i,
                version,
                folder / f"broker-{i}",
                rack,
                i < 3,
                {name: next(ports) for name in (*LISTENERS, "CONTROLLER")},
            )
            for i, rack in enumerate(racks)
        ]

    # -- life ---------------------------------------------------------------------------------

    def __enter__(self) -> KafkaCluster:
        try:
            self.format()
            for node in self.nodes:
                node.start()
            self.wait_for_brokers(seconds=120)
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self.forget_client()
        for node in self.nodes:
            node.kill()
        shutil.rmtree(self.folder, ignore_errors=True)

    def format(self) -> None:
        """Write every node's settings and prepare its log dirs, two at a time."""
        storage = "kafka.tools.StorageTool"
        # its first byte is given: an id that began with a dash would be read as an option
        name = urlsafe_b64encode(b"k" + uuid4().bytes[1:]).decode().rstrip("=")
        scram = [
            option
            for user, secret in USERS.items()
            for mechanism in ("SCRAM-SHA-256", "SCRAM-SHA-512")
            for option in ("--add-scram", f"{mechanism}=[name={user},password={secret}]")
        ]

        def prepare(node: Node) -> None:
            node.folder.mkdir(parents=True)
            node.properties.write_text(server_properties(node, self.nodes, self.certificates))
            options = ["format", "-t", name, "-c", str(node.properties), *scram]
            run(java_command(self.version, storage, *options), f"formatting broker {node.id}")

        with ThreadPoolExecutor(2) as pool:
            list(pool.map(prepare, self.nodes))

    def kill(self, *brokers: int) -> None:
        """SIGKILL."""
        for i in brokers:
            self.nodes[i].kill()
        self.forget_client()

    def stop(self, *brokers: int) -> None:
        """Controlled shutdown."""
        for i in brokers:
            self.nodes[i].stop()
        self.forget_client()

    def start(self, *brokers: int, wait: bool = True) -> None:
        """Start brokers that are down."""
        for i in brokers:
            self.nodes[i].start()
        if wait:
            self.wait_for_brokers()

    def freeze(self, *brokers: int) -> None:
        """SIGSTOP: the broker hangs, its connections stay open."""
        for i in brokers:
            self.nodes[i].signal(signal.SIGSTOP)

    def thaw(self, *brokers: int) -> None:
        for i in brokers:
            self.nodes[i].signal(signal.SIGCONT)

    def wait_for_brokers(self, *, seconds: float = 60) -> None:
        """Until every running broker is registered, serving, and known to each of the others."""
        wanted = {node.id for node in self.nodes if node.running}

        def all_serve() -> bool:
            return all(self.unfenced(i) >= wanted for i in wanted)

        try:
            wait_until(all_serve, f"brokers {sorted(wanted)} serving", seconds=seconds)
        except AssertionError as error:
            raise AssertionError(f"{error}\n{self.last_words()}") from None
        self.forget_client()

    def unfenced(self, asked: int | None = None) -> set[int]:
        """Ids of the serving brokers, as any broker or a given one sees them."""
        if asked is None:
            brokers = self.admin.describe_cluster()["brokers"]
        else:
            with self.client(asked) as client:
                brokers = client.describe_cluster()["brokers"]
        return {b["broker_id"] for b in brokers if not b.get("is_fenced")}

    def last_words(self) -> str:
        """The ends of the brokers' logs."""
        return "\n".join(
            f"-- broker {node.id}\n" + node.log.read_text(errors="replace")[-1500:]
            for node in self.nodes
            if node.log.exists()
        )

    # -- asking -------------------------------------------------------------------------------

    def bootstrap(self, listener: str = "PLAIN", brokers: Iterable[int] | None = None) -> str:
        """``host:port`` of the running brokers (or of these), for ``--bootstrap-server``."""
        chosen = [n.id for n in self.nodes if n.running] if brokers is None else brokers
        return ",".join(f"127.0.0.1:{self.nodes[i].ports[listener]}" for i in chosen)

    def client(self, broker: int) -> KafkaAdminClient:
        """An admin client that bootstraps from one broker."""
        return KafkaAdminClient(
            bootstrap_servers=self.bootstrap(brokers=[broker]), bootstrap_timeout_ms=10_000
        )

    @cached_property
    def admin(self) -> PatientAdmin:
        """A client that asks any of the brokers, until one answers."""
        return PatientAdmin([f"127.0.0.1:{node.ports['PLAIN']}" for node in self.nodes])

    def kept_client(self, broker: int) -> KafkaAdminClient:
        """The same, kept until clients are forgotten."""
        if broker not in self.clients:
            self.clients[broker] = self.client(broker)
        return self.clients[broker]

    def forget_client(self) -> None:
        """Begin anew: clients remember brokers that died, and do not know those that came back."""
        if "admin" in self.__dict__:
            self.__dict__.pop("admin").close()
        while self.clients:
            self.clients.popitem()[1].close()

    def controller(self) -> int:
        """Id of the active controller, from the quorum (metadata names any broker)."""
        quorum = self.admin.describe_metadata_quorum()
        return int(quorum["topics"][0]["partitions"][0]["leader_id"])

    def client_file(self, listener: str, name: str = "client.properties", **choices: Any) -> Path:
        """A ``--command-config`` file for a listener; see :func:`client_properties`."""
        path = self.folder / name
        path.write_text(client_properties(listener, self.certificates, **choices))
        return path

    # -- topics -------------------------------------------------------------------------------

    def create(self, topic: str, lists: Mapping[int, Sequence[int]], **configs: str) -> None:
        """A topic with exactly these replica lists; config names with ``_`` for ``.``."""
        dotted = {key.replace("_", "."): value for key, value in configs.items()}
        spec = {"assignments": {p: list(ids) for p, ids in lists.items()}, "configs": dotted}
        with suppress(TopicAlreadyExistsError):  # asked again, where the answer to the first request was late
            self.admin.create_topics({topic: spec}, wait_for_metadata=True)
        seconds = 60 + len(lists) / 5
        wanted = {p: list(ids) for p, ids in lists.items()}
        wait_until(lambda: self.whole(topic) == wanted, f"every replica of {topic} in sync", seconds=seconds)

    def describe(self, topic: str) -> dict[int, dict[str, Any]]:
        """Metadata of each partition: leader_id, replica_nodes, isr_nodes."""
        (found,) = self.admin.describe_topics([topic])
        return {p["partition_index"]: p for p in found["partitions"]}

    def in_sync(self, topic: str) -> bool:
        return all(set(p["replica_nodes"]) == set(p["isr_nodes"]) for p in self.describe(topic).values())

    def whole(self, topic: str) -> dict[int, list[int]]:
        """Replica lists of the partitions whose every replica is in the ISR, as one broker tells both."""
        return {
            p: list(state["replica_nodes"])
            for p, state in self.describe(topic).items()
            if set(state["isr_nodes"]) == set(state["replica_nodes"])
        }

    def replicas(self, topic: str) -> dict[int, list[int]]:
        """Replica list of each partition, in order."""
        return {p: list(state["replica_nodes"]) for p, state in self.describe(topic).items()}

    def leaders(self, topic: str) -> dict[int, int]:
        return {p: state["leader_id"] for p, state in self.describe(topic).items()}

    def in_flight(self) -> dict[TopicPartition, dict[str, list[int]]]:
        """Every move in flight."""
        return dict(self.admin.list_partition_reassignments())

    def move(self, topic: str, targets: Mapping[int, Sequence[int] | None]) -> dict[TopicPartition, Any]:
        """Start moves behind the product's back (None cancels)."""
        wanted = {TopicPartition(topic, p): ids and list(ids) for p, ids in targets.items()}
        return dict(self.admin.alter_partition_reassignments(wanted))
