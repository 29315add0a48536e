"""``--command-config``: Kafka client properties as Kafka's tools read them; secrets stay inside."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest

from equipoise.errors import UnusableInput
from equipoise.execution.client_arguments import client_arguments
from equipoise.execution.client_config import ClientConfig, Secret
from equipoise.execution.properties import parse_properties
from equipoise.execution.tls import tidy_pem

LOGIN = "org.apache.kafka.common.security.scram.ScramLoginModule required"


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("a=b", {"a": "b"}),
        ("a.b : c", {"a.b": "c"}),
        ("a b c", {"a": "b c"}),
        ("# x=y\n! z\n\n  a = b  ", {"a": "b  "}),
        ("a=one,\\\n   two", {"a": "one,two"}),
        ("a=x\\=y\\\\z\\u0041", {"a": "x=y\\zA"}),
        ("a=1\na=2", {"a": "2"}),
        ("lonely", {"lonely": ""}),
    ],
)
def test_properties_are_read_as_java_reads_them(text: str, read: dict[str, str]) -> None:
    """Separators, comments, continued lines, escapes, repeated keys."""
    assert parse_properties(text) == read


def test_a_scram_login_becomes_the_clients_arguments() -> None:
    """User and password of sasl.jaas.config, quotes and escapes taken off."""
    config = ClientConfig(
        {
            "security.protocol": "SASL_PLAINTEXT",
            "sasl.mechanism": "SCRAM-SHA-512",
            "sasl.jaas.config": rf'{LOGIN} username="ann" password="a\"b;c";',
            "request.timeout.ms": "1234",
            "client.id": "me",
        }
    )
    arguments = client_arguments(config)
    assert arguments["sasl_plain_username"] == "ann"
    assert arguments["sasl_plain_password"].encode() == b'a"b;c'
    assert (arguments["request_timeout_ms"], arguments["client_id"]) == (1234, "me")


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"security.protocol": "TLS"}, "security.protocol is none of PLAINTEXT, SSL"),
        (
            {"security.protocol": "SASL_SSL"},
            "sasl.mechanism must be one of PLAIN, SCRAM-SHA-256, SCRAM-SHA-512",
        ),
        ({"security.protocol": "SASL_SSL", "sasl.mechanism": "GSSAPI"}, "sasl.mechanism must be one of"),
        (
            {"security.protocol": "SASL_PLAINTEXT", "sasl.mechanism": "PLAIN", "sasl.jaas.config": LOGIN},
            "sasl.jaas.config must name PlainLoginModule for PLAIN",
        ),
        (
            {
                "security.protocol": "SASL_PLAINTEXT",
                "sasl.mechanism": "SCRAM-SHA-256",
                "sasl.jaas.config": f"{LOGIN} username=top-secret;",
            },
            "sasl.jaas.config gives no password",
        ),
        ({"request.timeout.ms": "top-secret"}, "request.timeout.ms is not a whole number"),
    ],
)
def test_unusable_settings_name_the_key_and_never_the_value(settings: dict[str, str], said: str) -> None:
    """One line with file and key; the value might be a secret in the wrong place."""
    with pytest.raises(UnusableInput) as raised:
        client_arguments(ClientConfig(settings, "client.properties"))
    assert f"client.properties: {said}" in str(raised.value)
    assert "top-secret" not in str(raised.value)


def test_keys_without_effect_are_named() -> None:
    """A mistyped or unsupported key does not pass in silence; its value is not shown."""
    config = ClientConfig(
        {"security.protocl": "SSL", "sasl.login.class": "x", "client.id": "me"}, "c.properties"
    )
    assert config.warnings == ("c.properties: not used here: sasl.login.class, security.protocl",)
    assert ClientConfig({"client.id": "me"}).warnings == ()


def test_a_secret_shows_itself_to_nobody(caplog: pytest.LogCaptureFixture) -> None:
    """Neither as text, nor inside a dict, a format or a log record; the bytes are the real ones."""
    caplog.set_level(logging.DEBUG)
    secret = Secret("hunter2")
    config = ClientConfig({"sasl.jaas.config": "password=hunter2"}, "file")
    logging.getLogger("test").debug("%s %r %s", secret, {"password": secret}, config)
    shown = f"{secret} {secret!r} {secret:>10} {[secret]} {config!r}" + caplog.text
    assert "hunter2" not in shown and secret.encode() == b"hunter2"
    assert b"hunter2" in "\0".join(["u", secret]).encode()


def test_a_missing_or_binary_file_is_one_line(tmp_path: Path) -> None:
    """The path and what is wrong with it."""
    with pytest.raises(
        UnusableInput, match=r"gone\.properties: cannot be read \(No such file or directory\)"
    ):
        ClientConfig.read(tmp_path / "gone.properties")
    binary = tmp_path / "b.properties"
    binary.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(UnusableInput, match="is not text"):
        ClientConfig.read(binary)


def test_pem_in_one_line_is_broken_into_lines() -> None:
    """A properties file holds a certificate in one line, which OpenSSL does not take."""
    body = "A" * 100
    one = f"-----BEGIN CERTIFICATE----- {body} -----END CERTIFICATE-----"
    assert tidy_pem(f"noise {one} noise") == (
        f"-----BEGIN CERTIFICATE-----\n{'A' * 64}\n{'A' * 36}\n-----END CERTIFICATE-----\n"
    )
    assert tidy_pem(one, "PRIVATE KEY") == ""


@pytest.mark.parametrize("key", ["ssl.truststore.location", "ssl.keystore.location"])
@pytest.mark.slow
def test_stores_that_cannot_be_read_say_so(tmp_path: Path, key: str) -> None:
    """A missing store, and one that is neither PEM nor a Java keystore: file or key, and the cure."""
    settings = {"security.protocol": "SSL", key: str(tmp_path / "store")}
    with pytest.raises(UnusableInput, match="cannot be read"):
        client_arguments(ClientConfig(settings, "c"))
    (tmp_path / "store").write_bytes(b"\x00junk")
    with pytest.raises(UnusableInput, match="Make it PEM"):
        client_arguments(ClientConfig(settings, "c"))
