"""Java properties files, as Kafka's tools read them."""

from __future__ import annotations

import re
from collections.abc import Iterator

KEY = re.compile(r"((?:\\.|[^\\=:\s])*)\s*[=:]?\s*(.*)", re.DOTALL)
ESCAPE = re.compile(r"\\(u[0-9a-fA-F]{4}|.)", re.DOTALL)
CONTROL = {"t": "\t", "n": "\n", "r": "\r", "f": "\f"}


def parse_properties(text: str) -> dict[str, str]:
    """Keys and values; the last of a repeated key counts, as in Java."""
    pairs = (KEY.fullmatch(line) for line in logical_lines(text))
    return {unescape(pair[1]): unescape(pair[2]) for pair in pairs if pair}


def logical_lines(text: str) -> Iterator[str]:
    """Lines without comments and blank ones; a ``\\`` at an end joins the next line."""
    joined = ""
    for raw in text.splitlines():
        line = raw.lstrip()
        if not joined and (not line or line[0] in "#!"):
            continue
        joined += line
        backslashes = len(joined) - len(joined.rstrip("\\"))
        if backslashes % 2:
            joined = joined[:-1]
        else:
            yield joined
            joined = ""
    if joined:
        yield joined


def unescape(text: str) -> str:
    def plain(escape: re.Match[str]) -> str:
        code = escape[1]
        return chr(int(code[1:], 16)) if len(code) == 5 else CONTROL.get(code, code)

    return ESCAPE.sub(plain, text)
