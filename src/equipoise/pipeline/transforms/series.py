"""What series of samples say: their rows of the table ``samples``, and each series in a few figures."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from equipoise.pipeline.readers.samples.blocks import Mask, Rated, Series, Whole, named, unpacked_rated
from equipoise.pipeline.schemas.metrics import NAMES
from equipoise.pipeline.schemas.steps import SERIES_FIGURES, arrow
from equipoise.pipeline.schemas.tables import SAMPLES
from equipoise.pipeline.transforms.samples import kinds_of

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame

Numbers = npt.NDArray[np.float64]
MICROS_PER_DAY = 86_400_000_000
GAPS = 2
"""So many times without samples may be longer than usual."""
MILLION = 1_000_000
AT_A_TIME = 50_000
"""Rows that pass to Spark together."""


def sample_rows(blocks: DataFrame) -> DataFrame:
    """(cluster, block, first) of RATED to the table ``samples``; ``first``: the first time that counts."""

    def row_batches(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for cluster, samples in counting(batches):
            for part in samples.parts(AT_A_TIME):
                yield rows_of(cluster, part)

    return blocks.mapInArrow(row_batches, SAMPLES)


def series_figures(blocks: DataFrame) -> DataFrame:
    """(cluster, block, first) of RATED to the rows of SERIES_FIGURES, one for each series."""

    def figure_batches(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for cluster, samples in counting(batches):
            yield figures_of(cluster, samples)

    return blocks.mapInArrow(figure_batches, SERIES_FIGURES)


def counting(batches: Iterator[pa.RecordBatch]) -> Iterator[tuple[str, Rated]]:
    """The samples of each block that count, with their cluster, where there are any."""
    for batch in batches:
        for row in batch.to_pylist():
            samples = unpacked_rated(row["block"])
            if row["first"] is not None:
                samples = samples.take(samples.time >= row["first"])
            if len(samples):
                yield row["cluster"], samples


def identity(cluster: str, of: Series) -> dict[str, Any]:
    """The columns that say whose samples they are, of each series."""
    import pyarrow as pa

    metric = np.array([NAMES[name.lower()] for name in of.names], dtype=object)[of.told_as]
    return {
        "cluster": pa.repeat(pa.scalar(cluster), len(of)),
        "topic": named(of.topic, of.topics).cast(pa.string()),
        "partition": pa.array(of.partition, mask=of.partition < 0),
        "broker": pa.array(of.broker, mask=of.broker < 0),
        "told_as": named(of.told_as, of.names).cast(pa.string()),
        "metric": pa.array(metric, pa.string()),
    }


def rows_of(cluster: str, samples: Rated) -> pa.RecordBatch:
    import pyarrow as pa

    schema = arrow("SAMPLES")
    columns = identity(cluster, samples.of.take(np.repeat(np.arange(len(samples.n)), samples.n))) | {
        "time": pa.array(samples.time).cast(schema.field("time").type),
        "value": pa.array(samples.value),
        "seconds": pa.array(samples.micros / 1e6, mask=samples.micros < 0),
    }
    return pa.RecordBatch.from_arrays([columns[name] for name in schema.names], schema=schema)


def figures_of(cluster: str, samples: Rated) -> pa.RecordBatch:
    """A row for each series.

    Each sample counts by the time that it stands for. The p95 is exact: the smallest value that is not
    exceeded in at least 95 % of that time. Growth is the slope of the least-squares line, and null for a
    series of less than a day, whose rhythm would pass for growth.
    """
    import pyarrow as pa

    schema = arrow("SERIES_FIGURES")
    starts, n = samples.starts, samples.n
    is_counter, _ = kinds_of(samples.of)
    weight = weights(samples.micros, starts, n, is_counter)
    peak = np.maximum.reduceat(samples.value, starts)
    growth, error = growths(samples.time, samples.value, starts, n, peak)
    figures = {
        "mean": nine_digits(summed(samples.value * weight, starts) / summed(weight, starts)),
        "p95": nine_digits(ninety_fifth(samples.value, weight, starts, n)),
        "peak": nine_digits(peak), "growth_per_day": growth, "growth_error": error,
    }  # fmt: skip
    columns = identity(cluster, samples.of)
    kind = schema.field("figures").type
    told = {name: pa.array(values, pa.float64(), from_pandas=True) for name, values in figures.items()}
    told |= {"samples": pa.array(n), "source": pa.repeat(pa.scalar("measured"), len(starts))}
    columns["figures"] = pa.StructArray.from_arrays([told[field.name] for field in kind], fields=list(kind))
    return pa.RecordBatch.from_arrays([columns[name] for name in schema.names], schema=schema)


def weights(micros: Whole, starts: Whole, n: Whole, is_counter: Mask) -> Whole:
    """The microseconds with which each sample counts.

    What a counter tells of a time without samples is exact. A gauge tells nothing of one: a time longer than
    others have been twice is such a gap, and the sample after it counts as after the longest usual time.
    """
    left, rows = micros.copy(), np.arange(len(micros))
    for _ in range(GAPS):  # the longest, then the longest of the rest
        is_longest = left == np.repeat(np.maximum.reduceat(left, starts), n)
        left[np.minimum.reduceat(np.where(is_longest, rows, len(rows)), starts)] = -1
    usual = np.where(n > GAPS, np.maximum.reduceat(left, starts), np.minimum.reduceat(micros, starts))
    usual = np.where(usual < 0, MILLION, usual)  # the only sample of a gauge
    longest = np.repeat(np.where(is_counter, np.iinfo(np.int64).max, usual), n)
    return np.minimum(np.where(micros < 0, longest, micros), longest)


def ninety_fifth(value: Numbers, weight: Whole, starts: Whole, n: Whole) -> Numbers:
    """The smallest value of each series that is not exceeded in 95 % of its time."""
    series = np.repeat(np.arange(len(n)), n)
    order = np.lexsort((value, series))
    so_far = np.cumsum(weight[order])
    before = np.append(0, so_far)[starts]
    total = np.append(so_far, 0)[starts + n - 1] - before
    reached = (so_far - np.repeat(before, n)) * 20 >= np.repeat(total, n) * 19
    first = np.minimum.reduceat(np.where(reached, np.arange(len(value)), len(value)), starts)
    return value[order[first]]


def growths(time: Whole, value: Numbers, starts: Whole, n: Whole, peak: Numbers) -> tuple[Numbers, Numbers]:
    """Slope by the day and its standard error, NaN where there are none: two samples are on any line."""
    first, last = time[starts], time[starts + n - 1]
    long = last - first >= MICROS_PER_DAY
    growth, error = np.full(len(n), np.nan), np.full(len(n), np.nan)
    if not long.any():
        return growth, error
    days = (time - np.repeat(first, n)) / MICROS_PER_DAY
    x = days - np.repeat(summed(days, starts) / n, n)
    y = value - np.repeat(summed(value, starts) / n, n)
    xx, xy, yy = (summed(product, starts) for product in (x * x, x * y, y * y))
    for k in np.flatnonzero(long).tolist():
        slope = xy[k] / xx[k]
        growth[k] = to_digits(slope, peak[k], 9)
        if n[k] > 2:
            left = max(yy[k] - xy[k] * slope, 0.0)
            error[k] = to_digits((left / (n[k] - 2) / xx[k]) ** 0.5, peak[k], 4)
    return growth, error


def summed(figures: npt.NDArray[Any], starts: Whole) -> npt.NDArray[Any]:
    """Of each series."""
    return np.add.reduceat(figures, starts)


def to_digits(figure: float, peak: float, digits: int) -> float:
    """A figure in so many digits, down to the ninth of the peak, or for four digits to the sixth of it.

    A level series has no growth, and not what is left of rounding; what is left of large sums has less.
    """
    if not peak > 0:
        return figure
    unit = 10.0 ** (np.floor(np.log10(peak)) - (8 if digits == 9 else 5))
    return float(f"{np.rint(figure / unit) * unit + 0.0:.{digits - 1}e}")


def nine_digits(figures: Numbers) -> Numbers:
    """Nine digits of figures: sums in another order differ in the last of sixteen."""
    return np.array([float(f"{figure:.8e}") for figure in figures.tolist()], dtype=np.float64)
