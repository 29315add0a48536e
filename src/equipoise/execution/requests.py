"""kafka-python's admin client, and the requests whose answers its own methods cut short.

Its methods drop the broker's sentence about a refused partition, ask brokers one after another, fetch
every topic before each look at log dirs, and take a refused config description for an empty one. Here
requests are built from the same protocol classes and answered as the brokers answer.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping
from contextlib import suppress
from itertools import cycle, islice
from typing import Any

from kafka.errors import (
    BrokerResponseError,
    KafkaConnectionError,
    KafkaError,
    KafkaTimeoutError,
    NodeNotReadyError,
    NotControllerError,
    RequestTimedOutError,
    SaslAuthenticationFailedError,
    UnknownBrokerIdError,
)
from kafka.net.compat import KafkaNetClient
from kafka.protocol.metadata import MetadataRequest

from kafka import KafkaAdminClient

LOST = (
    KafkaConnectionError,
    KafkaTimeoutError,
    NodeNotReadyError,
    RequestTimedOutError,
    UnknownBrokerIdError,
)
"""No answer: the broker is dead, hangs, or is not known to be back."""

HANDSHAKE_MS = 5_000
SETUP_MS = 10_000
"""A broker that takes a connection and then says nothing is given up after so long, or after the time
that a request has, where that is less."""
ATTEMPTS = 4
PAUSE_S = 0.5


class HideCredentials(logging.Filter):
    """Drops the client's debug records of requests as such: in a login they show the password's bytes."""

    def filter(self, record: logging.LogRecord) -> bool:
        if record.name == "kafka.protocol.parser":
            return record.levelno > logging.DEBUG
        arguments = record.args if isinstance(record.args, tuple) else ()
        return not any(type(argument).__name__.startswith("Sasl") for argument in arguments)


HIDE_CREDENTIALS = HideCredentials()


class AdminRequests(KafkaAdminClient):  # type: ignore[misc]
    """An admin client that has shaken hands with its first broker, so that a refusal is raised as it is."""

    def __init__(self, **settings: Any) -> None:
        for name in ("kafka.net.connection", "kafka.protocol.parser"):
            logging.getLogger(name).addFilter(HIDE_CREDENTIALS)
        super().__init__(kafka_client=greeted, **settings)

    def ask(self, request: Any) -> Any:
        """The answer of any broker; tries others where one does not answer. Raises ``KafkaError``."""
        return self._manager.run(self._ask, request, None)

    def ask_controller(self, request: Any) -> Any:
        """The answer to a request for the controller, found again where it has changed."""
        return self._manager.run(self._ask, request, "controller")

    def ask_controller_or_error(self, request: Any) -> Any:
        """The same, with the exception in place of an answer that did not come."""
        try:
            return self.ask_controller(request)
        except KafkaError as error:
            return error

    def ask_each(self, requests: Mapping[int, Any]) -> dict[int, Any]:
        """Answers by broker, asked all at once; the exception in place of an answer that did not come."""
        return dict(self._manager.run(self._ask_each, requests))

    async def _ask(self, request: Any, whom: str | None) -> Any:
        for attempt in range(ATTEMPTS):
            if attempt:
                await self._net.sleep(PAUSE_S * attempt)
            try:
                node = await self._controller() if whom else None
                answer = await self._manager.send(request, node_id=node)
            except LOST:
                self._controller_id = None
                if attempt == ATTEMPTS - 1:
                    raise
                continue
            if getattr(answer, "error_code", 0) != NotControllerError.errno:
                return answer
            self._controller_id = None
        raise NotControllerError

    async def _controller(self) -> int:
        if self._controller_id is None:
            self._controller_id = await self._refresh_controller_id()
        node = int(self._controller_id or 0)
        await self._know([node])
        return node

    async def _know(self, brokers: Iterable[int]) -> None:
        """A broker that has come back is unknown until the metadata are read again."""
        for _ in range(ATTEMPTS):
            if all(self._manager.cluster.broker_metadata(i) for i in brokers):
                return
            with suppress(*LOST):
                await self._manager.cluster.refresh_metadata()
                return

    async def _ask_each(self, requests: Mapping[int, Any]) -> dict[int, Any]:
        await self._know(requests)
        pending = {broker: self._begin(request, broker) for broker, request in requests.items()}
        return {broker: await self._end(future) for broker, future in pending.items()}

    def _begin(self, request: Any, broker: int) -> Any:
        try:
            return self._manager.send(request, node_id=broker)
        except Exception as error:
            return error

    async def _end(self, future: Any) -> Any:
        try:
            return future if isinstance(future, Exception) else await future
        except Exception as error:
            return error


def greeted(**settings: Any) -> KafkaNetClient:
    """A network client that is connected and authenticated; raises what the last server refused it with.

    The admin client's own start tries again until its time is up and does not say why.
    """
    patience = min(SETUP_MS, settings["request_timeout_ms"])
    client = KafkaNetClient(
        **settings,
        socket_connection_setup_timeout_ms=patience,
        socket_connection_setup_timeout_max_ms=patience,
    )
    try:
        client._manager.run(shake_hands, client._manager)
    except BaseException:
        client.close()
        raise
    return client


async def shake_hands(manager: Any) -> None:
    """Connect, log in and ask one question; raises the plainest refusal where no server lets us in.

    The client then begins with any of its servers, and gives one that hangs more time than it has in all:
    it is left the one that has answered.
    """
    refusal: Exception | None = None
    patience = min(HANDSHAKE_MS, manager.config["request_timeout_ms"])
    servers = manager.cluster.bootstrap_brokers()
    for server in islice(cycle(servers), max(ATTEMPTS, len(servers))):
        connection = None
        try:
            connection = manager.get_connection(
                server.node_id, timeout_ms=patience, refresh_metadata_on_err=False
            )
            await connection
            # A listener that wants a login tells its versions to anyone, and only then hangs up.
            await manager.send(MetadataRequest(topics=[]), node_id=server.node_id)
            manager.cluster._bootstrap_brokers = {server.node_id: server}
            return
        except Exception as error:
            if isinstance(error, BrokerResponseError) and not isinstance(error, LOST):
                raise
            if hung_up_on_login(connection):
                refusal = SaslAuthenticationFailedError()
            refusal = refusal or error
            await manager._net.sleep(0.1)
    if refusal is not None:
        raise refusal


def hung_up_on_login(connection: Any) -> bool:
    """True where the versions were told and the login was not answered.

    A broker hangs up together with its refusal, and the client may see only the former.
    """
    if connection is None or connection.init_future.succeeded():
        return False
    return bool(connection.sasl_enabled and connection.broker_version_data is not None)
