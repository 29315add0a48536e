"""What kafka-python's clients are given, from the settings of ``--command-config``."""

from __future__ import annotations

from typing import Any

from equipoise.execution.client_config import NUMBERS, ClientConfig


def client_arguments(config: ClientConfig) -> dict[str, Any]:
    """Keyword arguments for kafka-python's clients; the password among them is a ``Secret``.

    Raises ``UnusableInput`` for a setting that cannot be used, never showing its value.
    """
    chosen: dict[str, Any] = {"security_protocol": config.protocol}
    if "SSL" in config.protocol:
        from equipoise.execution.tls import tls_context

        chosen["ssl_context"] = tls_context(config)
    if config.protocol.startswith("SASL"):
        chosen |= config.login()
    if client_id := config.settings.get("client.id"):
        chosen["client_id"] = client_id
    for key in NUMBERS:
        if key in config.settings:
            chosen[key.replace(".", "_")] = config.number(key)
    return chosen
