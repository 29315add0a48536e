"""Numbers with their nouns, for every message."""

from __future__ import annotations


def plural(count: int, noun: str, more: str | None = None) -> str:
    """``1 data move``, ``11,005 data moves``."""
    return f"{count:,} {noun if count == 1 else more or noun + 's'}"
