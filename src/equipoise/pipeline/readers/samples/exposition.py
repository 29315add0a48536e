"""Samples as exporters show them, in the text format of Prometheus and OpenMetrics."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from pathlib import PurePath
from typing import IO

from equipoise.errors import UnusableInput
from equipoise.formats.exposition import sample_in
from equipoise.pipeline.readers.samples.columns import NOT_UTF8, Piece, piece_of, standard
from equipoise.wording import cut

LINES = 50_000
"""At a time."""
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
    found = sample_in(line)
    if found is None:
        return {}, "the line is no sample"
    labels = {name: value for name, value in found.labels.items() if name not in ("time", "value")}
    told = labels | {"__name__": found.name, "value": found.value, "time": found.time or time}
    return standard(told), None if told["time"] else NO_TIME
