"""NumPy columns as Arrow columns: what is unknown becomes null."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    import pyarrow as pa


BATCH = 50_000
"""Rows that pass to Spark at a time."""


def known(values: npt.NDArray[np.float64]) -> pa.Array:
    """Figures with null where they are NaN."""
    import pyarrow as pa

    return pa.array(values, pa.float64(), from_pandas=True)


def whole_numbers(values: npt.NDArray[np.float64]) -> pa.Array:
    """Whole numbers, int64, with null where they are NaN."""
    import pyarrow as pa

    return pa.array(np.nan_to_num(values).round().astype(np.int64), mask=np.isnan(values))


def told(values: npt.NDArray[np.int32]) -> pa.Array:
    """Ids or small numbers, int32, with null where they are -1."""
    import pyarrow as pa

    return pa.array(values.astype(np.int32), mask=values < 0)


def named(names: Sequence[str], index: npt.NDArray[np.int32]) -> pa.Array:
    """The name of each row from its position in ``names``."""
    import pyarrow as pa

    return pa.array(names, pa.string()).take(pa.array(index))


def lists(ids: npt.NDArray[np.int32], are_told: npt.NDArray[np.bool_] | None = None) -> pa.Array:
    """``(n, width)`` ids, -1 beyond the end, as lists without their padding; null where they are not told."""
    import pyarrow as pa

    held = ids >= 0
    ends = np.concatenate([[0], held.sum(axis=1).cumsum()]).astype(np.int32)
    mask = None if are_told is None else pa.array(~are_told)
    return pa.ListArray.from_arrays(pa.array(ends), pa.array(ids[held].astype(np.int32)), mask=mask)


def union_batches(
    cluster: str, kind: str, columns: Mapping[str, pa.Array], schema: pa.Schema
) -> list[pa.RecordBatch]:
    """The rows of one kind as rows of the union ``schema``: a struct in the column of that kind.

    Columns of the kind that are not given are null. No batch at all where there is no row.
    """
    import pyarrow as pa

    struct = schema.field(kind).type
    n = len(next(iter(columns.values())))
    fields = [
        columns[field.name].cast(field.type) if field.name in columns else pa.nulls(n, field.type)
        for field in struct
    ]
    rows = pa.StructArray.from_arrays(fields, fields=list(struct))
    table = pa.table(
        [
            pa.repeat(pa.scalar(cluster), n)
            if field.name == "cluster"
            else rows
            if field.name == kind
            else pa.nulls(n, field.type)
            for field in schema
        ],
        schema=schema,
    )
    # Spark takes an empty batch for the end of all of them
    return [batch for batch in table.to_batches(max_chunksize=BATCH) if batch.num_rows]
