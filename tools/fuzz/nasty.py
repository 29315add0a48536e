"""Values and changes that programs stumble over."""

from __future__ import annotations

import gzip
import json
from random import Random
from typing import Any

NUMBERS = (
    "0",
    "-1",
    "1",
    "3",
    "2147483647",
    "2147483648",
    "99999",
    "9" * 5000,
    "1e999",
    "nan",
    "0x1",
    "٣",
    "1.5",
    "",
)
TEXTS = (
    "", " ", "a", "[red]", "[/foo]", "\x1b[31mred", "a\nb", "a\tb", "\u202eabc", "é", "\udcff", "'", '"', ":",
    ",", "=", "-", "--", "..", "/", "a" * 300, "a," * 200, "%s", "{}", "\\", "null", "\ufeff", "😀",
)  # fmt: skip
PATTERNS = (
    "(a+)+$",
    "(",
    "(" * 500,
    "a{99999999999}",
    ".*",
    "orders|b",
    "(?!b).*",
    "(o|o)*x",
    "[",
    "\\",
    "",
    "(?P<a>.)(?P=a)*",
)
SCALARS: tuple[Any, ...] = (
    None, True, -1, 0, 1, 2**31 - 1, 2**31, 2**63, 2**64, 10**400, 1e308, -0.0, float("nan"), "", "x",
    "\x1b[31m", "a\nb",
    [], {}, [[]], [None], {"": 0}, "9" * 5000,
)  # fmt: skip


def changed_text(text: bytes, draw: Random) -> bytes:
    """A text with one or a few changes of bytes or lines."""
    for _ in range(draw.choice((1, 1, 1, 2, 5))):
        text = draw.choice(CHANGES)(text, draw)
    return text


def flip(text: bytes, draw: Random) -> bytes:
    if not text:
        return text
    at = draw.randrange(len(text))
    return text[:at] + bytes([draw.randrange(256)]) + text[at + 1 :]


def cut(text: bytes, draw: Random) -> bytes:
    at = draw.randrange(len(text) + 1)
    return text[:at] if draw.random() < 0.7 else text[at:]


def insert(text: bytes, draw: Random) -> bytes:
    at = draw.randrange(len(text) + 1)
    what = draw.choice((*NUMBERS, *TEXTS)).encode(errors="surrogateescape")
    return text[:at] + what + text[at:]


def swap_lines(text: bytes, draw: Random) -> bytes:
    lines = text.split(b"\n")
    a, b = draw.randrange(len(lines)), draw.randrange(len(lines))
    lines[a], lines[b] = lines[b], lines[a]
    return b"\n".join(lines)


def double_line(text: bytes, draw: Random) -> bytes:
    lines = text.split(b"\n")
    lines.insert(draw.randrange(len(lines) + 1), draw.choice(lines))
    return b"\n".join(lines)


def drop_line(text: bytes, draw: Random) -> bytes:
    lines = text.split(b"\n")
    del lines[draw.randrange(len(lines))]
    return b"\n".join(lines)


def other_number(text: bytes, draw: Random) -> bytes:
    """A digit somewhere, and another number in its place."""
    places = [at for at in range(len(text)) if text[at : at + 1].isdigit()]
    if not places:
        return text
    at = draw.choice(places)
    return text[:at] + draw.choice(NUMBERS).encode() + text[at + 1 :]


def other_value(text: bytes, draw: Random) -> bytes:
    """One value of a JSON text, or a change of bytes where it is none."""
    try:
        content = json.loads(text)
    except (ValueError, RecursionError):
        return flip(text, draw)
    return json.dumps(with_another(content, draw)).encode()


def with_another(content: Any, draw: Random) -> Any:
    """The content with another value at a place that is drawn on the way down."""
    if isinstance(content, dict) and content and draw.random() < 0.9:
        key = draw.choice(list(content))
        if draw.random() < 0.1:
            return {k: v for k, v in content.items() if k != key}
        return {**content, key: with_another(content[key], draw)}
    if isinstance(content, list) and content and draw.random() < 0.9:
        at = draw.randrange(len(content))
        if draw.random() < 0.2:
            return content[:at] + [content[at]] * draw.choice((0, 2, 3)) + content[at + 1 :]
        return [*content[:at], with_another(content[at], draw), *content[at + 1 :]]
    return draw.choice(SCALARS)


def packed(text: bytes, draw: Random) -> bytes:
    whole = gzip.compress(text, 1, mtime=0)
    return whole if draw.random() < 0.5 else cut(whole, draw)


def as_utf_16(text: bytes, draw: Random) -> bytes:
    return text.decode(errors="replace").encode("utf-16")


def deep(text: bytes, draw: Random) -> bytes:
    return draw.choice((b"[", b'{"a":', b'{"version":1,"partitions":[')) * draw.choice((10, 5000, 200_000))


CHANGES = (
    *[flip, cut, insert, swap_lines, double_line, drop_line] * 2,
    *[other_number, other_value] * 4,
    packed,
    as_utf_16,
    deep,
)
