"""Large JSON as columns through Arrow, by the same shapes as small JSON."""

from __future__ import annotations

from collections.abc import Callable
from string import digits
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.json as pj

from equipoise.formats.shapes import BIGGEST_ID, MOST_DIGITS, Id, Partitions, Shape

# The pool that gives what is no longer used to whatever asks next, arrays of NumPy as well.
pa.set_memory_pool(pa.system_memory_pool())

SCALARS = {str: pa.string(), bool: pa.bool_(), int: pa.int64(), Id: pa.int64(), float: pa.float64()}


class Unlike(Exception):
    """The JSON is not like its shape; the object reader will say where."""


def arrow_rows(text: memoryview, shape: Shape) -> ArrowRows | None:
    """The object in ``text`` as one row, or None where Arrow cannot read it or it is unlike the shape."""
    try:
        table = pj.read_json(
            pa.BufferReader(pa.py_buffer(text)),
            read_options=pj.ReadOptions(block_size=len(text) + 1, use_threads=False),
            parse_options=pj.ParseOptions(
                explicit_schema=pa.schema(list(struct_of(shape))),
                newlines_in_values=True,
                unexpected_field_behavior="ignore",
            ),
        )
        if table.num_rows != 1:
            return None
        root = table.combine_chunks().to_struct_array()
        root = root.combine_chunks() if isinstance(root, pa.ChunkedArray) else root
        check(root, shape)
    except (pa.ArrowException, Unlike):
        return None
    return ArrowRows(root, shape, np.zeros(1, dtype=np.int64), lambda row: "")


def struct_of(shape: Shape) -> pa.StructType:
    """The Arrow type of a shape."""
    return pa.struct([pa.field(key.rstrip("?"), type_of(kind)) for key, kind in shape.items()])


def type_of(kind: Any) -> pa.DataType:
    if isinstance(kind, list):
        return pa.list_(type_of(kind[0]))
    return struct_of(kind) if isinstance(kind, dict) else SCALARS[kind]


def check(rows: pa.StructArray, shape: Shape) -> None:
    """Raise :class:`Unlike` for a required value that is missing or an id that is out of range."""
    if rows.null_count:
        raise Unlike
    for name, kind in shape.items():
        column = rows.field(name.rstrip("?"))
        if column.null_count and not name.endswith("?"):
            raise Unlike
        check_values(column, kind)


def check_values(column: pa.Array, kind: Any) -> None:
    if isinstance(kind, list):
        below = column.flatten()
        if below.null_count:
            raise Unlike
        check_values(below, kind[0])
    elif isinstance(kind, dict):
        check(column.drop_null(), kind)
    elif kind is Id and len(column) > column.null_count:
        ids = as_numpy(column.drop_null())
        if ids.min() < 0 or ids.max() > BIGGEST_ID:
            raise Unlike


class ArrowRows:
    """Rows as an Arrow struct array that agrees with its shape."""

    def __init__(
        self,
        rows: pa.StructArray,
        shape: Shape,
        parent: npt.NDArray[np.int64],
        where: Callable[[int], str],
    ) -> None:
        self.array, self.parent, self.where = rows, parent, where
        self.shape = {key.rstrip("?"): kind for key, kind in shape.items()}

    def __len__(self) -> int:
        return len(self.array)

    def rows(self, key: str) -> ArrowRows:
        lists = self.array.field(key)
        lengths = lengths_of(lists)
        parent = np.repeat(np.arange(len(lists)), lengths)
        first = np.cumsum(lengths) - lengths

        def where(row: int) -> str:
            above = self.where(int(parent[row]))
            return f"{above}{'.' if above else ''}{key}[{row - first[parent[row]]}]"

        return ArrowRows(lists.flatten(), self.shape[key][0], parent, where)

    def child(self, key: str) -> ArrowRows:
        below = self.array.field(key)
        return ArrowRows(
            below, self.shape[key], np.arange(len(below)), lambda row: f"{self.where(row)}.{key}".lstrip(".")
        )

    def strings(self, key: str) -> tuple[list[str], npt.NDArray[np.int32]]:
        return encoded(self.array.field(key))

    def partitions(self, key: str) -> Partitions:
        labels = self.array.field(key)
        # A topic may hold dashes, so the last one counts: what is before the digits at the end.
        heads = pc.ascii_rtrim(labels, characters=digits)
        length = filled(pc.binary_length(heads), 0)
        n_digits = filled(pc.binary_length(labels), 0) - length
        named = flags_of(pc.ends_with(heads, "-")) & (length > 1)
        named &= (n_digits > 0) & (n_digits <= MOST_DIGITS)
        topic, number = (np.full(len(labels), -1, dtype=np.int32) for _ in range(2))
        mask = as_arrow(named)
        topics, topic[named] = encoded(heads.filter(mask))
        halves = pc.split_pattern(labels.filter(mask), "-", max_splits=1, reverse=True)
        number[named] = as_numpy(pc.list_slice(halves, 1, 2).flatten().cast(pa.int32()))
        return Partitions([name[:-1] for name in topics], topic, number)

    def numbers(self, key: str, missing: float = -1) -> npt.NDArray[Any]:
        return filled(self.array.field(key), missing if self.shape[key] is float else int(missing))

    def flags(self, key: str) -> npt.NDArray[np.bool_]:
        return flags_of(self.array.field(key))

    def id_lists(self, key: str) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int64]]:
        lists = self.array.field(key)
        return as_numpy(lists.flatten()).astype(np.int32), lengths_of(lists)

    def string_lists(self, key: str) -> tuple[list[str], npt.NDArray[np.int32], npt.NDArray[np.int64]]:
        lists = self.array.field(key)
        return *encoded(lists.flatten()), lengths_of(lists)


def as_numpy(column: pa.Array) -> npt.NDArray[Any]:
    """The numbers of a column without nulls, a view of Arrow's memory.

    By DLPack: `to_numpy` imports pandas, and so does `fill_null`, which takes longer than most values do.
    """
    values: npt.NDArray[Any] = np.from_dlpack(column)
    return values


def filled(column: pa.Array, missing: float) -> npt.NDArray[Any]:
    """The numbers of a column, ``missing`` where it has nulls."""
    values = as_numpy(column.drop_null())
    if not column.null_count:
        return values
    result = np.full(len(column), missing, dtype=values.dtype)
    result[flags_of(column.is_valid())] = values
    return result


def flags_of(column: pa.BooleanArray) -> npt.NDArray[np.bool_]:
    """The truth values of a column, False where it has nulls."""
    return filled(column.cast(pa.uint8()), 0).astype(np.bool_)


def as_arrow(flags: npt.NDArray[np.bool_]) -> pa.BooleanArray:
    """Truth values as a column: `pa.array` and values beside columns import pandas, too."""
    bits = pa.py_buffer(np.packbits(flags, bitorder="little"))
    return pa.Array.from_buffers(pa.bool_(), len(flags), [None, bits])


def lengths_of(lists: pa.ListArray) -> npt.NDArray[np.int64]:
    """``(n_lists,)``; one that is not there was read as an empty one."""
    starts = as_numpy(lists.offsets).astype(np.int64)
    return starts[1:] - starts[:-1]


def encoded(strings: pa.StringArray) -> tuple[list[str], npt.NDArray[np.int32]]:
    """Distinct strings in order of appearance, and positions with -1 for none."""
    coded = strings.dictionary_encode()
    return coded.dictionary.to_pylist(), filled(coded.indices, -1).astype(np.int32)
