"""Samples that can be used, many in one value: so they pass from step to step without a row for each."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    import pyarrow as pa

Codes = npt.NDArray[np.int32]
Whole = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]
Rows = npt.NDArray[np.intp] | Mask | slice

SLOT_BYTES = 4 << 20
"""Bytes of files whose samples are worked on together: a million of them and more in Parquet."""
MOST_SLOTS = 1 << 12
NARROW = 1 << 20
WIDE = 1 << 30


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
class Series:
    """Who tells what of whom, arrays ``(m,)``; texts are codes into lists of names, -1 stands for nothing."""

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

    def __len__(self) -> int:
        return len(self.topic)

    def take(self, rows: Rows) -> Series:
        """Some of them; the lists of names stay."""
        return replace(self, **{name: getattr(self, name)[rows] for name in CODES})

    def numbers(self) -> Whole:
        """A number from 0 on for each, ``(m,)``, the same for those that are the same."""
        key = self.topic.astype(np.int64) + 1
        for name in CODES[1:]:
            column = getattr(self, name)
            width = int(column.max(initial=0)) + 2
            if width < NARROW:
                key = key * width + (column + 1)
            else:  # ids may be anything: so many as there are
                each, number = np.unique(column, return_inverse=True)
                width = len(each)
                key = key * width + number
            if int(key.max(initial=0)) > WIDE:
                key = encoded(key)
        return encoded(key)


CODES = ("topic", "partition", "broker", "told_as", "named_by")
TEXTS = {"topic": "topics", "told_as": "names", "named_by": "addresses"}
"""Columns of text, and where their names are."""


@dataclass(frozen=True, eq=False)
class Samples:
    """Samples, arrays ``(n,)``."""

    of: Series
    series: Whole
    """The number of its series in ``of``."""
    time: Whole
    """Microseconds since 1970."""
    value: npt.NDArray[np.float64]

    def __len__(self) -> int:
        return len(self.time)

    def take(self, rows: Rows) -> Samples:
        """Some of them; the series stay."""
        return Samples(self.of, self.series[rows], self.time[rows], self.value[rows])


@dataclass(frozen=True, eq=False)
class Rated:
    """Samples, ``(n,)``, with rates in place of counters: a series after the other, each in order of time."""

    of: Series
    n: Whole
    """How many samples each series has, ``(m,)``: at least one."""
    time: Whole
    value: npt.NDArray[np.float64]
    micros: Whole
    """The microseconds that each stands for; -1 for the only sample of a gauge."""

    def __len__(self) -> int:
        return len(self.time)

    def take(self, rows: Mask) -> Rated:
        """Some of them, and the series that have any."""
        n = np.add.reduceat(rows, self.starts, dtype=np.int64) if len(self.n) else self.n
        left = n > 0
        return Rated(
            self.of.take(left), n[left], self.time[rows], self.value[rows], self.micros[rows]
        )

    @property
    def starts(self) -> Whole:
        """The first row of each series."""
        return np.cumsum(self.n) - self.n

    def parts(self, size: int) -> Iterator[Rated]:
        """Some whole series after the other, of so many samples together or of one series that has more."""
        ends = np.cumsum(self.n)
        first, begin = 0, 0
        while first < len(self.n):
            last = max(first + 1, int(np.searchsorted(ends, begin + size, side="right")))
            end = int(ends[last - 1])
            rows = slice(begin, end)
            yield Rated(
                self.of.take(slice(first, last)), self.n[first:last],
                self.time[rows], self.value[rows], self.micros[rows],
            )  # fmt: skip
            first, begin = last, end


def encoded(key: Whole) -> Whole:
    """Numbers from 0 on in place of any, in the order in which they come."""
    import pyarrow as pa

    return np.asarray(pa.array(key).dictionary_encode().indices.to_numpy(), dtype=np.int64)


def merged(samples: Samples) -> Samples:
    """The same samples with each series once."""
    number = samples.of.numbers()
    first = np.empty(int(number.max(initial=-1)) + 1, dtype=np.intp)
    first[number[::-1]] = np.arange(len(number))[::-1]
    if len(first) == len(number):
        return samples
    return replace(samples, of=samples.of.take(first), series=number[samples.series])


def joined(parts: Sequence[Samples]) -> Samples:
    """Samples one after the other; the last part has the lists of names of all."""
    if len(parts) == 1:
        return parts[0]
    offsets = np.cumsum([0, *(len(part.of) for part in parts[:-1])])
    codes: dict[str, Any] = {
        name: np.concatenate([getattr(part.of, name) for part in parts]) for name in CODES
    }
    return merged(Samples(
        replace(parts[-1].of, **codes),
        np.concatenate([part.series + offset for part, offset in zip(parts, offsets, strict=True)]),
        np.concatenate([part.time for part in parts]),
        np.concatenate([part.value for part in parts]),
    ))  # fmt: skip


def slots_of(n_bytes: int) -> int:
    """Into how many slots the samples of a cluster are divided, by the bytes of their files."""
    return min(MOST_SLOTS, max(1, -(-n_bytes // SLOT_BYTES)))


def slot(of: Series, slots: int) -> npt.NDArray[np.int16]:
    """The slot of each series, ``(m,)``: those of one partition are in one."""
    by_topic = np.array([*(zlib.crc32(topic.encode()) for topic in of.topics), 0], dtype=np.int64)
    mixed = (by_topic[of.topic] + of.partition.astype(np.int64) * 0x9E3779B1) & 0xFFFFFFFF
    return ((mixed ^ (mixed >> 15)) % slots).astype(np.int16)


def divided(samples: Samples, slots: int) -> Iterator[tuple[int, bytes]]:
    """Each slot that has samples, and these as one value."""
    if slots == 1:
        yield 0, packed(samples)
        return
    of = slot(samples.of, slots)
    by_row = of[samples.series]
    order = np.argsort(by_row, kind="stable")
    ends = np.bincount(by_row, minlength=slots).cumsum()
    number = np.empty(len(of), dtype=np.int64)
    for k in range(slots):
        rows = order[ends[k - 1] if k else 0 : ends[k]]
        if len(rows):
            own = np.flatnonzero(of == k)
            number[own] = np.arange(len(own))
            part = samples.take(rows)
            yield k, packed(Samples(samples.of.take(own), number[part.series], part.time, part.value))


def packed(samples: Samples | Rated) -> bytes:
    """As one value: a stream of Arrow with the series, and one with the samples."""
    import pyarrow as pa

    of = samples.of
    series: dict[str, Any] = {
        name: named(getattr(of, name), getattr(of, TEXTS[name])) if name in TEXTS else getattr(of, name)
        for name in CODES
    }
    rows = {"time": samples.time, "value": samples.value}
    if isinstance(samples, Rated):
        series["n"], rows["micros"] = samples.n, samples.micros
    else:
        rows["series"] = samples.series.astype(np.int32)
    sink = pa.BufferOutputStream()
    for columns in (series, rows):
        batch = pa.RecordBatch.from_pydict({name: pa.array(column) for name, column in columns.items()})
        with pa.ipc.new_stream(sink, batch.schema) as writer:
            writer.write_batch(batch)
    return bytes(sink.getvalue().to_pybytes())


def named(codes: Codes, names: list[str]) -> pa.DictionaryArray:
    """Text from codes, -1 for null, with the names alone that are needed."""
    import pyarrow as pa

    used = np.zeros(len(names) + 1, dtype=bool)
    used[codes] = True
    kept = np.flatnonzero(used[:-1])
    number = np.zeros(len(names) + 1, dtype=np.int32)
    number[kept] = np.arange(len(kept), dtype=np.int32)
    indices = pa.array(number[codes], mask=codes < 0 if used[-1] else None)
    return pa.DictionaryArray.from_arrays(indices, pa.array([names[k] for k in kept], pa.string()))


def streams(block: bytes) -> tuple[pa.RecordBatch, pa.RecordBatch]:
    """The series and the samples of a value."""
    import pyarrow as pa

    source = pa.BufferReader(block)
    with pa.ipc.open_stream(source) as reader:
        series = reader.read_next_batch()
        assert not list(reader)
    with pa.ipc.open_stream(source) as reader:
        return series, reader.read_next_batch()


def series_in(batch: pa.RecordBatch, names: dict[str, Names]) -> Series:
    """The series of a value, with their names among ``names``."""
    found: dict[str, Any] = {TEXTS[name]: names[name].values for name in TEXTS}
    for name in CODES:
        array = batch.column(name)
        if name in TEXTS:
            codes = array.indices.fill_null(-1).to_numpy()
            found[name] = names[name].codes(array.dictionary.to_pylist(), codes)
        else:
            found[name] = array.to_numpy()
    return Series(**found)


def unpacked(blocks: Iterable[bytes]) -> Samples:
    """What several values hold, one after the other."""
    names = {column: Names() for column in TEXTS}
    parts = []
    for block in blocks:
        series, rows = streams(block)
        time, value, number = (rows.column(name).to_numpy() for name in ("time", "value", "series"))
        parts.append(Samples(series_in(series, names), number.astype(np.int64), time, value))
    return joined(parts)


def unpacked_rated(block: bytes) -> Rated:
    """What one value holds."""
    series, rows = streams(block)
    time, value, micros = (rows.column(name).to_numpy() for name in ("time", "value", "micros"))
    return Rated(
        series_in(series, {column: Names() for column in TEXTS}), series.column("n").to_numpy(),
        time, value, micros,
    )  # fmt: skip
