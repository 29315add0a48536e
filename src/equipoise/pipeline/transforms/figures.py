"""What a series of samples says in a few figures."""

from __future__ import annotations

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from equipoise.pipeline.schemas.tables import DOUBLE, INT, LONG, SERIES
from equipoise.pipeline.transforms.samples import metric_of

MICROS_PER_DAY = 86_400e6


def series_figures(samples: DataFrame) -> DataFrame:
    """The table ``samples`` to (cluster, topic, partition, broker, told_as, metric, figures), a row a series.

    The p95 is exact: the smallest value that at least 95 % of the samples do not exceed. Growth is the slope
    of the least-squares line, and null for a series of less than a day, whose rhythm would pass for growth.
    """
    value, micros = F.col("value"), F.unix_micros("time")
    at_p95 = F.ceil(F.count(value) * 0.95).cast(INT)
    of_series = samples.groupBy(*SERIES).agg(
        F.avg(value).alias("mean"),
        F.element_at(F.sort_array(F.collect_list(value)), at_p95).alias("p95"),
        F.max(value).alias("peak"),
        F.regr_slope(value, micros / MICROS_PER_DAY).alias("growth"),
        F.count(value).alias("samples"),
        (F.max(micros) - F.min(micros)).alias("span"),
    )
    peak = F.col("peak")
    figures = figures_of(
        "measured",
        mean=settled(F.col("mean")),
        p95=settled(F.col("p95")),
        peak=settled(peak),
        growth_per_day=F.when(F.col("span") >= MICROS_PER_DAY, settled_growth(F.col("growth"), peak)),
        samples=F.col("samples"),
    )
    metric = metric_of(F.col("told_as"))
    return of_series.select(*SERIES, metric.alias("metric"), figures.alias("figures"))


def figures_of(
    source: str | Column,
    *,
    mean: Column | None = None,
    p95: Column | None = None,
    peak: Column | None = None,
    growth_per_day: Column | None = None,
    samples: Column | int = 0,
    unknown: Column | int | None = None,
) -> Column:
    """The struct of one figure; what is not given is null. With ``unknown``, that of a broker."""
    figures = {"mean": mean, "p95": p95, "peak": peak, "growth_per_day": growth_per_day}
    counts = {"samples": samples} if unknown is None else {"samples": samples, "unknown": unknown}
    return F.struct(
        *((F.lit(None) if c is None else c).cast(DOUBLE).alias(name) for name, c in figures.items()),
        *(F.lit(count).cast(LONG).alias(name) for name, count in counts.items()),
        F.lit(source).alias("source"),
    )


def settled(figure: Column) -> Column:
    """Nine digits of a figure: sums in another order differ in the last of sixteen."""
    return F.format_string("%.8e", figure.cast(DOUBLE)).try_cast(DOUBLE)


def settled_growth(growth: Column, peak: Column) -> Column:
    """Growth to the ninth digit of the peak: a level series has none, and not what is left of rounding."""
    unit = F.pow(F.lit(10.0), F.floor(F.log10(peak)) - 8)
    return F.when(peak > 0, settled(F.rint(growth / unit) * unit + 0.0)).otherwise(growth)


def best_of(series: DataFrame, key: tuple[str, ...]) -> DataFrame:
    """(key, figures): of several series of one thing, that with the most samples."""
    order = F.struct(-F.col("figures.samples"), F.col("told_as"))
    return series.groupBy(*key).agg(F.min_by("figures", order).alias("figures"))


def wide(best: DataFrame, key: tuple[str, ...], metrics: tuple[str, ...], prefix: str) -> DataFrame:
    """(key, metric, figures) to (key, PREFIX_METRIC...)."""
    columns = (
        F.max_by("figures", F.when(F.col("metric") == metric, 1)).alias(f"{prefix}_{metric}")
        for metric in metrics
    )
    return best.groupBy(*key).agg(*columns)
