"""Samples in the text format of Prometheus and OpenMetrics, as exporters show them."""

from __future__ import annotations

import re
from dataclasses import dataclass

SAMPLE = re.compile(r"([a-zA-Z_:][\w:]*)\s*(?:\{(.*)\})?\s+(\S+)(?:\s+(-?[0-9.eE+]+))?(?:\s+#.*)?\s*")
LABEL = re.compile(r'\s*([a-zA-Z_]\w*)\s*=\s*"((?:[^"\\]|\\.)*)"\s*(?:,|$)')
ESCAPES = {r"\\": "\\", r"\"": '"', r"\n": "\n"}


@dataclass(frozen=True)
class Sample:
    """One line, as it was written."""

    name: str
    labels: dict[str, str]
    value: str
    time: str | None
    """None where the line tells none."""


def sample_in(line: str) -> Sample | None:
    """The sample of a line that is neither empty nor a comment; None where it is none."""
    found = SAMPLE.fullmatch(line)
    labels = labels_of(found[2] or "") if found else None
    return Sample(found[1], labels, found[3], found[4]) if found and labels is not None else None


def labels_of(text: str) -> dict[str, str] | None:
    """What stands between the braces; None where it cannot be read."""
    labels: dict[str, str] = {}
    at = 0
    while at < len(text.rstrip()):
        found = LABEL.match(text, at)
        if found is None:
            return None
        labels[found[1]] = re.sub(r"\\.", lambda e: ESCAPES.get(e[0], e[0]), found[2])
        at = found.end()
    return labels
