"""Whole series of samples: counters made into rates, and what cannot be used of a series set aside."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from equipoise.pipeline.readers.samples.blocks import Rated, Samples, packed, unpacked
from equipoise.pipeline.readers.samples.judged import LINK
from equipoise.pipeline.readers.samples.typed import Mask
from equipoise.pipeline.schemas.metrics import BYTES_IN, BYTES_OUT, COUNTERS, NAMES
from equipoise.pipeline.schemas.steps import RATED, Kind, arrow
from equipoise.pipeline.transforms.apart import each
from equipoise.pipeline.transforms.memory import tasks_at_once
from equipoise.pipeline.transforms.rows import unexpected

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame

AGAIN_AND_AGAIN = 3
"""Falls of a counter, or times with several values, from which on they may be its nature."""
RARE = 4
"""A counter of one broker counts so many samples between two restarts, on average."""
SEVERAL = "counters of several brokers in one series, as it falls again and again: name the broker of each"
AT_ONCE = "several values at one time, again and again: name the broker of each sample"
TOO_FAST = "more than a terabit a second"
REASONS = (SEVERAL, AT_ONCE, TOO_FAST)
AT_A_TIME = 250_000
"""Samples in a block of whole series, where there are several."""
MILLION = 1_000_000

Ids = npt.NDArray[np.int64]
Brokers = Mapping[str, int]
"""By address."""


def rated(blocks: DataFrame, brokers: Mapping[str, Brokers]) -> DataFrame:
    """Samples of TOLD to the rows of RATED; ``brokers``: those of each cluster that addresses stand for.

    Each slot of a cluster, which has whole series, is worked on at once, in the memory of one task.
    """
    at_once = tasks_at_once(blocks.sparkSession)

    def rate_batches(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        found: dict[tuple[str, int], list[bytes]] = {}
        for batch in batches:
            for row in batch.to_pylist():
                found.setdefault((row["cluster"], row["slot"]), []).append(row["block"])
        work = ((name, found.pop((name, slot)), brokers.get(name, {})) for name, slot in sorted(found))
        return each(work, rate_slot, lost, at_once, whole=True)

    columns = blocks.select("cluster", "slot", "block")
    return columns.repartition("cluster", "slot").mapInArrow(rate_batches, RATED)


def rate_slot(work: tuple[str, list[bytes], Brokers]) -> Iterator[pa.RecordBatch]:
    """The rows of one slot of a cluster: its name, its samples, and its brokers by address."""
    cluster, blocks, brokers = work
    try:
        yield from rows_of(cluster, rate(known(unpacked(Samples, blocks), brokers)))
    except Exception as error:  # what trips a bug must not take the fleet with it
        yield lost(work, unexpected(error))


def lost(work: tuple[str, list[bytes], Brokers], reason: str) -> pa.RecordBatch:
    """Samples of which nothing counts."""
    return batch_of(work[0], [{"kind": Kind.FAULT, "reason": reason}])


def batch_of(cluster: str, rows: list[dict[str, Any]]) -> pa.RecordBatch:
    import pyarrow as pa

    return pa.RecordBatch.from_pylist([{"cluster": cluster} | row for row in rows], schema=arrow("RATED"))


def known(samples: Samples, brokers: Brokers) -> Samples:
    """Samples with ids of brokers in place of addresses; without those of addresses that nobody knows."""
    if not samples.addresses:
        return samples
    ids = np.array([*(brokers.get(address, -1) for address in samples.addresses), -1], dtype=np.int32)
    by_address = ids[samples.named_by]
    is_named = samples.named_by >= 0
    samples.broker[is_named] = by_address[is_named]
    samples.named_by[:] = -1
    return samples.take(~is_named | (by_address >= 0))


class Outcome(NamedTuple):
    """What comes of a slot of samples."""

    told: Rated
    """Those that count, and those that are set aside."""
    series: Ids
    """The series of each, ``(n,)``, in order."""
    reason: npt.NDArray[np.int8]
    """Number of the reason against each in `REASONS`, -1 for none."""


def rate(samples: Samples) -> Outcome:
    """Counters as rates, samples in the order of series and time, with reasons against them.

    Of several samples of one series at one time the greatest stays. A counter becomes the rate since the
    sample before it: where it fell it was reset, and counted from 0 to what it is. Its first sample gives
    nothing, and neither does a fall by less than half, which is no reset.
    """
    series = series_of(samples)
    order = in_order(series, samples.time, samples.value)
    told, series = samples.take(order), series[order]
    is_first = np.append(True, series[1:] != series[:-1])
    at_once = ~is_first & np.append(False, told.time[1:] == told.time[:-1])
    starts = np.flatnonzero(is_first)
    again = at_once & np.append(False, told.value[1:] != told.value[:-1])
    twice = np.zeros(len(starts), dtype=np.int64)
    if at_once.any():
        kept = ~at_once
        twice = seen_before_the_last(again, kept, starts)
        told, series = told.take(kept), series[kept]
        is_first = np.append(True, series[1:] != series[:-1])
        starts = np.flatnonzero(is_first)
    n = np.diff(np.append(starts, len(series)))
    is_counter, metric = kinds_of(told, starts)
    counts = np.repeat(is_counter, n)
    since = np.append(-1, np.diff(told.time))
    before = np.append(0.0, told.value[:-1])
    since[starts] = -1
    fell = counts & ~is_first & (told.value < before)
    increase = np.where(fell, told.value, told.value - before)
    unclear = fell & (told.value * 2 > before)
    value = told.value.copy()
    rates = np.flatnonzero(counts & ~is_first)
    value[rates] = increase[rates] / (since[rates] / 1e6)
    until = np.append(since[1:], -1)
    micros = np.where(counts | ~is_first, since, until)
    falls = np.add.reduceat(fell, starts, dtype=np.int64)
    of_bytes = np.isin(metric, BYTES)
    reason = np.full(len(starts), -1, dtype=np.int8)
    reason[of_bytes & (twice >= AGAIN_AND_AGAIN) & (twice * 2 >= n)] = REASONS.index(AT_ONCE)
    reason[(falls >= AGAIN_AND_AGAIN) & (falls * RARE >= n)] = REASONS.index(SEVERAL)
    reasons = np.repeat(reason, n)
    reasons[(reasons < 0) & counts & np.repeat(of_bytes, n) & (value > LINK)] = REASONS.index(TOO_FAST)
    stays = ~(counts & (is_first | unclear))
    rated = Rated(**(told.columns | {"value": value, "micros": micros}))
    if stays.all():
        return Outcome(rated, series, reasons)
    return Outcome(rated.take(stays), series[stays], reasons[stays])


BYTES = [sorted({*NAMES.values()}).index(metric) for metric in (BYTES_IN, BYTES_OUT)]


def kinds_of(samples: Samples, rows: Ids) -> tuple[Mask, Ids]:
    """Whether the names of some samples are counters', and the numbers of the metrics that they stand for."""
    metrics = sorted({*NAMES.values()})
    is_counter = np.array([name.lower() in COUNTERS for name in samples.names], dtype=bool)
    metric = np.array([metrics.index(NAMES[name.lower()]) for name in samples.names], dtype=np.int64)
    codes = samples.told_as[rows]
    return is_counter[codes], metric[codes]


def series_of(samples: Samples) -> Ids:
    """A number for each series, ``(n,)``: cluster and slot are the same for all of them."""
    key = samples.topic.astype(np.int64) + 1
    for column in (samples.told_as, samples.broker, samples.partition):
        top = int(column.max()) + 2
        if top < 1 << 20:
            key, size = key * top + (column + 1), (int(key.max()) + 1) * top
        else:  # ids may be anything: so many as there are
            each, number = np.unique(column, return_inverse=True)
            key, size = key * len(each) + number, (int(key.max()) + 1) * len(each)
        if size > 1 << 30:
            key = encoded(key)
    return encoded(key)


def encoded(key: Ids) -> Ids:
    """Numbers from 0 on in place of any."""
    import pyarrow as pa

    return np.asarray(pa.array(key).dictionary_encode().indices.to_numpy(), dtype=np.int64)


def in_order(series: Ids, time: Ids, value: npt.NDArray[np.float64]) -> npt.NDArray[np.intp]:
    """The order by series, by time, and from the greatest value on where times are the same."""
    first, last = int(time.min()), int(time.max())
    width = last - first + 1
    if (int(series.max()) + 1) * width >= 1 << 62:
        return np.lexsort((-value, time, series))
    key = series * width + (time - first)
    order = np.argsort(key, kind="stable")
    key = key[order]
    same = np.flatnonzero(key[1:] == key[:-1])
    if len(same):
        return np.lexsort((-value, time, series))
    return order


def seen_before_the_last(again: Mask, kept: Mask, starts: Ids) -> Ids:
    """How many of ``again`` each series has before the last one of those that are kept."""
    so_far = np.cumsum(again)
    rows = np.arange(len(again))
    last = np.maximum.reduceat(np.where(kept, rows, -1), starts)
    return so_far[last] - so_far[starts]


def rows_of(cluster: str, outcome: Outcome) -> Iterator[pa.RecordBatch]:
    """Rows of RATED: samples that count, what is set aside, and the newest sample of each broker."""
    told, series, reason = outcome
    aside = reason >= 0
    if aside.any():
        yield batch_of(cluster, faults_of(told.take(aside), series[aside], reason[aside]))
        told, series = told.take(~aside), series[~aside]
    if not len(told):
        return
    yield batch_of(cluster, newest_of(told))
    starts = np.flatnonzero(np.append(True, series[1:] != series[:-1]))
    at = np.searchsorted(starts, np.arange(0, len(series), AT_A_TIME))
    cuts = np.unique(starts[at[at < len(starts)]]).tolist()
    for begin, end in zip(cuts, [*cuts[1:], len(series)], strict=True):
        yield batch_of(cluster, [{"kind": Kind.SAMPLES, "block": packed(told.take(slice(begin, end)))}])


def faults_of(told: Rated, series: Ids, reason: npt.NDArray[np.int8]) -> list[dict[str, Any]]:
    """One row for each name and reason."""
    rows = []
    for name, number in sorted(set(zip(told.told_as.tolist(), reason.tolist(), strict=True))):
        own = np.flatnonzero((told.told_as == name) & (reason == number))
        _, at = np.unique(series[own], return_index=True)
        first = min(own[at].tolist(), key=lambda row: identity(told, row))
        rows.append({
            "kind": Kind.FAULT, "told_as": told.names[name], "reason": REASONS[number],
            "samples": len(own), "series": len(at), **described(told, first),
        })  # fmt: skip
    return rows


def identity(told: Samples, row: int) -> tuple[str, int, int]:
    topic = told.topic[row]
    return told.topics[topic] if topic >= 0 else "", int(told.partition[row]), int(told.broker[row])


def described(told: Samples, row: int) -> dict[str, str | int | None]:
    topic, partition, broker = identity(told, row)
    return {
        "topic": topic or None, "partition": partition if partition >= 0 else None,
        "broker": broker if broker >= 0 else None,
    }  # fmt: skip


def newest_of(told: Rated) -> list[dict[str, Any]]:
    """The time of the last sample of each broker, and of those that name none."""
    brokers, number = np.unique(told.broker, return_inverse=True)
    newest = np.full(len(brokers), np.iinfo(np.int64).min)
    np.maximum.at(newest, number, told.time)
    return [
        {"kind": Kind.NEWEST, "broker": broker if broker >= 0 else None, "newest": time}
        for broker, time in zip(brokers.tolist(), newest.tolist(), strict=True)
    ]
