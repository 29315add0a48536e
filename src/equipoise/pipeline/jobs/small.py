"""Little data: what a job of Spark costs beside its rows is most of it then, so there are to be few."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from equipoise.pipeline.readers.fleet import ClusterFolder

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

SMALL_BYTES = 2 << 20
"""Files of a fleet below this are little data: some hundred thousand partitions or samples."""
ADAPTIVE, PARTS = "spark.sql.adaptive.enabled", "spark.sql.shuffle.partitions"
BROADCAST = "spark.sql.autoBroadcastJoinThreshold"
USUAL = {ADAPTIVE: "true", PARTS: "200", BROADCAST: "10485760b"}
"""Settings as Spark and our own sessions have them."""
FEW = {ADAPTIVE: "false", PARTS: "1", BROADCAST: "-1"}
"""Adaptive execution makes a job of every exchange, to look at what came of it, and a table that is sent to
every task of a join is a job, too: both save work where there is much of it."""


@contextmanager
def few_jobs(spark: SparkSession, clusters: Sequence[ClusterFolder]) -> Iterator[None]:
    """While the block runs, a query over a small fleet is one job.

    Files are read and clusters are planned in as many tasks as ever. Where somebody has set one of these
    otherwise, all stay.
    """
    n_bytes = sum(file.n_bytes for cluster in clusters for file in (*cluster.files, *cluster.metrics))
    before = {key: str(spark.conf.get(key)) for key in USUAL}
    if n_bytes >= SMALL_BYTES or before != USUAL:
        yield
        return
    for key, value in FEW.items():
        spark.conf.set(key, value)
    try:
        yield
    finally:
        for key, value in before.items():
            spark.conf.set(key, value)
