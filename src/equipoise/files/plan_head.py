"""Everything of a ``plan.json`` but its moves, of which there may be a million."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import orjson

from equipoise.files.digests import opened
from equipoise.files.dir_plan import SHAPE as DIRS
from equipoise.formats.faults import Faults
from equipoise.formats.json_rows import load_json
from equipoise.formats.object_rows import ObjectRows
from equipoise.formats.shapes import Id

MOVES = b',\n"moves": ['
"""Where the head of a file ends that this package wrote."""
LEVEL = {
    "goal": str, "value?": float, "lower_bound?": float, "proof": str, "note?": str, "anywhere?": float,
}  # fmt: skip
"""Without a value, or with null, where that is not known."""
HEAD = {
    "version": int,
    "strategy": str,
    "source": {"fingerprint": str},
    "certificate": [LEVEL],
    "request": {},
    "warnings": [str],
    "offers?": [str],
    "brokers": [{"id": Id, "eligible": bool}],
    "log_dirs?": DIRS,
}


def head_of(data: bytes, source: str) -> dict[str, Any]:
    """The keys before the moves; raises :class:`UnusableInput` with the place of one of another kind."""
    faults = Faults(source)
    try:
        head = orjson.loads(data[: data.find(MOVES)] + b"}")
    except orjson.JSONDecodeError:  # written by somebody else, in another order or on one line
        head = load_json(data, faults)
    rows = ObjectRows.checked([head], HEAD, faults, [""])
    rows.rows("certificate")
    rows.rows("brokers")
    rows.child("log_dirs").rows("certificate")
    return dict(head)


def read_head(folder: Path) -> dict[str, Any]:
    """The same of a plan directory, without reading its moves; an empty one where that cannot be read."""
    lines = []
    try:
        with opened(folder / "plan.json") as file:
            for line in file:
                if line.startswith(b'"moves"'):
                    break
                lines.append(line)
        head = orjson.loads(b"".join(lines).rstrip().removesuffix(b",") + b"}")
    except (OSError, orjson.JSONDecodeError):
        return {}
    return head if isinstance(head, dict) else {}
