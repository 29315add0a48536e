"""Samples as columns of text, whatever the file calls them."""

from __future__ import annotations

import reprlib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from equipoise.errors import UnusableInput
from equipoise.pipeline.schemas.metrics import INFOS, NAMED

if TYPE_CHECKING:
    import pyarrow as pa

NEEDED = ("time", "metric", "value")
CALLED = {
    "time": ("time", "timestamp", "ts"),
    "metric": ("metric", "__name__"),
    "value": ("value",),
    "topic": ("topic", "topic_name"),
    "partition": ("partition", "partition_id"),
    "broker": ("broker", "broker_id", "node_id"),
    "address": ("strimzi_io_pod_name", "kubernetes_pod_name", "pod", "address", "host", "instance"),
}
"""What each column may be called, the name that goes before the others first."""
COLUMNS = tuple(CALLED)
EXTRA = ("id", "name")
"""``id`` is the broker of a metric that tells its address, ``name`` a part of a metric's own name."""
KNOWN = frozenset(name for names in CALLED.values() for name in names) | set(EXTRA)
NOT_UTF8 = "the text is not UTF-8"


@dataclass
class Piece:
    """Some samples of a file; columns have the same length, and those that are not there are null."""

    columns: dict[str, pa.Array]
    """By the names in `COLUMNS`: text, or numbers and times where the file has such."""
    line: Sequence[int] | None = None
    row: Sequence[int] | None = None
    fault: Sequence[str | None] | None = None
    text: Sequence[str | None] | None = field(default=None)
    """What was told, of samples with a fault."""

    @property
    def n(self) -> int:
        """How many samples it has."""
        given: list[Any] = [*self.columns.values(), self.line, self.row, self.fault]
        return next(len(values) for values in given if values is not None)


def chosen(columns: Mapping[str, pa.Array]) -> dict[str, pa.Array]:
    """The columns of a file by our names: of several of one kind the first that is filled counts."""
    import pyarrow as pa
    import pyarrow.compute as pc

    filled = {name: without_empty(array) for name, array in columns.items()}
    found = {}
    for ours, names in CALLED.items():
        there = [filled[name] for name in names if name in filled]
        if there:
            found[ours] = there[0] if len(there) == 1 else pc.coalesce(*map(as_text, there))
    if not {"id", "name"} & filled.keys():
        return found
    found["metric"] = as_text(found["metric"])
    small = pc.utf8_lower(found["metric"])
    if "id" in filled:
        is_info = pc.is_in(small, pa.array(INFOS))
        of_info = pc.if_else(is_info, as_text(filled["id"]), pa.scalar(None, pa.string()))
        found["broker"] = pc.coalesce(as_text(found["broker"]), of_info) if "broker" in found else of_info
    if "name" in filled:
        whole = pc.binary_join_element_wise(found["metric"], '{name="', as_text(filled["name"]), '"}', "")
        found["metric"] = pc.if_else(pc.is_in(small, pa.array(NAMED)), pc.coalesce(whole, found["metric"]),
                                     found["metric"])  # fmt: skip
    return found


def without_empty(array: pa.Array) -> pa.Array:
    """Null for an empty text."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if pa.types.is_dictionary(array.type):
        return pa.DictionaryArray.from_arrays(array.indices, without_empty(array.dictionary))
    if not pa.types.is_string(array.type):
        return array
    empty = pc.equal(array, "")
    return pc.if_else(empty, pa.scalar(None, pa.string()), array) if pc.any(empty).as_py() else array


def as_text(array: pa.Array) -> pa.Array:
    import pyarrow as pa

    return array if pa.types.is_string(array.type) else array.cast(pa.string())


def is_number(kind: pa.DataType) -> bool:
    import pyarrow as pa

    return bool(pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind))


def standard(told: Mapping[str, Any]) -> dict[str, str | None]:
    """One sample that is told as names and values, by our names."""
    named = {str(name).lower(): written(value) for name, value in told.items()}
    found = {
        ours: next((named[name] for name in names if named.get(name)), None)
        for ours, names in CALLED.items()
    }
    metric = (found["metric"] or "").lower()
    if metric in INFOS:
        found["broker"] = found["broker"] or named.get("id")
    if metric in NAMED and named.get("name"):
        found["metric"] = f'{found["metric"]}{{name="{named["name"]}"}}'
    return found


def written(value: Any) -> str | None:
    """A value as text; null where nothing is told."""
    if isinstance(value, list | dict):
        return reprlib.repr(value)  # it may be nested deeper than Python can write
    return None if value is None else value if isinstance(value, str) else repr(value)


def piece_of(rows: Sequence[Mapping[str, str | None]], **where: Any) -> Piece:
    """Samples told one by one as columns."""
    import pyarrow as pa

    return Piece({c: pa.array([row.get(c) for row in rows], pa.string()) for c in COLUMNS}, **where)


def complete(columns: Sequence[str], within: Collection[str] = ()) -> None:
    """Raises :class:`UnusableInput` where a needed column is missing, or a known one is there twice.

    What stands ``within`` labels is there too.
    """
    missing = [c for c in NEEDED if not any(name in columns or name in within for name in CALLED[c])]
    if missing:
        raise UnusableInput(f"has no column {', '.join(missing)}")
    twice = [column for column in columns if column in KNOWN and list(columns).count(column) > 1]
    if twice:
        raise UnusableInput(f"has the column {twice[0]} more than once")
