"""Samples in JSON: one to a line, or what the HTTP API of Prometheus answers."""

from __future__ import annotations

import json
import reprlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import IO, Any, TypeGuard

import orjson

from equipoise.errors import UnusableInput
from equipoise.pipeline.readers.samples.columns import NOT_UTF8, Piece, piece_of, standard, written
from equipoise.wording import cut

LINES = 50_000
"""At a time."""
HEAD = 4096
"""Bytes in which an answer shows what it is."""
NOT_JSON = "the line is no JSON object"
KINDS = {"vector": "value", "matrix": "values"}
"""Results that have samples, and where."""


def read(stream: IO[bytes]) -> Iterator[Piece]:
    """Its samples, with their lines where it has such."""
    number, first = 1, stream.readline()
    while first and not first.strip():
        number, first = number + 1, stream.readline()
    if not first:
        raise UnusableInput("is empty")
    if is_answer(first + (stream.peek(HEAD)[:HEAD] if hasattr(stream, "peek") else b"")):
        yield from of_answer(first + stream.read())
    else:
        yield from of_lines(number, first, stream)


def is_answer(head: bytes) -> bool:
    """Whether a text begins as Prometheus answers, in one line or in several."""
    found = head.lstrip(b"\xef\xbb\xbf \t\r\n")
    return found.startswith(b"{") and (b'"status"' in found[:200] or b'"resultType"' in found[:200])


def of_lines(number: int, first: bytes, stream: IO[bytes]) -> Iterator[Piece]:
    """An object a line, ``first`` the one of this number."""
    lines: list[bytes] = [first]
    while lines:
        told, line, fault, text = [], [], [], []
        for content in lines:
            if content.strip():
                row, reason = of_line(content)
                told.append(row)
                line.append(number)
                fault.append(reason)
                text.append(None if reason is None else cut(content.decode(errors="replace")))
            number += 1
        if told:
            yield piece_of(told, line=line, fault=fault, text=text)
        lines = list(islice(stream, LINES))


def of_line(content: bytes) -> tuple[dict[str, str | None], str | None]:
    """A sample, and why it is none."""
    try:
        told = orjson.loads(content.strip().removeprefix(b"\xef\xbb\xbf"))
    except orjson.JSONDecodeError:
        try:
            content.decode()
        except UnicodeDecodeError:
            return {}, NOT_UTF8
        return {}, NOT_JSON
    return (standard(told), None) if isinstance(told, dict) else ({}, NOT_JSON)


def of_answer(content: bytes) -> Iterator[Piece]:
    """The samples of an instant vector or of a range matrix; their ``row`` is that of the series in it."""
    try:
        answer = json.loads(content)
    except ValueError as error:
        raise UnusableInput(f"the answer of Prometheus is broken JSON: {cut(str(error))}") from None
    except RecursionError:
        raise UnusableInput("the answer of Prometheus is nested too deeply") from None
    if answer.get("status") == "error":
        raise UnusableInput(f"Prometheus answered with an error: {cut(str(answer.get('error', '')))}")
    data = answer.get("data")
    kind = data.get("resultType") if isinstance(data, dict) else None
    if not isinstance(kind, str) or kind not in KINDS or not isinstance(data.get("result"), list):
        raise UnusableInput(f"an answer of Prometheus without a vector or a matrix ({cut(str(kind))})")
    waiting: list[Series] = []
    n = 0
    for number, told in enumerate(data["result"], start=1):
        waiting.append(Series.of(number, told, kind))
        n += len(waiting[-1].rows)
        if n >= LINES:
            yield from together(waiting)
            waiting, n = [], 0
    yield from together(waiting)


@dataclass(frozen=True)
class Series:
    """One series of an answer."""

    number: int
    told: Any
    rows: list[dict[str, str | None]]
    """Its samples; one without anything where there is a fault."""
    fault: str | None = None

    @classmethod
    def of(cls, number: int, told: Any, kind: str) -> Series:
        found = told.get(KINDS[kind]) if isinstance(told, dict) else None
        labels = told.get("metric") if isinstance(told, dict) else None
        samples = [found] if kind == "vector" else [] if found is None else found
        if not isinstance(labels, dict) or not is_samples(samples):
            return cls(number, told, [{}], "the series cannot be read")
        named = standard({name: labels[name] for name in labels if name.lower() not in ("time", "value")})
        rows = [
            named | {"time": written(time) or named["time"], "value": written(value)}
            for time, value in samples
        ]
        return cls(number, told, rows)


def together(some: Sequence[Series]) -> Iterator[Piece]:
    """Series as one piece: a piece has the same cost beside its samples, however few those are."""
    rows = [(row, one) for one in some for row in one.rows]
    if not rows:
        return
    try:
        yield piece_of(
            [row for row, _ in rows],
            row=[one.number for _, one in rows],
            fault=[one.fault for _, one in rows],
            text=[None if one.fault is None else cut(reprlib.repr(one.told)) for _, one in rows],
        )
    except UnicodeEncodeError:  # JSON can tell halves of characters
        half = len(some) // 2
        parts = (some[:half], some[half:]) if half else ([replace(some[0], rows=[{}], fault=NOT_UTF8)],)
        for part in parts:
            yield from together(part)


def is_samples(found: Any) -> TypeGuard[list[Any]]:
    """Whether it is a list of times and values."""
    return isinstance(found, list) and all(isinstance(s, list) and len(s) == 2 for s in found)
