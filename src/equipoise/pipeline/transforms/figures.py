"""Figures, and the best of those that several series tell."""

from __future__ import annotations

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from equipoise.pipeline.schemas.tables import DOUBLE, LONG


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
