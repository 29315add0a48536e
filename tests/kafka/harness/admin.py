"""The tests' own admin client, apart from the product's."""

from __future__ import annotations

import time
from typing import Any

from kafka.errors import KafkaConnectionError, KafkaTimeoutError, NodeNotReadyError, RequestTimedOutError

from kafka import KafkaAdminClient

NOT_ANSWERED = (KafkaConnectionError, KafkaTimeoutError, NodeNotReadyError, RequestTimedOutError)
PATIENCE_S = 30.0


class PatientAdmin:
    """kafka-python's admin client, asking again where a broker did not answer, as Kafka's own tools do.

    It asks any of the brokers that the metadata name, and for some seconds they name one that is dead.
    """

    def __init__(self, bootstrap_servers: list[str]) -> None:
        self.client = KafkaAdminClient(
            bootstrap_servers=bootstrap_servers, reconnect_backoff_max_ms=500, metadata_max_age_ms=2000
        )

    def __getattr__(self, name: str) -> Any:
        method = getattr(self.client, name)

        def ask(*arguments: Any, **options: Any) -> Any:
            deadline = time.monotonic() + PATIENCE_S
            while True:
                try:
                    return method(*arguments, **options)
                except NOT_ANSWERED:
                    if time.monotonic() > deadline:
                        raise
                    time.sleep(0.1)

        return ask
