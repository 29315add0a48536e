"""Samples in JSON: one to a line, or what the HTTP API of Prometheus answers."""

from __future__ import annotations

import json
import reprlib
from collections.abc import Iterator
from itertools import islice
from typing import IO, Any, TypeGuard

import orjson

from equipoise.errors import UnusableInput
from equipoise.pipeline.readers.samples.columns import NOT_UTF8, Piece, piece_of, standard
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
    for number, series in enumerate(data["result"], start=1):
        yield from of_series(number, series, kind)


def of_series(number: int, series: Any, kind: str) -> Iterator[Piece]:
    """The samples of one series of an answer."""
    found = series.get(KINDS[kind]) if isinstance(series, dict) else None
    labels = series.get("metric") if isinstance(series, dict) else None
    samples = [found] if kind == "vector" else [] if found is None else found
    fault = "the series cannot be read"
    if isinstance(labels, dict) and is_samples(samples):
        named = {name: value for name, value in labels.items() if name not in ("time", "value")}
        rows = [standard(named | {"time": time, "value": value}) for time, value in samples]
        try:
            piece = piece_of(rows, row=[number] * len(rows))
        except UnicodeEncodeError:  # JSON can tell halves of characters
            fault = NOT_UTF8
        else:
            if rows:
                yield piece
            return
    yield piece_of([{}], row=[number], fault=[fault], text=[cut(reprlib.repr(series))])


def is_samples(found: Any) -> TypeGuard[list[Any]]:
    """Whether it is a list of times and values."""
    return isinstance(found, list) and all(isinstance(s, list) and len(s) == 2 for s in found)
