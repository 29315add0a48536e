"""Reaching a cluster: kafka-python's admin client, and clear words where it cannot be reached."""

from __future__ import annotations

import logging
import socket
import ssl
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from equipoise.errors import UnusableInput
from equipoise.execution.client_arguments import client_arguments
from equipoise.execution.client_config import ClientConfig
from equipoise.execution.port import (
    AuthenticationFailed,
    NotAuthorised,
    PortError,
    RequestRefused,
    Unreachable,
)

if TYPE_CHECKING:
    from equipoise.execution.requests import AdminRequests

CONNECT_S = 5.0
"""Seconds that a bootstrap server has to take a connection."""

BOOTSTRAP_S = 15.0
"""Seconds that it then has to tell the brokers of its cluster."""

RENAMED = {6: "NOT_LEADER_OR_FOLLOWER", 39: "INVALID_REPLICA_ASSIGNMENT"}
"""Where kafka-python's name of an error differs from Kafka's."""


def connect(bootstrap_servers: str, config: ClientConfig) -> AdminRequests:
    """An admin client that has found its cluster.

    Raises ``UnusableInput`` for unusable settings, ``Unreachable`` or ``AuthenticationFailed``
    with the server and what is wrong with it.
    """
    from kafka.errors import KafkaError

    from equipoise.execution.requests import AdminRequests

    # Without a handler of its own the client's every retry would be printed on standard error.
    logging.getLogger("kafka").addHandler(logging.NullHandler())
    servers = parse_servers(bootstrap_servers)
    arguments = client_arguments(config)
    answering = first_contact(servers, arguments.get("ssl_context"))
    try:
        return AdminRequests(
            **{"client_id": "equipoise", "reconnect_backoff_max_ms": 1000, **arguments},
            bootstrap_servers=[
                f"[{host}]:{port}" if ":" in host else f"{host}:{port}" for host, port in answering
            ],
            bootstrap_timeout_ms=int(BOOTSTRAP_S * 1000),
            receive_message_max_bytes=2**31 - 1,
        )
    except KafkaError as error:
        raise explain(error, config, answering[0]) from None


def parse_servers(text: str) -> list[tuple[str, int]]:
    """``host:port,host:port`` as pairs; raises ``UnusableInput``."""
    servers = []
    for part in filter(None, (piece.strip() for piece in text.split(","))):
        host, _, port = part.rpartition(":")
        if not host or not (port.isascii() and port.isdigit() and len(port) < 6) or not 0 < int(port) < 65536:
            raise UnusableInput(f"{part!r} is not host:port", source="--bootstrap-server")
        servers.append((host.strip("[]"), int(port)))
    if not servers:
        raise UnusableInput("names no server", source="--bootstrap-server")
    return servers


def first_contact(servers: list[tuple[str, int]], tls: ssl.SSLContext | None) -> list[tuple[str, int]]:
    """The servers that take a connection (and a TLS handshake); raises what is wrong where none does.

    The client itself would try for its whole timeout and then not say why.
    """
    answering, errors = [], []
    for server in servers:
        try:
            greet(server, tls)
            answering.append(server)
        except PortError as error:
            errors.append(error)
    if not answering:
        raise errors[0]
    return answering


def greet(server: tuple[str, int], tls: ssl.SSLContext | None) -> None:
    name = f"{server[0]}:{server[1]}"
    try:
        with socket.create_connection(server, timeout=CONNECT_S) as plain:
            if tls is not None:
                with tls.wrap_socket(plain, server_hostname=server[0]):
                    pass
    except ssl.SSLCertVerificationError as error:
        raise AuthenticationFailed(
            f"{name}: its certificate is not trusted ({error.verify_message})"
        ) from None
    except ssl.SSLError as error:
        reason = (error.reason or "no handshake").replace("_", " ").lower()
        raise AuthenticationFailed(
            f"{name} does not answer in TLS ({reason}). Is security.protocol right?"
        ) from None
    except TimeoutError:
        raise Unreachable(f"cannot reach {name}: no answer in {CONNECT_S:g} s") from None
    except OSError as error:
        raise Unreachable(f"cannot reach {name}: {(error.strerror or str(error)).lower()}") from None


def explain(error: Exception, config: ClientConfig, server: tuple[str, int] | None = None) -> PortError:
    """kafka-python's exception as ours; never with the credentials in it."""
    from kafka import errors

    name = f"{server[0]}:{server[1]}: " if server else ""
    if isinstance(error, errors.SaslAuthenticationFailedError):
        user = config.login()["sasl_plain_username"]
        return AuthenticationFailed(
            f"{name}authentication failed for user {user} ({config.login()['sasl_mechanism']})"
        )
    if isinstance(error, errors.UnsupportedSaslMechanismError):
        return AuthenticationFailed(f"{name}the cluster does not take {config.login()['sasl_mechanism']}")
    if isinstance(error, errors.IllegalSaslStateError):
        return AuthenticationFailed(f"{name}this listener takes no login. Is security.protocol right?")
    if isinstance(error, errors.AuthorizationError):
        return NotAuthorised(f"{name}not authorised ({code_name(error)})")
    silent = errors.KafkaTimeoutError, errors.RequestTimedOutError, errors.KafkaConnectionError, OSError
    if server and isinstance(error, silent):
        return Unreachable(
            f"{name[:-2]} takes connections, but does not answer as a broker does with {config.protocol}. "
            "Is security.protocol right?"
        )
    own = errors.UnknownBrokerIdError, errors.RequestTimedOutError  # of the client, whatever they are called
    if isinstance(error, errors.BrokerResponseError) and not isinstance(error, own):
        return RequestRefused(code_name(error))
    return Unreachable(f"{name}the cluster does not answer ({type(error).__name__})")


def code_name(error: Any) -> str:
    """Kafka's name of an error class, instance or code of kafka-python."""
    if isinstance(error, int):
        from kafka.errors import for_code

        error = for_code(error)
    errno = getattr(error, "errno", -1)
    named: Mapping[int, str] = RENAMED
    return named.get(errno) or str(getattr(error, "message", None) or f"error {errno}")
