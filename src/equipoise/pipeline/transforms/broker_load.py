"""What each broker carries of the partitions' load."""

from __future__ import annotations

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from equipoise.pipeline.schemas.metrics import BYTES_IN, BYTES_OUT, SIZE
from equipoise.pipeline.schemas.tables import EXACT, PER_PARTITION
from equipoise.pipeline.transforms.figures import best_of, figures_of, nine_digits

PER_BROKER = ("cluster", "broker")
OWN = {"disk_bytes": SIZE, "leader_bytes_in_per_s": BYTES_IN, "bytes_out_per_s": BYTES_OUT}
"""Columns that a broker's own totals tell: Kafka counts there what producers send and consumers read."""


def broker_load(
    brokers: DataFrame, partitions: DataFrame, load: DataFrame, series: DataFrame | None
) -> DataFrame:
    """The tables and the figures of all series, None for no series, to the table ``broker_load``.

    A broker's own totals come first. Else means and growths of what it holds are added up; a p95 or a peak is
    null then, for those of different partitions need not come at one time.
    """
    held = partitions.select(*PER_PARTITION, "leader", F.explode("replicas").alias("broker")).join(
        load, on=list(PER_PARTITION), how="inner"
    )
    leads = F.col("broker").eqNullSafe(F.col("leader"))
    carried = {
        "disk_bytes": summed("disk_bytes", F.lit(True)),
        "leader_bytes_in_per_s": summed(BYTES_IN, leads),
        "follower_bytes_in_per_s": summed(BYTES_IN, ~leads),
        "bytes_out_per_s": summed(BYTES_OUT, leads),
    }
    sums = held.groupBy(*PER_BROKER).agg(*(figures.alias(name) for name, figures in carried.items()))
    joined = brokers.select(*PER_BROKER).join(sums, on=list(PER_BROKER), how="left")
    if series is not None:
        joined = joined.join(totals(series), on=list(PER_BROKER), how="left")
    own = OWN if series is not None else {}
    nothing = figures_of("summed", mean=F.lit(0.0), unknown=0)
    return joined.select(
        *PER_BROKER,
        *(
            F.coalesce(*([own_total(own[name])] if name in own else []), F.col(name), nothing).alias(name)
            for name in carried
        ),
    )


def totals(series: DataFrame) -> DataFrame:
    """(cluster, broker, own_METRIC...): what each broker tells of all its topics together."""
    of_brokers = series.where(F.col("topic").isNull())
    return best_of(of_brokers, PER_BROKER, tuple(OWN.values()), "own")


def own_total(metric: str) -> Column:
    figures = F.col(f"own_{metric}")
    names = ("mean", "p95", "peak", "growth_per_day", "growth_error", "samples")
    named = {name: figures[name] for name in names}
    return F.when(figures.isNotNull(), figures_of("measured", **named, unknown=0))


def summed(figure: str, of: Column) -> Column:
    """The sum over the replicas of which ``of`` is true; of growth only where that of each is known.

    Errors of growth are added up as if all were off the same way: that of the sum is at most so large.
    """
    mean, growth, error, samples = (
        F.when(of, F.col(figure)[name]) for name in ("mean", "growth_per_day", "growth_error", "samples")
    )
    n, known = F.count_if(of), F.count(mean)
    return figures_of(
        F.when((n > 0) & (known == 0), "unknown").otherwise("summed"),
        mean=F.when(n == 0, 0.0).otherwise(nine_digits(F.sum(mean.try_cast(EXACT)))),
        growth_per_day=F.when(
            (known > 0) & (F.count(growth) == known), nine_digits(F.sum(growth.try_cast(EXACT)))
        ),
        growth_error=F.when(
            (known > 0) & (F.count(error) == known), nine_digits(F.sum(error.try_cast(EXACT)))
        ),
        samples=F.coalesce(F.sum(samples), F.lit(0)),
        unknown=n - known,
    )
