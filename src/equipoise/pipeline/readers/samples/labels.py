"""Labels that a Parquet file has in one column, as a map or a struct, made columns of their own."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from equipoise.pipeline.readers.samples.columns import CALLED, KNOWN

if TYPE_CHECKING:
    import pyarrow as pa

NAMES = ("labels", "metric", "tags")
"""What such a column is called."""
TOLD = tuple(sorted(KNOWN - {*CALLED["time"], *CALLED["value"]}))
"""Labels that count: the time and the value are the sample's, whatever label has such a name."""


def is_labels(field: pa.Field) -> bool:
    """Whether a column has labels."""
    import pyarrow as pa

    return field.name.lower() in NAMES and (pa.types.is_map(field.type) or pa.types.is_struct(field.type))


@dataclass(frozen=True)
class Labels:
    """The columns of a file that have labels."""

    fields: Sequence[pa.Field]

    @property
    def flat(self) -> list[pa.Field]:
        """The columns that they become: of a map every one that may be in it."""
        return [column for field in self.fields for column in columns_of(field)]

    @property
    def names(self) -> list[str]:
        return [field.name for field in self.flat]

    def spread(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        """A batch with its labels as columns; where a column of its own has the name, that goes first."""
        import pyarrow as pa
        import pyarrow.compute as pc

        if not self.fields:
            return batch
        own = {field.name for field in self.fields}
        found = {name: batch.column(name) for name in batch.schema.names if name not in own}
        lower = {name.lower(): name for name in found}
        for field in self.fields:
            for name, values in told(field, batch.column(field.name)):
                before = lower.get(name)
                if before is None:
                    found[name], lower[name] = values, name
                else:
                    first = found[before]
                    found[before] = pc.coalesce(first.cast(pa.string()), values.cast(pa.string()))
        return pa.RecordBatch.from_pydict(found)


def columns_of(field: pa.Field) -> Iterator[pa.Field]:
    """What the labels of one column may be."""
    import pyarrow as pa

    if pa.types.is_map(field.type):
        yield from (pa.field(name, field.type.item_type) for name in TOLD)
    else:
        yield from (part.with_name(part.name.lower()) for part in field.type if part.name.lower() in TOLD)


def told(field: pa.Field, array: pa.Array) -> Iterator[tuple[str, pa.Array]]:
    """The labels of one column that count, by name."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if pa.types.is_map(field.type):
        for name in TOLD:
            key = pa.scalar(name, field.type.key_type)
            yield name, pc.map_lookup(array, query_key=key, occurrence="first")
    else:
        for part, values in zip(field.type, array.flatten(), strict=True):
            if part.name.lower() in TOLD:
                yield part.name.lower(), values
