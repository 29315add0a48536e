"""``--health``: figures of brokers that Kafka's API does not tell, from a file or an exporter's address."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from http.client import HTTPException
from pathlib import Path
from urllib.parse import urlsplit
from urllib.request import urlopen

from equipoise.errors import UnusableInput
from equipoise.formats.burden import burden_in

EVERY_S = 10.0
"""Seconds from one reading to the next."""
PATIENCE_S = 2.0
"""Seconds in which an address has to answer: a run waits for it."""
OLD_S = 300.0
"""Seconds after which a file that nobody writes any more tells nothing."""
MOST_BYTES = 64 << 20
WEB = ("http", "https")


def checked(source: str) -> str:
    """The same, where it can be a source; raises `UnusableInput`. A file may come later."""
    try:
        parts = urlsplit(source)
        is_fine = bool(source) and ("://" not in source or (parts.scheme in WEB and bool(parts.hostname)))
        named = "@" in parts.netloc
    except ValueError:
        is_fine = named = False
    if not is_fine or named:
        why = "has a name or a password in it" if named else f"'{source}' is neither a file nor an address"
        raise UnusableInput(why, source="--health", advice="Give a FILE or http://HOST:PORT/metrics")
    return source


@dataclass
class Gauge:
    """Reads a source now and then; what it cannot read is a sentence."""

    source: str
    clock: Callable[[], float] = time.monotonic
    wall: Callable[[], float] = time.time
    read_at: float | None = None
    last: tuple[str, str] = field(default=("", ""))

    def __call__(self) -> tuple[str, str]:
        """What shows that brokers are burdened, and why that cannot be told; "" where there is neither."""
        now = self.clock()
        if self.read_at is None or now - self.read_at >= EVERY_S:
            self.read_at, self.last = now, self.reading()
        return self.last

    def reading(self) -> tuple[str, str]:
        try:
            burden = burden_in(self.text())
        except (OSError, ValueError, HTTPException) as error:
            return "", f"--health {self.source}: cannot be read ({getattr(error, 'strerror', None) or error})"
        if burden is None:
            return "", f"--health {self.source}: tells neither the queue nor the latency of requests"
        return burden, ""

    def text(self) -> str:
        """Raises ``OSError``, ``ValueError`` or ``HTTPException`` where it cannot be read."""
        content = self.fetched() if "://" in self.source else self.stored()
        return content.decode(errors="replace")

    def fetched(self) -> bytes:
        until, content = self.clock() + PATIENCE_S, b""
        with urlopen(self.source, timeout=PATIENCE_S) as answer:  # of http alone: see `checked`
            while len(content) < MOST_BYTES and (more := answer.read1(1 << 16)):
                content += more
                if self.clock() > until:
                    raise ValueError(f"it takes more than {PATIENCE_S:.0f} seconds")
        return content

    def stored(self) -> bytes:
        path = Path(self.source)
        if path.exists() and not path.is_file():
            raise ValueError("it is no file")
        if self.wall() - path.stat().st_mtime > OLD_S:
            raise ValueError(f"nobody has written it for {OLD_S:.0f} seconds")
        return path.read_bytes()[:MOST_BYTES]
