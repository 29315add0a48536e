"""The settings of the brokers, and those of clients for each of their listeners."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from harness.certificates import PASSWORD, Certificates
from harness.node import Node

LISTENERS = {"PLAIN": "PLAINTEXT", "SASL": "SASL_PLAINTEXT", "TLS": "SSL", "SASL_TLS": "SASL_SSL"}
"""Listener name -> security protocol; each broker has all four."""

USERS = {"admin": "admin-secret", "visitor": "visitor-secret"}
"""Passwords, the same for PLAIN and SCRAM; admin may do everything, visitor nothing."""

PLAIN_LOGIN = "org.apache.kafka.common.security.plain.PlainLoginModule required"
SCRAM_LOGIN = "org.apache.kafka.common.security.scram.ScramLoginModule required"


def server_properties(node: Node, nodes: Sequence[Node], certificates: Certificates) -> str:
    """The ``server.properties`` of one node."""
    lines = {
        **identity(node, nodes),
        **listeners(node),
        **sasl(),
        "ssl.keystore.type": "PKCS12",
        "ssl.keystore.location": certificates.broker_keystore,
        "ssl.keystore.password": PASSWORD,
        "ssl.key.password": PASSWORD,
        "authorizer.class.name": "org.apache.kafka.metadata.authorizer.StandardAuthorizer",
        "super.users": "User:ANONYMOUS;User:admin",
        **small_and_quick(),
    }
    return "".join(f"{key}={value}\n" for key, value in lines.items())


def identity(node: Node, nodes: Sequence[Node]) -> dict[str, object]:
    voters = (f"{n.id}@127.0.0.1:{n.ports['CONTROLLER']}" for n in nodes if n.controller)
    return {
        "process.roles": "broker,controller" if node.controller else "broker",
        "node.id": node.id,
        "broker.rack": node.rack,
        "log.dirs": ",".join(node.log_dirs),
        "controller.quorum.voters": ",".join(voters),
        "controller.listener.names": "CONTROLLER",
    }


def listeners(node: Node) -> dict[str, object]:
    public = ",".join(f"{name}://127.0.0.1:{node.ports[name]}" for name in LISTENERS)
    own = f",CONTROLLER://127.0.0.1:{node.ports['CONTROLLER']}" if node.controller else ""
    protocols = {**LISTENERS, "CONTROLLER": "PLAINTEXT"}
    return {
        "listeners": public + own,
        "advertised.listeners": public,
        "inter.broker.listener.name": "PLAIN",
        "listener.security.protocol.map": ",".join(f"{name}:{of}" for name, of in protocols.items()),
    }


def sasl() -> dict[str, object]:
    known = " ".join(f'user_{name}="{password}"' for name, password in USERS.items())
    settings: dict[str, object] = {"sasl.enabled.mechanisms": "PLAIN,SCRAM-SHA-256,SCRAM-SHA-512"}
    for listener in ("sasl", "sasl_tls"):
        prefix = f"listener.name.{listener}"
        settings[f"{prefix}.plain.sasl.jaas.config"] = f"{PLAIN_LOGIN} {known};"
        for mechanism in ("scram-sha-256", "scram-sha-512"):
            settings[f"{prefix}.{mechanism}.sasl.jaas.config"] = f"{SCRAM_LOGIN};"
    return settings


def small_and_quick() -> dict[str, object]:
    """Little memory, few threads, a dead broker noticed in 6 s, throttles that hold at every moment.

    A quota is a mean over eleven windows of a second by default: after a pause of ten seconds, ten
    seconds' worth of bytes pass at once. Over two windows it holds, and followers that come back
    after a tenth of a second, not a whole one, use all of it. The controller writes twice a second
    that nothing happens, which every broker reads: a quarter of what brokers without work take.
    """
    return {
        "metadata.max.idle.interval.ms": 5000,
        "replication.quota.window.num": 2,
        "alter.log.dirs.replication.quota.window.num": 2,
        "replica.fetch.backoff.ms": 100,
        "replica.fetch.max.bytes": 256_000,
        "num.network.threads": 2,
        "num.io.threads": 2,
        "num.recovery.threads.per.data.dir": 1,
        "log.cleaner.enable": "false",
        "auto.leader.rebalance.enable": "false",
        "auto.create.topics.enable": "false",
        "offsets.topic.num.partitions": 3,
        "offsets.topic.replication.factor": 3,
        "transaction.state.log.num.partitions": 3,
        "share.coordinator.state.topic.num.partitions": 3,
        "group.initial.rebalance.delay.ms": 0,
        "broker.session.timeout.ms": 6000,
        "broker.heartbeat.interval.ms": 1000,
        "controlled.shutdown.retry.backoff.ms": 500,
        "log.segment.delete.delay.ms": 1000,
        "file.delete.delay.ms": 1000,
    }


def client_properties(
    listener: str,
    certificates: Certificates,
    *,
    user: str = "admin",
    password: str | None = None,
    mechanism: str = "SCRAM-SHA-512",
    trusted: Path | None = None,
) -> str:
    """A Kafka client properties file for a listener, as its operators would write it."""
    lines = [f"security.protocol={LISTENERS[listener]}"]
    if "SASL" in listener:
        login = PLAIN_LOGIN if mechanism == "PLAIN" else SCRAM_LOGIN
        secret = USERS[user] if password is None else password
        lines += [
            f"sasl.mechanism={mechanism}",
            f'sasl.jaas.config={login} username="{user}" password="{secret}";',
        ]
    if "TLS" in listener:
        pem = trusted or certificates.trusted_pem
        lines += ["ssl.truststore.type=PEM", f"ssl.truststore.location={pem}"]
    return "\n".join(lines) + "\n"
