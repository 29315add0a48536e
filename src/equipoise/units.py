"""Sizes and rates as people write them."""

from __future__ import annotations

import math
import re

SIZE = re.compile(r"\s*([0-9]+(?:\.[0-9]+)?(?:e[0-9]+)?|\.[0-9]+)\s*([kmgtp]?)(i?)b?(?:/s|ps)?\s*", re.I)
STEPS = {"": 0, "k": 1, "m": 2, "g": 3, "t": 4, "p": 5}


def parse_size(text: str) -> float:
    """Bytes (or bytes a second) of ``1048576``, ``20MB`` (10**6), ``1.5GiB`` (2**30), ``10MB/s``.

    Raises ``ValueError`` for anything else.
    """
    found = SIZE.fullmatch(text)
    if found is None or (found[3] and not found[2]):
        raise ValueError(f"{text!r} is not a size such as 1048576, 20MB or 1.5GiB")
    size = float(found[1]) * float(1024 if found[3] else 1000) ** STEPS[found[2].lower()]
    if not math.isfinite(size):
        raise ValueError(f"{text!r} is too large")
    return size


TIME = re.compile(r"\s*([0-9]+(?:\.[0-9]+)?)\s*(s|m|min|h|d)\s*", re.I)
SECONDS = {"s": 1, "m": 60, "min": 60, "h": 3600, "d": 86400}
LONGEST_S = 366 * 86400


def parse_duration(text: str) -> float:
    """Seconds of ``90s``, ``10m``, ``2h`` or ``1d``; raises ``ValueError`` for anything else."""
    found = TIME.fullmatch(text)
    seconds = float(found[1]) * SECONDS[found[2].lower()] if found else 0.0
    if not 0 < seconds <= LONGEST_S:
        raise ValueError(f"{text!r} is not a time such as 90s, 10m or 2h")
    return seconds
