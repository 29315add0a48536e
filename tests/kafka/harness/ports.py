"""Free ports on loopback, below the range from which the system takes ports for outgoing connections."""

from __future__ import annotations

import os
import random
import socket


def free_ports(n: int) -> list[int]:
    """``n`` different ports that nothing listens on, so that a broker can be restarted on its own."""
    candidates = random.Random(os.getpid()).sample(range(12_000, 32_000), 2_000)
    found: list[int] = []
    for port in candidates:
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
        found.append(port)
        if len(found) == n:
            return found
    raise RuntimeError(f"fewer than {n} free ports on loopback")
