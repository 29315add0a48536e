"""Keys and certificates for the TLS listeners, made with the keytool of the Java in use."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from harness.jars import java_tool, run

PASSWORD = "keystore-password"


@dataclass(frozen=True)
class Certificates:
    """What the brokers and their clients need of one self-made authority."""

    broker_keystore: Path
    """PKCS12, for every broker: the names are localhost and 127.0.0.1."""
    trusted_pem: Path
    """What a client must trust, as PEM."""
    stranger_pem: Path
    """Another certificate: who trusts only this one must refuse the brokers."""


def make_certificates(folder: Path) -> Certificates:
    """Two self-signed certificates; the brokers' one and one that has nothing to do with them."""
    keystore, stranger = folder / "broker.p12", folder / "stranger.p12"
    make_key(keystore)
    make_key(stranger)
    return Certificates(keystore, export(keystore), export(stranger))


def make_key(keystore: Path) -> None:
    keytool(
        "-genkeypair", "-keystore", str(keystore), "-dname", "CN=localhost", "-keyalg", "EC",
        "-validity", "30", "-ext", "san=dns:localhost,ip:127.0.0.1", "-ext", "bc:critical=ca:true",
    )  # fmt: skip


def export(keystore: Path) -> Path:
    pem = keystore.with_suffix(".pem")
    keytool("-exportcert", "-rfc", "-keystore", str(keystore), "-file", str(pem))
    return pem


def keytool(*arguments: str) -> None:
    store = ["-alias", "broker", "-storetype", "PKCS12", "-storepass", PASSWORD]
    run([java_tool("keytool"), *arguments, *store], "keytool")
