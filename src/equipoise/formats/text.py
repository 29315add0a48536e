"""Bytes to readable text: encodings, chunks of whole lines, and JSON inside other output."""

from __future__ import annotations

import re
from collections.abc import Iterator

from equipoise.formats.faults import Faults
from equipoise.wording import cut

CHUNK_BYTES = 1 << 22
"""Lines are handled in chunks of about this size, so that intermediate objects stay few."""

BYTE_ORDER_MARKS = ((b"\xef\xbb\xbf", "utf-8-sig"), (b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16"))
"""What Windows shells put in front when they redirect output to a file."""


def readable(raw: bytes, faults: Faults) -> bytes:
    """The text as UTF-8 without byte order mark or colours; raises where it is empty or no text at all."""
    for mark, encoding in BYTE_ORDER_MARKS:
        if raw.startswith(mark):
            try:
                raw = raw.decode(encoding).encode()
            except UnicodeDecodeError as error:
                raise faults.fatal(f"broken {encoding} text", place=f"byte {error.start}") from None
    if not raw or raw.isspace():
        raise faults.fatal("the file is empty", advice="Was the command that wrote it successful?")
    if b"\x1b" in raw:
        raw = COLOURS.sub(b"", raw)
    junk = first_junk(raw)
    if junk is not None:
        raise faults.fatal(
            f"this is binary data, not text: byte 0x{raw[junk]:02x}",
            place=f"byte {junk}",
            advice="Give the output of a Kafka tool, a JSON or a CSV file",
        )
    return raw


def first_junk(raw: bytes) -> int | None:
    """Offset of the first byte that no text holds (NUL, or not UTF-8), None where all is well."""
    zero = raw.find(b"\0")
    if raw.isascii():
        return zero if zero >= 0 else None
    try:
        raw.decode()
    except UnicodeDecodeError as error:
        return error.start if zero < 0 else min(zero, error.start)
    return zero if zero >= 0 else None


def chunks(text: bytes) -> Iterator[tuple[int, bytes]]:
    """``(line number of its first line, whole lines)``, each about ``CHUNK_BYTES`` long."""
    start, line = 0, 1
    while start < len(text):
        end = text.find(b"\n", start + CHUNK_BYTES)
        end = len(text) if end < 0 else end + 1
        chunk = text[start:end]
        yield line, chunk
        line += chunk.count(b"\n")
        start = end


def lines(text: bytes) -> Iterator[tuple[int, str]]:
    """``(number, line)`` of every line that is not blank."""
    for number, line in enumerate(text.decode().split("\n"), start=1):
        if line.strip():
            yield number, line.rstrip("\r")


COLOURS = re.compile(rb"\x1b\[[0-9;]*[mK]")
"""What ``grep --color=always`` and other tools put around words, for a terminal."""
OBJECT_START = re.compile(rb"^[ \t]*(?=\{)", re.M)


def json_span(text: bytes, start: int = 0, end: int | None = None) -> tuple[int, int] | None:
    """Where a JSON object stands between other lines of output.

    From a line that begins with ``{`` to the last line that has a ``}``; an object that was cut off
    in its only line reaches to the end. None where no line begins so.
    """
    end = len(text) if end is None else end
    found = OBJECT_START.search(text, start, end)
    if found is None:
        return None
    last = text.rfind(b"}", found.end(), end) + 1
    other = text.find(b"\n", last, end)
    return found.end(), other if last and other >= 0 else end


def line_of(text: bytes, offset: int) -> int:
    """Number of the line that holds a byte."""
    return text.count(b"\n", 0, offset) + 1


def near(text: bytes, offset: int) -> str:
    """The few characters up to an offset, for a message."""
    return cut(text[max(0, offset - 30) : offset].decode(errors="replace").strip())
