"""What a series of samples says in a few figures."""

from __future__ import annotations

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from equipoise.pipeline.schemas.tables import DOUBLE, LONG, SERIES
from equipoise.pipeline.transforms.judged import metric_of
from equipoise.pipeline.transforms.samples import is_counter

MICROS_PER_DAY = 86_400e6
GAPS = 2
"""So many times without samples may be longer than usual."""
P95 = 0.95 * (1 - 1e-12)
"""Sums of seconds differ in their last digits."""


def series_figures(samples: DataFrame) -> DataFrame:
    """The table ``samples`` to (cluster, topic, partition, broker, told_as, metric, figures), a row a series.

    Each sample counts by the time that it stands for. The p95 is exact: the smallest value that is not
    exceeded in at least 95 % of that time. Growth is the slope of the least-squares line, and null for a
    series of less than a day, whose rhythm would pass for growth.
    """
    value, micros = F.col("value"), F.unix_micros("time")
    days = micros / MICROS_PER_DAY
    of_series = samples.groupBy(*SERIES).agg(
        F.sort_array(F.collect_list(F.struct("value", "seconds"))).alias("told"),
        F.max(value).alias("peak"),
        F.regr_slope(value, days).alias("growth"),
        standard_error(value, days).alias("error"),
        F.count(value).alias("samples"),
        (F.max(micros) - F.min(micros)).alias("span"),
    )
    weighed = of_series.withColumn("told", weighed_by_time(F.col("told")))
    measured = weighed.withColumn("of", mean_and_p95(F.col("told")))
    peak, has_growth = F.col("peak"), F.col("span") >= MICROS_PER_DAY
    figures = figures_of(
        "measured",
        mean=nine_digits(F.col("of.mean")),
        p95=nine_digits(F.col("of.p95")),
        peak=nine_digits(peak),
        growth_per_day=F.when(has_growth, growth_in_nine_digits(F.col("growth"), peak)),
        growth_error=F.when(has_growth, error_in_four_digits(F.col("error"), peak)),
        samples=F.col("samples"),
    )
    metric = metric_of(F.col("told_as"))
    return measured.select(*SERIES, metric.alias("metric"), figures.alias("figures"))


def weighed_by_time(told: Column) -> Column:
    """(value, seconds) with the seconds that count.

    What a counter tells of a time without samples is exact. A gauge tells nothing of one: a time longer than
    others have been twice is such a gap, and the sample after it counts as after the longest usual time.
    """
    times = F.sort_array(F.transform(told, lambda one: one["seconds"]), asc=False)
    usual = F.coalesce(F.try_element_at(times, F.lit(1 + GAPS)), F.array_min(times), F.lit(1.0))
    longest = F.when(is_counter(F.col("told_as")), F.lit(float("inf"))).otherwise(usual)
    return F.transform(
        F.arrays_zip(told, F.array_repeat(longest, F.size(told)).alias("longest")),
        lambda one: F.struct(
            one["told"]["value"].alias("value"),
            F.least(F.coalesce(one["told"]["seconds"], one["longest"]), one["longest"]).alias("seconds"),
        ),
    )


def mean_and_p95(told: Column) -> Column:
    """Of (value, seconds), the smallest value first: the struct of both figures."""
    zero = F.lit(0.0)
    sums = F.aggregate(
        told,
        F.struct(zero.alias("seconds"), zero.alias("total")),
        lambda so_far, one: F.struct(
            (so_far["seconds"] + one["seconds"]).alias("seconds"),
            (so_far["total"] + one["seconds"] * one["value"]).alias("total"),
        ),
    )
    start = F.struct(
        sums.alias("all"), zero.alias("seconds"), F.lit(None).cast(DOUBLE).alias("p95")
    )
    return F.aggregate(
        told,
        start,
        lambda so_far, one: F.struct(
            so_far["all"].alias("all"),
            (so_far["seconds"] + one["seconds"]).alias("seconds"),
            F.coalesce(
                so_far["p95"],
                F.when(so_far["seconds"] + one["seconds"] >= so_far["all"]["seconds"] * P95, one["value"]),
            ).alias("p95"),
        ),
        lambda at_end: F.struct(
            (at_end["all"]["total"] / at_end["all"]["seconds"]).alias("mean"), at_end["p95"].alias("p95")
        ),
    )


def figures_of(
    source: str | Column,
    *,
    mean: Column | None = None,
    p95: Column | None = None,
    peak: Column | None = None,
    growth_per_day: Column | None = None,
    growth_error: Column | None = None,
    samples: Column | int = 0,
    unknown: Column | int | None = None,
) -> Column:
    """The struct of one figure; what is not given is null. With ``unknown``, that of a broker."""
    figures = {"mean": mean, "p95": p95, "peak": peak}
    figures |= {"growth_per_day": growth_per_day, "growth_error": growth_error}
    counts = {"samples": samples} if unknown is None else {"samples": samples, "unknown": unknown}
    return F.struct(
        *((F.lit(None) if c is None else c).cast(DOUBLE).alias(name) for name, c in figures.items()),
        *(F.lit(count).cast(LONG).alias(name) for name, count in counts.items()),
        F.lit(source).alias("source"),
    )


def nine_digits(figure: Column) -> Column:
    """Nine digits of a figure: sums in another order differ in the last of sixteen."""
    return F.format_string("%.8e", figure.cast(DOUBLE)).try_cast(DOUBLE)


def standard_error(value: Column, days: Column) -> Column:
    """That of the slope of the least-squares line; null for two samples, which any line meets."""
    left = F.regr_syy(value, days) - F.regr_sxy(value, days) ** 2 / F.regr_sxx(value, days)
    n = F.regr_count(value, days)
    return F.when(n > 2, F.sqrt(F.greatest(left, F.lit(0.0)) / (n - 2) / F.regr_sxx(value, days)))


def error_in_four_digits(error: Column, peak: Column) -> Column:
    """Four digits, down to the sixth of the peak: what is left of large sums has no more."""
    unit = F.pow(F.lit(10.0), F.floor(F.log10(peak)) - 5)
    rounded = F.format_string("%.3e", F.rint(error / unit) * unit).try_cast(DOUBLE)
    return F.when(peak > 0, F.when(error.isNotNull(), rounded)).otherwise(error)


def growth_in_nine_digits(growth: Column, peak: Column) -> Column:
    """Growth to the ninth digit of the peak: a level series has none, and not what is left of rounding."""
    unit = F.pow(F.lit(10.0), F.floor(F.log10(peak)) - 8)
    return F.when(peak > 0, nine_digits(F.rint(growth / unit) * unit + 0.0)).otherwise(growth)


def best_of(
    series: DataFrame,
    key: tuple[str, ...],
    metrics: tuple[str, ...],
    prefix: str,
    order: Column | None = None,
) -> DataFrame:
    """(key, PREFIX_METRIC...): of several series of one thing the first in ``order``, or the longest."""
    first = F.struct(-F.col("figures.samples"), F.col("told_as")) if order is None else order
    return series.groupBy(*key).agg(
        *(
            F.min_by("figures", F.when(F.col("metric") == metric, first)).alias(f"{prefix}_{metric}")
            for metric in metrics
        )
    )
