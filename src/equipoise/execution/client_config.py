"""The settings of ``--command-config``: a Kafka client properties file, read as Kafka's tools do.

Secrets stay inside: nothing here shows a value of the file in an error, a warning or a ``repr``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from equipoise.errors import UnusableInput
from equipoise.execution.properties import parse_properties

PROTOCOLS = ("PLAINTEXT", "SSL", "SASL_PLAINTEXT", "SASL_SSL")
MECHANISMS = {
    "PLAIN": "PlainLoginModule",
    "SCRAM-SHA-256": "ScramLoginModule",
    "SCRAM-SHA-512": "ScramLoginModule",
}
"""SASL mechanism -> the login module that its ``sasl.jaas.config`` names."""

NUMBERS = (
    "request.timeout.ms",
    "connections.max.idle.ms",
    "metadata.max.age.ms",
    "reconnect.backoff.ms",
    "retry.backoff.ms",
    "receive.buffer.bytes",
    "send.buffer.bytes",
)
"""Whole numbers that the client takes under the same name."""

USED = {
    *NUMBERS,
    "bootstrap.servers",
    "client.id",
    "security.protocol",
    "sasl.mechanism",
    "sasl.jaas.config",
    "ssl.truststore.type",
    "ssl.truststore.location",
    "ssl.truststore.password",
    "ssl.truststore.certificates",
    "ssl.keystore.type",
    "ssl.keystore.location",
    "ssl.keystore.password",
    "ssl.keystore.key",
    "ssl.keystore.certificate.chain",
    "ssl.key.password",
    "ssl.endpoint.identification.algorithm",
}
"""Keys that have an effect; ``bootstrap.servers`` gives way to the command line."""

JAAS_OPTION = re.compile(r"""(\w+)\s*=\s*("(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|[^\s;]+)""")


class Secret(str):
    """Text that shows itself to no log, message or ``repr``; encoding and joining see the real one."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "[hidden]"

    def __str__(self) -> str:
        return "[hidden]"

    def __format__(self, _: str) -> str:
        return "[hidden]"


@dataclass(frozen=True)
class ClientConfig:
    """How to speak to a cluster; without a file, in plain text and with no user."""

    settings: Mapping[str, str] = field(default_factory=dict, repr=False)
    source: str = ""
    """Name of the file, for messages."""

    @classmethod
    def read(cls, path: Path) -> ClientConfig:
        """Raises ``UnusableInput`` where the file cannot be read."""
        try:
            return cls(parse_properties(path.read_text(encoding="utf-8")), str(path))
        except OSError as error:
            raise UnusableInput(f"cannot be read ({error.strerror})", source=str(path)) from None
        except UnicodeDecodeError:
            raise UnusableInput("is not text", source=str(path)) from None

    @property
    def warnings(self) -> tuple[str, ...]:
        """Names of the keys that have no effect here."""
        unused = sorted(set(self.settings) - USED)
        return (f"{self.source}: not used here: {', '.join(unused)}",) if unused else ()

    @property
    def protocol(self) -> str:
        """One of ``PROTOCOLS``."""
        given = self.settings.get("security.protocol", "PLAINTEXT").strip().upper()
        if given not in PROTOCOLS:
            raise self.unusable("security.protocol", f"is none of {', '.join(PROTOCOLS)}")
        return given

    def login(self) -> dict[str, Any]:
        """Mechanism, user and password of ``sasl.jaas.config``."""
        mechanism = self.settings.get("sasl.mechanism", "").strip().upper()
        if mechanism not in MECHANISMS:
            raise self.unusable("sasl.mechanism", f"must be one of {', '.join(MECHANISMS)}")
        jaas = self.settings.get("sasl.jaas.config", "")
        if MECHANISMS[mechanism] not in jaas:
            raise self.unusable("sasl.jaas.config", f"must name {MECHANISMS[mechanism]} for {mechanism}")
        options = {name: unquote(value) for name, value in JAAS_OPTION.findall(jaas)}
        for name in ("username", "password"):
            if not options.get(name):
                raise self.unusable("sasl.jaas.config", f"gives no {name}")
        return {
            "sasl_mechanism": mechanism,
            "sasl_plain_username": options["username"],
            "sasl_plain_password": Secret(options["password"]),
        }

    def number(self, key: str) -> int:
        try:
            return int(self.settings[key])
        except ValueError:
            raise self.unusable(key, "is not a whole number") from None

    def unusable(self, key: str, problem: str, advice: str = "") -> UnusableInput:
        """The error for a key; never shows its value."""
        return UnusableInput(f"{key} {problem}", source=self.source, advice=advice)


def unquote(value: str) -> str:
    if value[0] in "\"'":
        return re.sub(r"\\(.)", r"\1", value[1:-1])
    return value
