"""Whole series of samples: counters made into rates, and what cannot be used of a series set aside."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from equipoise.pipeline.readers.samples.blocks import (
    Mask,
    Rated,
    Samples,
    Series,
    Whole,
    merged,
    packed,
    unpacked,
)
from equipoise.pipeline.readers.samples.judged import LINK
from equipoise.pipeline.schemas.metrics import BYTES_IN, BYTES_OUT, COUNTERS, NAMES
from equipoise.pipeline.schemas.steps import RATED, Kind, arrow
from equipoise.pipeline.transforms.apart import each
from equipoise.pipeline.transforms.memory import tasks_at_once
from equipoise.pipeline.transforms.set_aside import unexpected

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
AT_A_TIME = 100_000
"""Samples in a block of whole series, where there are several."""

Reasons = npt.NDArray[np.int8]
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
        samples = known(unpacked(blocks), brokers)
        if len(samples):
            yield from rows_of(cluster, *rate(samples))
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
    of = samples.of
    if not of.addresses:
        return samples
    ids = np.array([*(brokers.get(address, -1) for address in of.addresses), -1], dtype=np.int32)
    is_named = of.named_by >= 0
    broker = np.where(is_named, ids[of.named_by], of.broker)
    resolved = replace(of, broker=broker, named_by=np.full(len(of), -1, dtype=np.int32), addresses=[])
    rows = ~(is_named & (broker < 0))[samples.series]
    return merged(replace(samples, of=resolved).take(rows))


def rate(samples: Samples) -> tuple[Rated, Reasons]:
    """Counters as rates, and the number of the reason against each sample in `REASONS`, -1 for none.

    Of several samples of one series at one time the greatest stays. A counter becomes the rate since the
    sample before it: where it fell it was reset, and counted from 0 to what it is. Its first sample gives
    nothing, and neither does a fall by less than half, which is no reset.
    """
    told = samples.take(in_order(samples))
    told, twice = once(told)
    time, value, starts = told.time, told.value, firsts(told.series)
    n = np.diff(np.append(starts, len(told)))
    of = told.of.take(told.series[starts])
    counts, metric = kinds_of(of)
    is_first = np.zeros(len(told), dtype=bool)
    is_first[starts] = True
    since = np.append(-1, np.diff(time))
    since[starts] = -1
    fell = np.append(False, value[1:] < value[:-1])
    fell[starts] = False
    reason = np.full(len(starts), -1, dtype=np.int8)
    of_bytes = np.isin(metric, BYTES)
    reason[of_bytes & (twice >= AGAIN_AND_AGAIN) & (twice * 2 >= n)] = REASONS.index(AT_ONCE)
    falls = np.add.reduceat(fell, starts, dtype=np.int64)
    reason[counts & (falls >= AGAIN_AND_AGAIN) & (falls * RARE >= n)] = REASONS.index(SEVERAL)
    by_row = np.repeat(counts, n)
    rows = np.flatnonzero(by_row & ~is_first)
    before = value[rows - 1]
    increase = np.where(fell[rows], value[rows], value[rows] - before)
    rates = value.copy()
    rates[rows] = increase / (since[rows] / 1e6)
    stays = ~(by_row & is_first)
    stays[rows[fell[rows] & (value[rows] * 2 > before)]] = False
    reasons = np.repeat(reason, n)
    reasons[(reasons < 0) & by_row & np.repeat(of_bytes, n) & (rates > LINK)] = REASONS.index(TOO_FAST)
    micros = np.where(by_row | ~is_first, since, np.append(since[1:], -1))
    rated = Rated(of, n, time, rates, micros)
    return (rated, reasons) if stays.all() else (rated.take(stays), reasons[stays])


METRICS = sorted({*NAMES.values()})
BYTES = [METRICS.index(metric) for metric in (BYTES_IN, BYTES_OUT)]


def kinds_of(of: Series) -> tuple[Mask, Whole]:
    """Whether series are counters, ``(m,)``, and the numbers of their metrics in `METRICS`."""
    is_counter = np.array([name.lower() in COUNTERS for name in of.names], dtype=bool)
    metric = np.array([METRICS.index(NAMES[name.lower()]) for name in of.names], dtype=np.int64)
    return is_counter[of.told_as], metric[of.told_as]


def in_order(samples: Samples) -> npt.NDArray[np.intp]:
    """The order by series, by time, and from the greatest value on where times are the same."""
    first, last = int(samples.time.min()), int(samples.time.max())
    width = last - first + 1
    if len(samples.of) * width < 1 << 62:
        key = samples.series * width + (samples.time - first)
        order = np.argsort(key)
        key = key[order]
        if not (key[1:] == key[:-1]).any():
            return order
    return np.lexsort((-samples.value, samples.time, samples.series))


def firsts(series: Whole) -> Whole:
    """The first row of each series, where they come one after the other."""
    return np.flatnonzero(np.append(True, series[1:] != series[:-1]))


def once(told: Samples) -> tuple[Samples, Whole]:
    """Ordered samples with the first of each time alone; and how often each series tells several values.

    Those after the last time that counts are not counted.
    """
    series, time, value = told.series, told.time, told.value
    starts = firsts(series)
    at_once = np.append(False, (series[1:] == series[:-1]) & (time[1:] == time[:-1]))
    if not at_once.any():
        return told, np.zeros(len(starts), dtype=np.int64)
    again = at_once & np.append(False, value[1:] != value[:-1])
    so_far = np.cumsum(again)
    last = np.maximum.reduceat(np.where(at_once, -1, np.arange(len(told))), starts)
    return told.take(~at_once), so_far[last] - so_far[starts]


def rows_of(cluster: str, rated: Rated, reasons: Reasons) -> Iterator[pa.RecordBatch]:
    """Rows of RATED: samples that count, what is set aside, and the newest sample of each broker."""
    aside = reasons >= 0
    if aside.any():
        yield batch_of(cluster, faults_of(rated.take(aside), reasons[aside]))
        rated = rated.take(~aside)
    if len(rated):
        yield batch_of(cluster, newest_of(rated))
    for part in rated.parts(AT_A_TIME):
        yield batch_of(cluster, [{"kind": Kind.SAMPLES, "block": packed(part)}])


def faults_of(aside: Rated, reasons: Reasons) -> list[dict[str, Any]]:
    """One row for each name and reason."""
    of, series = aside.of, np.repeat(np.arange(len(aside.n)), aside.n)
    found: dict[tuple[str, int], list[tuple[int, int]]] = {}
    each, counts = np.unique(np.stack([series, reasons], axis=1), axis=0, return_counts=True)
    for (k, reason), n in zip(each.tolist(), counts.tolist(), strict=True):
        found.setdefault((of.names[of.told_as[k]], reason), []).append((k, n))
    return [
        {
            "kind": Kind.FAULT, "told_as": name, "reason": REASONS[reason],
            "samples": sum(n for _, n in own), "series": len(own),
            **sorted((described(of, k) for k, _ in own), key=sorting)[0],
        }
        for (name, reason), own in sorted(found.items())
    ]  # fmt: skip


def described(of: Series, k: int) -> dict[str, Any]:
    topic, partition, broker = int(of.topic[k]), int(of.partition[k]), int(of.broker[k])
    return {
        "topic": of.topics[topic] if topic >= 0 else None,
        "partition": partition if partition >= 0 else None,
        "broker": broker if broker >= 0 else None,
    }


def sorting(told: dict[str, Any]) -> tuple[tuple[bool, Any], ...]:
    """The order of what may not be told: that first."""
    return tuple((value is not None, value) for value in told.values())


def newest_of(rated: Rated) -> list[dict[str, Any]]:
    """The time of the last sample of each broker, and of those that name none."""
    brokers, number = np.unique(rated.of.broker, return_inverse=True)
    newest = np.full(len(brokers), np.iinfo(np.int64).min)
    np.maximum.at(newest, number, rated.time[rated.starts + rated.n - 1])
    return [
        {"kind": Kind.NEWEST, "broker": broker if broker >= 0 else None, "newest": time}
        for broker, time in zip(brokers.tolist(), newest.tolist(), strict=True)
    ]
