"""JSON as columns, by a shape that says what is expected.

Small text goes through orjson; large text through Arrow's JSON reader, which makes columns without making
objects. Where Arrow refuses anything, the object reader takes over: it finds the place of the fault, and can
leave bad entries out.
"""

from __future__ import annotations

from typing import Any

import orjson

from equipoise.formats.faults import Faults
from equipoise.formats.object_rows import ObjectRows
from equipoise.formats.shapes import JsonRows, Shape, as_text
from equipoise.formats.text import first_junk, json_span, line_of, near
from equipoise.wording import cut

ARROW_FROM_BYTES = 4_000_000
"""Loading Arrow takes 0.2 s; from this size on it is won back."""
ARROW_UP_TO_BYTES = (1 << 31) - 1024
"""Arrow reads a JSON object as one block, and counts its bytes in 32 bits."""


def read_json(text: bytes, shape: Shape, faults: Faults, span: tuple[int, int] | None = None) -> JsonRows:
    """The one object in ``text[span]`` as a single row; raises ``FormatError`` where it is not JSON."""
    start, end = span or (0, len(text))
    if ARROW_FROM_BYTES <= end - start < ARROW_UP_TO_BYTES:
        from equipoise.formats.arrow_rows import arrow_rows

        found = arrow_rows(memoryview(text)[start:end], shape)
        if found is not None:
            return found
    document = load_json(text, faults, (start, end))
    return ObjectRows.checked([document], shape, faults, [""])


def load_json(text: bytes, faults: Faults, span: tuple[int, int] | None = None) -> Any:
    """The JSON value in ``text[span]`` as Python objects."""
    start, end = span or (0, len(text))
    try:
        return orjson.loads(memoryview(text)[start:end])
    except orjson.JSONDecodeError as error:
        junk = first_junk(text[start:end])
        if junk is not None:  # a file that `readable` has not seen
            reason = f"this is binary data, not text: byte 0x{text[start + junk]:02x}"
            raise faults.fatal(reason, place=f"byte {start + junk}") from None
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
