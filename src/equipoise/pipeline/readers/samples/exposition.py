"""Samples as exporters show them, in the text format of Prometheus and OpenMetrics."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from pathlib import PurePath
from typing import IO

from equipoise.errors import UnusableInput
from equipoise.pipeline.readers.samples.columns import NOT_UTF8, Piece, piece_of, standard
from equipoise.wording import cut

LINES = 50_000
"""At a time."""
SAMPLE = re.compile(r"([a-zA-Z_:][\w:]*)\s*(?:\{(.*)\})?\s+(\S+)(?:\s+(-?[0-9.eE+]+))?(?:\s+#.*)?\s*")
LABEL = re.compile(r'\s*([a-zA-Z_]\w*)\s*=\s*"((?:[^"\\]|\\.)*)"\s*(?:,|$)')
ESCAPES = {r"\\": "\\", r"\"": '"', r"\n": "\n"}
NO_TIME = "neither the line nor the name of the file tells a time"
NAMED_TIME = re.compile(r"\d{4}-\d\d-\d\d.*|\d{9,14}(?:\.\d+)?")


def read(stream: IO[bytes], name: str) -> Iterator[Piece]:
    """Its samples with their lines.

    A scrape has no times: the file is named after its own then, ``2026-01-01T00:00:00Z.prom``.
    """
    stem = PurePath(name.removesuffix(".gz")).stem
    time = stem if NAMED_TIME.fullmatch(stem) else None
    number, is_empty = 0, True
    while lines := list(islice(stream, LINES)):
        told, line, fault, text = [], [], [], []
        for content in lines:
            number += 1
            is_empty = False
            if (found := of_line(content, time)) is not None:
                row, reason = found
                told.append(row)
                line.append(number)
                fault.append(reason)
                text.append(None if reason is None else cut(content.decode(errors="replace")))
        if told:
            yield piece_of(told, line=line, fault=fault, text=text)
    if is_empty:
        raise UnusableInput("is empty")


def of_line(content: bytes, time: str | None) -> tuple[dict[str, str | None], str | None] | None:
    """A sample and why it is none; None for a line that has none."""
    try:
        line = content.decode().strip()
    except UnicodeDecodeError:
        return {}, NOT_UTF8
    if not line or line.startswith("#"):
        return None
    found = SAMPLE.fullmatch(line)
    labels = labels_of(found[2] or "") if found else None
    if found is None or labels is None:
        return {}, "the line is no sample"
    told = labels | {"__name__": found[1], "value": found[3], "time": found[4] or time}
    return standard(told), None if told["time"] else NO_TIME


def labels_of(text: str) -> dict[str, str | None] | None:
    """The labels of a sample; None where they cannot be read."""
    labels: dict[str, str | None] = {}
    at = 0
    while at < len(text.rstrip()):
        found = LABEL.match(text, at)
        if found is None:
            return None
        labels[found[1]] = re.sub(r"\\.", lambda e: ESCAPES.get(e[0], e[0]), found[2])
        at = found.end()
    return {name: value for name, value in labels.items() if name not in ("time", "value")}
