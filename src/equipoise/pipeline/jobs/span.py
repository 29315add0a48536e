"""Which samples count: those from a time on, or those of the last days."""

from __future__ import annotations

import math
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from pyspark.sql import functions as F

from equipoise.errors import UnusableInput
from equipoise.pipeline.schemas.steps import Kind
from equipoise.pipeline.schemas.tables import LONG
from equipoise.units import parse_duration
from equipoise.wording import quoted

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

MILLION = 1_000_000
FIRST = -(1 << 62)
"""Before any time."""


@dataclass(frozen=True)
class Span:
    """Samples that count; by default all of them."""

    since: datetime | None = None
    """The first time that counts."""
    window_s: int | None = None
    """So many seconds up to the newest samples of each cluster."""

    @property
    def told(self) -> list[str | int | None]:
        """As JSON data."""
        return [None if self.since is None else self.since.isoformat(), self.window_s]


def span_of(since: str | None, window: str | None) -> Span:
    """What ``--since`` and ``--window`` mean; raises :class:`UnusableInput`."""
    return Span(
        None if since is None else time_of("--since", since),
        None if window is None else length_of("--window", window),
    )


def time_of(option: str, text: str) -> datetime:
    """An ISO time, UTC where it names no zone."""
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        advice = "Write 2026-01-31 or 2026-01-31T12:00:00Z"
        raise UnusableInput(f"{quoted(text)} is no time", source=option, advice=advice) from None
    return found if found.tzinfo else found.replace(tzinfo=UTC)


def length_of(option: str, text: str) -> int:
    """Seconds of ``90m``, ``12h`` or ``30d``."""
    try:
        return math.ceil(parse_duration(text))
    except ValueError as error:
        raise UnusableInput(str(error), source=option) from None


def counting(rated: DataFrame, span: Span) -> DataFrame:
    """(cluster, block, first) of RATED: its samples, and the first time of each cluster that counts.

    A rate counts with the sample at its end. The newest time of a cluster is the median of those of its
    brokers, so that neither a clock that runs ahead nor a broker that has fallen silent moves the window.
    """
    blocks = rated.where(F.col("kind") == Kind.SAMPLES).select("cluster", "block")
    since = None if span.since is None else math.ceil(span.since.timestamp() * MILLION)
    if span.window_s is None:
        return blocks.withColumn("first", F.lit(since).cast(LONG))
    told = rated.where((F.col("kind") == Kind.NEWEST) & (F.col("newest") >= (since or FIRST)))
    newest = (
        told.groupBy("cluster", "broker")
        .agg(F.max("newest").alias("newest"))
        .groupBy("cluster")
        .agg((F.expr("percentile_disc(0.5) within group (order by newest)")).cast(LONG).alias("newest"))
    )
    start = F.col("newest") - span.window_s * MILLION + 1
    return blocks.join(F.broadcast(newest), on="cluster").select(
        "cluster", "block", F.greatest(start, F.lit(since or FIRST)).alias("first")
    )
