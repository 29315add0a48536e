"""The tests' own admin client, apart from the product's."""

from __future__ import annotations

from typing import Any

from kafka.errors import KafkaConnectionError, KafkaTimeoutError, NodeNotReadyError, RequestTimedOutError

from harness.waiting import soon
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
        return soon(getattr(self.client, name), seconds=PATIENCE_S, errors=NOT_ANSWERED)
