"""JSON as columns, by a shape that says what is expected.

A shape looks like the JSON it describes::

    {"partitions": [{"topic": str, "partition": Id, "replicas": [Id], "log_dirs?": [str]}]}

A question mark makes a key optional. Small text goes through orjson; large text through Arrow's
JSON reader, which makes columns without making objects. Where Arrow refuses anything, the object
reader takes over: it finds the place of the fault, and can leave bad entries out.
"""

from __future__ import annotations

from typing import Any, Protocol, TypeAlias

import numpy as np
import numpy.typing as npt
import orjson

from equipoise.formats.faults import Faults, cut
from equipoise.formats.text import json_span, line_of, near

ARROW_FROM_BYTES = 4_000_000
"""Loading Arrow takes 0.2 s; from this size on it is won back."""
ARROW_UP_TO_BYTES = (1 << 31) - 1024
"""Arrow reads a JSON object as one block, and counts its bytes in 32 bits."""
BIGGEST_ID = (1 << 31) - 1

Shape: TypeAlias = dict[str, Any]


class Id(int):
    """In a shape: a whole number from 0 to 2**31 - 1 (broker ids and partition numbers)."""


class JsonRows(Protocol):
    """Objects of one kind, wherever they hang; columns have one value for each."""

    parent: npt.NDArray[np.int64]
    """For each row the row that it hangs under."""

    def __len__(self) -> int: ...

    def rows(self, key: str) -> JsonRows:
        """The objects in the lists under ``key``, of all rows together."""

    def child(self, key: str) -> JsonRows:
        """The object that stands under ``key`` in each row."""

    def strings(self, key: str) -> tuple[list[str], npt.NDArray[np.int32]]:
        """Distinct strings in order of appearance, and for each row its position (-1: none)."""

    def numbers(self, key: str, missing: float = -1) -> npt.NDArray[Any]:
        """One number a row, int64 or float64 as the shape says."""

    def flags(self, key: str) -> npt.NDArray[np.bool_]:
        """One truth value a row, False where there is none."""

    def id_lists(self, key: str) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int64]]:
        """All ids of all rows one after the other, and how many each row has."""

    def string_lists(self, key: str) -> tuple[list[str], npt.NDArray[np.int32], npt.NDArray[np.int64]]:
        """Distinct strings, positions of all rows one after the other, and how many each row has."""

    def where(self, row: int) -> str:
        """Place of a row, ``partitions[3]``."""


def read_json(text: bytes, shape: Shape, faults: Faults, span: tuple[int, int] | None = None) -> JsonRows:
    """The one object in ``text[span]`` as a single row; raises ``FormatError`` where it is not JSON."""
    start, end = span or (0, len(text))
    if ARROW_FROM_BYTES <= end - start < ARROW_UP_TO_BYTES:
        from equipoise.formats.arrow_rows import arrow_rows

        found = arrow_rows(memoryview(text)[start:end], shape)
        if found is not None:
            return found
    from equipoise.formats.object_rows import ObjectRows

    document = load_json(text, faults, (start, end))
    return ObjectRows.checked([document], shape, faults, [""])


def load_json(text: bytes, faults: Faults, span: tuple[int, int] | None = None) -> Any:
    """The JSON value in ``text[span]`` as Python objects."""
    start, end = span or (0, len(text))
    try:
        return orjson.loads(memoryview(text)[start:end])
    except orjson.JSONDecodeError as error:
        at = start + len(text[start:end].decode()[: error.pos].encode())
        complete = "Is the file complete?" if at >= end - 1 else "Mend or remove what stands there"
        reason = f"this is not JSON: {error.msg.split(':')[0]} after {near(text, at)}"
        column = at - text.rfind(b"\n", 0, at)
        place = f"line {line_of(text, at)} column {column}"
        raise faults.fatal(reason, place=place, advice=complete) from None


def load_object(text: bytes, faults: Faults) -> dict[str, Any]:
    """The one JSON object that stands in a text."""
    document = load_json(text, faults, json_span(text))
    if not isinstance(document, dict):
        raise faults.fatal(f"{cut(as_text(document))} is not a JSON object")
    return document


def as_text(value: Any) -> str:
    """A value as JSON text."""
    try:
        return orjson.dumps(value, option=orjson.OPT_NON_STR_KEYS).decode()
    except (TypeError, orjson.JSONEncodeError):
        return repr(value)
