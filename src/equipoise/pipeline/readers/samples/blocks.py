"""Samples that can be used, many in one value: so they pass from step to step without a row for each."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, Self, TypeVar

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    import pyarrow as pa

Codes = npt.NDArray[np.int32]
SLOT_BYTES = 4 << 20
"""Bytes of files whose samples are worked on together: a million of them and more in Parquet."""
MOST_SLOTS = 1 << 12
TEXTS = {"topic": "topics", "told_as": "names", "named_by": "addresses"}
"""Columns of text, and where their names are."""

Of = TypeVar("Of", bound="Samples")


class Names:
    """Texts and the number that each gets, in the order in which they come."""

    def __init__(self) -> None:
        self.values: list[str] = []
        self.number: dict[str, int] = {}

    def codes(self, values: Sequence[str], codes: Codes) -> Codes:
        """Numbers of texts that are told as ``codes`` into ``values``, -1 for nothing."""
        number = self.number
        for value in values:
            if value not in number:
                number[value] = len(self.values)
                self.values.append(value)
        ours = np.fromiter((number[value] for value in values), np.int32, len(values))
        return np.append(ours, np.int32(-1))[codes]


@dataclass(frozen=True, eq=False)
class Samples:
    """Samples, arrays ``(n,)``; texts are codes into lists of names, and -1 stands for nothing."""

    topics: list[str]
    names: list[str]
    """Of metrics, as files tell them."""
    addresses: list[str]
    topic: Codes
    partition: Codes
    broker: Codes
    told_as: Codes
    named_by: Codes
    """How the broker is named, where its id is not told."""
    time: npt.NDArray[np.int64]
    """Microseconds since 1970."""
    value: npt.NDArray[np.float64]

    def __len__(self) -> int:
        return len(self.time)

    def take(self, rows: npt.NDArray[np.intp] | npt.NDArray[np.bool_] | slice) -> Self:
        """Some of them; the lists of names stay."""
        taken: dict[str, Any] = {
            name: values if isinstance(values, list) else values[rows]
            for name, values in self.columns.items()
        }
        return type(self)(**taken)

    @property
    def columns(self) -> dict[str, Any]:
        return {field.name: getattr(self, field.name) for field in fields(self)}


@dataclass(frozen=True, eq=False)
class Rated(Samples):
    """Samples with rates in place of counters; those of a series stand together, in the order of time."""

    micros: npt.NDArray[np.int64]
    """The microseconds that each stands for; -1 for the only sample of a gauge."""


def joined(parts: Sequence[Samples]) -> Samples:
    """Samples one after the other; the last part has the lists of names of all."""
    if len(parts) == 1:
        return parts[0]
    last = parts[-1].columns
    columns: dict[str, Any] = {
        name: values if isinstance(values, list) else np.concatenate([part.columns[name] for part in parts])
        for name, values in last.items()
    }
    return Samples(**columns)


def slots_of(n_bytes: int) -> int:
    """Into how many slots the samples of a cluster are divided, by the bytes of their files."""
    return min(MOST_SLOTS, max(1, -(-n_bytes // SLOT_BYTES)))


def slot(samples: Samples, slots: int) -> npt.NDArray[np.int16]:
    """The slot of each sample, ``(n,)``: those of one partition are in one, so those of one series are."""
    by_topic = np.array([*(zlib.crc32(topic.encode()) for topic in samples.topics), 0], dtype=np.int64)
    mixed = (by_topic[samples.topic] + samples.partition.astype(np.int64) * 0x9E3779B1) & 0xFFFFFFFF
    return ((mixed ^ (mixed >> 15)) % slots).astype(np.int16)


def divided(samples: Samples, slots: int) -> Iterator[tuple[int, bytes]]:
    """Each slot that has samples, and these as one value."""
    if slots == 1:
        yield 0, packed(samples)
        return
    of = slot(samples, slots)
    order = np.argsort(of, kind="stable")
    ends = np.bincount(of, minlength=slots).cumsum()
    for k in range(slots):
        rows = order[ends[k - 1] if k else 0 : ends[k]]
        if len(rows):
            yield k, packed(samples.take(rows))


def packed(samples: Samples) -> bytes:
    """As one value (a stream of Arrow), with the names alone that are needed."""
    import pyarrow as pa

    arrays = {
        name: named(values, getattr(samples, TEXTS[name])) if name in TEXTS else pa.array(values)
        for name, values in samples.columns.items()
        if not isinstance(values, list)
    }
    batch = pa.RecordBatch.from_pydict(arrays)
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, batch.schema) as writer:
        writer.write_batch(batch)
    return bytes(sink.getvalue().to_pybytes())


def named(codes: Codes, names: list[str]) -> pa.DictionaryArray:
    """Text from codes, -1 for null."""
    import pyarrow as pa

    used = np.zeros(len(names) + 1, dtype=bool)
    used[codes] = True
    kept = np.flatnonzero(used[:-1])
    number = np.zeros(len(names) + 1, dtype=np.int32)
    number[kept] = np.arange(len(kept), dtype=np.int32)
    indices = pa.array(number[codes], mask=codes < 0 if used[-1] else None)
    return pa.DictionaryArray.from_arrays(indices, pa.array([names[k] for k in kept], pa.string()))


def unpacked(kind: type[Of], blocks: Iterable[bytes]) -> Of:
    """What several values hold, one after the other."""
    import pyarrow as pa

    names = {column: Names() for column in TEXTS}
    columns: dict[str, list[Any]] = {field.name: [] for field in fields(kind)}
    for block in blocks:
        batch = pa.ipc.open_stream(block).read_next_batch()
        for name, array in zip(batch.schema.names, batch.columns, strict=True):
            if name in TEXTS:
                codes = array.indices.fill_null(-1).to_numpy()
                columns[name].append(names[name].codes(array.dictionary.to_pylist(), codes))
            else:
                columns[name].append(array.to_numpy())
    lists = {TEXTS[column]: found.values for column, found in names.items()}
    whole: dict[str, Any] = {
        name: lists[name] if name in lists else np.concatenate(arrays) for name, arrays in columns.items()
    }
    return kind(**whole)
