"""TLS as a client properties file asks for it: what to trust, and who we are."""

from __future__ import annotations

import os
import re
import shutil
import ssl
import subprocess
import tempfile
from contextlib import suppress
from pathlib import Path

from equipoise.errors import UnusableInput
from equipoise.execution.client_config import ClientConfig
from equipoise.java import find_java

PEM_MARK = b"-----BEGIN "
PEM_BLOCK = re.compile(r"-----BEGIN ([A-Z0-9 ]+)-----(.*?)-----END \1-----", re.DOTALL)


def tls_context(config: ClientConfig) -> ssl.SSLContext:
    """Trusts the file's truststore, or what the system trusts where it names none.

    Raises ``UnusableInput`` for a store that cannot be read, with what to do about it.
    """
    context = ssl.create_default_context(ssl.Purpose.SERVER_AUTH)
    # An empty algorithm is Kafka's way to accept a certificate that names another host.
    if not config.settings.get("ssl.endpoint.identification.algorithm", "https").strip():
        context.check_hostname = False
    trusted = trusted_certificates(config)
    if trusted is not None:
        context = trusting_only(trusted, context.check_hostname, config)
    present_ourselves(context, config)
    return context


def trusting_only(pem: str, check_hostname: bool, config: ClientConfig) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    context.check_hostname = check_hostname
    try:
        context.load_verify_locations(cadata=pem)
    except (ssl.SSLError, ValueError):
        raise config.unusable("ssl.truststore", "holds no certificate that can be read") from None
    return context


def trusted_certificates(config: ClientConfig) -> str | None:
    """The certificates to trust as PEM text, None where the file names none."""
    if inline := config.settings.get("ssl.truststore.certificates"):
        return tidy_pem(inline, "CERTIFICATE")
    if not (location := config.settings.get("ssl.truststore.location")):
        return None
    store = read_store(config, "ssl.truststore.location", location)
    if PEM_MARK in store:
        return tidy_pem(store.decode("utf-8", "replace"), "CERTIFICATE")
    return from_java_keystore(config, Path(location))


def tidy_pem(text: str, kind: str = "") -> str:
    """The blocks of a PEM text (of one kind), one below the other and broken into lines.

    A properties file often gives a block in one line, which OpenSSL does not take.
    """
    blocks = (block for block in PEM_BLOCK.findall(text) if kind in block[0])
    return "".join(
        f"-----BEGIN {name}-----\n{body.strip() if ':' in body else wrap(body)}\n-----END {name}-----\n"
        for name, body in blocks
    )


def wrap(base64: str) -> str:
    packed = "".join(base64.split())
    return "\n".join(packed[at : at + 64] for at in range(0, len(packed), 64))


def from_java_keystore(config: ClientConfig, path: Path) -> str:
    """A JKS or PKCS12 truststore through Java's keytool, which prints it as PEM."""
    advice = f"Make it PEM: keytool -list -rfc -keystore {path} > trusted.pem, then ssl.truststore.type=PEM"
    keytool = find_keytool()
    if keytool is None:
        raise config.unusable(
            "ssl.truststore.location", "is a Java keystore, and there is no keytool", advice
        )
    # The password goes through the environment: arguments can be seen by every user of the machine.
    variable = "EQUIPOISE_STOREPASS"
    done = subprocess.run(
        [keytool, "-list", "-rfc", "-keystore", str(path), "-storepass:env", variable],
        env={**os.environ, variable: config.settings.get("ssl.truststore.password", "")},
        stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    if done.returncode or PEM_MARK.decode() not in done.stdout:
        raise config.unusable(
            "ssl.truststore.location", "cannot be opened with ssl.truststore.password", advice
        )
    return tidy_pem(done.stdout, "CERTIFICATE")


def find_keytool() -> str | None:
    """The keytool on the path, or that of the Java that Spark would run on."""
    with suppress(UnusableInput):
        return shutil.which("keytool") or shutil.which("keytool", path=find_java().home / "bin")
    return None


def present_ourselves(context: ssl.SSLContext, config: ClientConfig) -> None:
    """Load the client's own key and certificate, where the file gives them."""
    settings = config.settings
    password = settings.get("ssl.key.password") or settings.get("ssl.keystore.password") or ""
    if location := settings.get("ssl.keystore.location"):
        if PEM_MARK not in read_store(config, "ssl.keystore.location", location):
            raise config.unusable(
                "ssl.keystore.location",
                "is a Java keystore",
                f"Make it PEM: openssl pkcs12 -in {location} -out client.pem, then ssl.keystore.type=PEM",
            )
        load_chain(context, config, location, password)
    elif settings.get("ssl.keystore.key"):
        pem = tidy_pem(settings["ssl.keystore.key"] + settings.get("ssl.keystore.certificate.chain", ""))
        with tempfile.NamedTemporaryFile("w", suffix=".pem") as private:
            private.write(pem)
            private.flush()
            load_chain(context, config, private.name, password)


def load_chain(context: ssl.SSLContext, config: ClientConfig, path: str, password: str) -> None:
    try:
        # A password is always given: without one OpenSSL would ask on the terminal.
        context.load_cert_chain(path, password=password)
    except (ssl.SSLError, OSError, ValueError):
        raise config.unusable(
            "ssl.keystore", "gives no usable private key with its certificate (is ssl.key.password right?)"
        ) from None


def read_store(config: ClientConfig, key: str, location: str) -> bytes:
    try:
        return Path(location).read_bytes()
    except OSError as error:
        raise UnusableInput(f"{key} cannot be read ({error.strerror})", source=location) from None
