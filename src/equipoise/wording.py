"""Numbers with their nouns and units, and text from outside, for every message."""

from __future__ import annotations

import math

SHOWN = 80
"""Characters of somebody's text that a message shows."""


def plural(count: int, noun: str, more: str | None = None) -> str:
    """``1 data move``, ``11,005 data moves``."""
    return f"{count:,} {noun if count == 1 else more or noun + 's'}"


def first_line(error: Exception) -> str:
    """The first line of what an exception says, its name where that is nothing."""
    return str(error).partition("\n")[0].strip() or type(error).__name__


def printable(text: str) -> str:
    """Text from outside as it may reach a terminal: what is no printable character is shown as U+FFFD.

    Escape sequences could colour, hide or rewrite what stands around them.
    """
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in text)


def cut(text: str) -> str:
    """Text on one line, printable, and not too long."""
    text = printable(" ".join(text.split()) if any(c in text for c in "\t\r\n") else text)
    return text if len(text) <= SHOWN else text[: SHOWN - 3] + "..."


def quoted(value: object) -> str:
    """A value of an option as a message quotes it."""
    return f"'{cut(str(value))}'"
def size(value: float | None) -> str:
    """Bytes in binary units: ``1536`` → ``1.5 KiB``."""
    if value is None or math.isnan(value):
        return "–"
    for unit in ("B", "KiB", "MiB", "GiB", "TiB"):
        if abs(value) < 1024:
            return f"{value:,.0f} {unit}" if unit == "B" or value >= 100 else f"{value:,.1f} {unit}"
        value /= 1024
    return f"{value:,.1f} PiB"
