"""Samples as files tell them, judged one by one: those that can be used, and why the others cannot."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

from equipoise.pipeline.readers.samples.blocks import Codes, Mask, Names, Samples, Series, merged
from equipoise.pipeline.readers.samples.columns import COLUMNS, Piece, as_text, is_number
from equipoise.pipeline.readers.samples.typed import (
    NO_TIME,
    Numbers,
    Texts,
    numbers,
    texts,
    times,
)
from equipoise.pipeline.schemas.metrics import (
    BYTES_IN,
    BYTES_OUT,
    GAUGES,
    INFOS,
    NAMES,
    OF_PARTITIONS,
    OF_THE_CLUSTER,
    TOTALS,
)

if TYPE_CHECKING:
    import pyarrow as pa

TOO_LARGE = 1e18
"""An exabyte, of one partition or one counter: such a sample is a mistake."""
LINK = 1.25e11
"""A terabit a second, in bytes: no broker's links carry more."""
MOST = 2**31 - 1
TOPIC = re.compile(r"[a-zA-Z0-9._-]{1,249}")
SHOWN = ("time", "metric", "value", "topic", "partition", "broker", "address")
TOLD, UNKNOWN, FIRST_AFTER_ADDRESS = 1, 3, 12
"""Numbers of reasons: what the reader has found, a metric that nobody knows, and the first of those that
count only where the address of the broker is known."""
UNKNOWN_METRIC = "no metric of this name is known"
UNKNOWN_ADDRESS = "no broker is known by this address; give it a line in metrics/addresses.csv"


class Fault(NamedTuple):
    """Samples of a file with one reason against them, and where the first of them stands."""

    reason: str | None
    """None where nothing but ``named_by`` is against them."""
    named_by: str | None
    """An address that must be known if they are to be used: where it is not, that is the reason."""
    unknown: str | None
    """The name of the metric, of one that nobody knows."""
    samples: int
    line: int | None
    row: int | None
    text: str | None


class Judged(NamedTuple):
    """What a piece of a file tells."""

    usable: Samples
    """Those whose broker is named by an address among them."""
    faults: list[Fault]
    infos: list[tuple[str, str]]
    """(broker, address) that metrics tell."""


class Columns(NamedTuple):
    """The columns of a piece, ``(n,)`` each; numbers are NaN where none is told."""

    time: npt.NDArray[np.int64]
    metric: Texts
    value: Numbers
    topic: Texts
    partition: Numbers
    broker: Numbers
    named_by: Texts
    partition_told: Mask
    broker_told: Mask


def judge(piece: Piece, topics: Names, names: Names, addresses: Names) -> Judged:
    """The samples of a piece; the names that they have are added.

    What only tells the address of a broker is no sample, and neither usable nor a fault.
    """
    n = piece.n
    given = {name: piece.columns.get(name) for name in COLUMNS}
    metric = text_column(given["metric"], n)
    is_info = of_values(metric, lambda name: name.lower() in INFOS, False)
    is_of_cluster = of_values(metric, lambda name: name.lower() in OF_THE_CLUSTER, False)
    infos = sorted(set(told_infos(given, n, is_info))) if is_info.any() else []
    columns = columns_of(given, metric, n, ~(is_info | is_of_cluster))
    fault = faults_told(piece, n)
    reasons, code = reasons_of(columns, fault)
    code[is_info] = -1
    usable = code == 0
    of = Series(
        topics.values, names.values, addresses.values,
        topics.codes(columns.topic.values, columns.topic.codes),
        told_ids(columns.partition, usable),
        told_ids(columns.broker, usable),
        names.codes(metric.values, metric.codes),
        addresses.codes(columns.named_by.values, columns.named_by.codes),
    )  # fmt: skip
    rows = slice(None) if usable.all() else np.flatnonzero(usable)
    time, value = columns.time[rows], columns.value[rows]
    found = merged(Samples(of.take(rows), np.arange(len(time)), time, value))
    wrong = (code > 0) | (usable & (columns.named_by.codes >= 0))
    faults = list(grouped(piece, columns, reasons, code, fault, np.flatnonzero(wrong))) if wrong.any() else []
    return Judged(found, faults, infos)


def text_column(array: pa.Array | None, n: int) -> Texts:
    return Texts(np.full(n, -1, dtype=np.int32), []) if array is None else texts(array)


def number_column(array: pa.Array | None, n: int) -> tuple[Numbers, Mask]:
    """Its numbers, and where anything is told at all."""
    if array is None:
        return np.full(n, np.nan), np.zeros(n, dtype=bool)
    return numbers(array), array.is_valid().to_numpy(zero_copy_only=False)


def columns_of(given: Mapping[str, pa.Array | None], metric: Texts, n: int, names_broker: Mask) -> Columns:
    partition, partition_told = number_column(given["partition"], n)
    broker, broker_told = number_column(given["broker"], n)
    time = np.full(n, NO_TIME) if given["time"] is None else times(given["time"])
    named = named_by(given, broker, names_broker)
    return Columns(
        time, metric, number_column(given["value"], n)[0], text_column(given["topic"], n),
        partition, broker, named, partition_told, broker_told,
    )  # fmt: skip


def named_by(given: Mapping[str, pa.Array | None], broker: Numbers, names_broker: Mask) -> Texts:
    """How samples name their broker where they do not give its id; nothing where they do, or name none.

    Beside what an exporter of the whole cluster tells stands that exporter's address, and no broker's.
    """
    import pyarrow.compute as pc

    n = len(broker)
    own = given["broker"]
    is_text = own is not None and not is_number(own.type)
    there = [as_text(array) for array in ((own if is_text else None), given["address"]) if array is not None]
    needed = names_broker & np.isnan(broker)
    if not is_text and own is not None:
        needed &= ~own.is_valid().to_numpy(zero_copy_only=False)
    if not there or not needed.any():
        return text_column(None, n)
    found = texts(pc.coalesce(*there) if len(there) > 1 else there[0])
    return Texts(np.where(needed, found.codes, np.int32(-1)), found.values)


def told_infos(given: Mapping[str, pa.Array | None], n: int, is_info: Mask) -> Iterator[tuple[str, str]]:
    broker, address = (text_column(given[name], n) for name in ("broker", "address"))
    for b, a in zip(broker.codes[is_info], address.codes[is_info], strict=True):
        if b >= 0 and a >= 0:
            yield broker.values[b], address.values[a]


def of_values(column: Texts, is_so: Callable[[str], bool], nothing: bool) -> Mask:
    """Where a text is so, each looked at once; ``nothing`` where none is told."""
    return np.array([*map(is_so, column.values), nothing], dtype=bool)[column.codes]


def faults_told(piece: Piece, n: int) -> Texts:
    """What the reader has found against samples."""
    if piece.fault is None:
        return text_column(None, n)
    told = Names()
    values = [value for value in dict.fromkeys(piece.fault) if value is not None]
    at = {value: k for k, value in enumerate(values)} | {None: -1}
    return Texts(told.codes(values, np.array([at[value] for value in piece.fault], dtype=np.int32)), values)


def reasons_of(c: Columns, fault: Texts) -> tuple[list[str | None], npt.NDArray[np.int8]]:
    """Every reason, and which of them is the first against each sample: 0 for none."""
    has_topic, has_partition, has_broker = c.topic.codes >= 0, ~np.isnan(c.partition), ~np.isnan(c.broker)
    is_named = c.named_by.codes >= 0
    of_partitions = of_values(c.metric, is_of_partitions, False)
    rules: list[tuple[str | None, Mask]] = [
        (None, fault.codes >= 0),
        ("no metric is named", c.metric.codes < 0),
        (UNKNOWN_METRIC, ~of_values(c.metric, lambda name: name.lower() in NAMES, True)),
        ("the time cannot be read", c.time == NO_TIME),
        ("the value is no number", np.isnan(c.value)),
        ("the value is negative", c.value < 0),
        ("the value is too large", c.value >= TOO_LARGE),
        ("more than a terabit a second", of_values(c.metric, is_rate, False) & (c.value > LINK)),
        ("the topic is no topic name", ~of_values(c.topic, is_topic, True)),
        ("the partition is no partition number", c.partition_told & ~is_id(c.partition)),
        ("the broker is no broker id", c.broker_told & has_broker & ~is_id(c.broker)),
        ("a partition without a topic", has_partition & ~has_topic),
        ("only a partition can have this metric", of_partitions & ~has_partition),
        ("neither a topic nor a broker is named", ~has_topic & ~has_broker & ~is_named),
    ]
    code = np.zeros(len(c.time), dtype=np.int8)
    for k in range(len(rules), 0, -1):
        code[rules[k - 1][1]] = k
    return [None, *(reason for reason, _ in rules)], code



def is_rate(name: str) -> bool:
    return GAUGES.get(name.lower()) in (BYTES_IN, BYTES_OUT)


def is_of_partitions(name: str) -> bool:
    return NAMES.get(name.lower()) in OF_PARTITIONS and name.lower() not in TOTALS


def is_topic(name: str) -> bool:
    return TOPIC.fullmatch(name) is not None


def is_id(number: Numbers) -> Mask:
    """Whether it is a whole number from 0 on."""
    return (number >= 0) & (number <= MOST) & (number == np.floor(number))


def told_ids(number: Numbers, usable: Mask) -> Codes:
    """Ids, -1 where none is told."""
    return np.where(usable & ~np.isnan(number), number, -1).astype(np.int32)


def grouped(
    piece: Piece, c: Columns, reasons: Sequence[str | None], code: npt.NDArray[np.int8], fault: Texts,
    rows: npt.NDArray[np.intp],
) -> Iterator[Fault]:
    """What is to be told of ``rows``: one for each reason, address, and name of a metric nobody knows."""
    by_address = (code == 0) | (code >= FIRST_AFTER_ADDRESS)
    named = np.where(by_address, c.named_by.codes, np.int32(-1))
    unknown = np.where(code == UNKNOWN, c.metric.codes, np.int32(-1))
    told = np.where(code == TOLD, fault.codes, np.int32(-1))
    keys = np.stack([code[rows].astype(np.int32), told[rows], unknown[rows], named[rows]], axis=1)
    each, first, counts = np.unique(keys, axis=0, return_index=True, return_counts=True)
    found = zip(each.tolist(), rows[first].tolist(), counts.tolist(), strict=True)
    for (reason, f, u, a), at, count in found:
        yield Fault(
            fault.values[f] if reason == TOLD else reasons[reason],
            c.named_by.values[a] if a >= 0 else None,
            c.metric.values[u] if u >= 0 else None,
            count,
            None if piece.line is None else int(piece.line[at]),
            None if piece.row is None else int(piece.row[at]),
            (piece.text and piece.text[at]) or shown(piece, at),
        )


def shown(piece: Piece, at: int) -> str:
    """A sample as it was told."""
    told = {name: as_text(piece.columns[name].slice(at, 1)).to_pylist()[0]
            for name in SHOWN if name in piece.columns}  # fmt: skip
    return json.dumps({name: value for name, value in told.items() if value is not None},
                      ensure_ascii=False, separators=(",", ":"))  # fmt: skip

